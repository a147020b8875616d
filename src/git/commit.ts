/** Commit and tag objects. */
import { concatBytes } from '../core/bytes.ts'
import { FilewrightError } from '../core/errors.ts'
import { bytesOfText, textOfBytes } from '../core/name_bytes.ts'
import type { Commit, Oid, Signature } from '../core/repository.ts'
import type { ObjectType } from './objects.ts'
import { isOid } from './oid.ts'

/** A line of an object's head, without the line ends and spaces that continue it. */
export interface ObjectField {
  readonly name: string
  readonly value: string
}

/** All that a commit object says. */
export interface CommitObject extends Omit<Commit, 'oid'> {
  /** What git may add: `encoding`, `gpgsig`, `mergetag`, and what is not known here; in order. */
  readonly extra?: readonly ObjectField[]
}

/** All that a tag object says. */
export interface TagObject {
  readonly object: Oid
  readonly type: ObjectType
  readonly name: string
  /** Missing in very old tags. */
  readonly tagger: Signature | null
  /** Whole, with its last line end; a signature is a part of it. */
  readonly message: string
  readonly extra?: readonly ObjectField[]
}

const LINE_END = 0x0a

/** Reads a commit. Bytes of a text that its encoding does not have are kept as U+DCNN. Throws `corrupt`. */
export function parseCommit(bytes: Uint8Array, oid: Oid): CommitObject {
  const head = parseHead(bytes, oid)
  const tree = head.fields.find(({ name }) => name === 'tree')?.value
  const parents = head.fields.filter(({ name }) => name === 'parent').map(({ value }) => value)
  const known = new Set(['tree', 'parent', 'author', 'committer'])
  if (tree === undefined || !isOid(tree) || !parents.every(isOid)) throw damaged('Commit', oid)
  return {
    tree,
    parents,
    author: parseSignature(fieldOf(head, 'author') ?? ''),
    committer: parseSignature(fieldOf(head, 'committer') ?? ''),
    message: head.message,
    ...extraOf(head, known),
  }
}

/** The bytes of a commit. Throws `unsupported` for text that its `encoding` cannot say. */
export function formatCommit(commit: CommitObject): Uint8Array {
  const { extra = [] } = commit
  return formatObject(
    [
      { name: 'tree', value: commit.tree },
      ...commit.parents.map((value) => ({ name: 'parent', value })),
      { name: 'author', value: formatSignature(commit.author) },
      { name: 'committer', value: formatSignature(commit.committer) },
      ...extra,
    ],
    commit.message,
  )
}

/** Reads a tag. Throws `corrupt`. */
export function parseTag(bytes: Uint8Array, oid: Oid): TagObject {
  const head = parseHead(bytes, oid)
  const [object, type, tagger] = ['object', 'type', 'tagger'].map((name) => fieldOf(head, name))
  if (object === undefined || !isOid(object) || !isType(type)) throw damaged('Tag', oid)
  return {
    object,
    type,
    name: fieldOf(head, 'tag') ?? '',
    tagger: tagger === undefined ? null : parseSignature(tagger),
    message: head.message,
    ...extraOf(head, new Set(['object', 'type', 'tag', 'tagger'])),
  }
}

/** The bytes of a tag. */
export function formatTag(tag: TagObject): Uint8Array {
  const fields: ObjectField[] = [
    { name: 'object', value: tag.object },
    { name: 'type', value: tag.type },
    { name: 'tag', value: tag.name },
  ]
  if (tag.tagger) fields.push({ name: 'tagger', value: formatSignature(tag.tagger) })
  return formatObject([...fields, ...(tag.extra ?? [])], tag.message)
}

function isType(text: string | undefined): text is ObjectType {
  return text === 'commit' || text === 'tree' || text === 'blob' || text === 'tag'
}

/**
 * Reads who and when. What other programs wrote wrongly does not make a commit unreadable: a missing or absurd date is 1970, and
 * where the address has no brackets, all is the name.
 */
export function parseSignature(text: string): Signature {
  const match = /^(.*?) ?<([^>]*)>(.*)$/s.exec(text)
  if (!match) return { name: text, email: '', timeMs: 0, offsetMinutes: 0 }
  const [, name = '', email = '', rest = ''] = match
  const [, seconds = '0', sign = '+', hours = '0', minutes = '0'] = /^.*? (-?\d+)(?: ([+-])(\d{1,2})(\d{2}))?\s*$/.exec(rest) ?? []
  const timeMs = Number(seconds) * 1000
  const offset = Number(hours) * 60 + Number(minutes)
  return {
    name,
    email,
    // What no date can be.
    timeMs: Math.abs(timeMs) <= 8.64e15 ? timeMs : 0,
    offsetMinutes: sign === '-' ? 0 - offset : offset,
  }
}

/** Who and when as git writes it. Characters that would end the name, the address or the line are left out, as git does. */
export function formatSignature({ name, email, timeMs, offsetMinutes }: Signature): string {
  const clean = (text: string): string => text.replace(/[<>\n\0]/g, '')
  const offset = Math.abs(Math.trunc(offsetMinutes))
  const zone = `${offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(offset / 60))}${pad(offset % 60)}`
  return `${clean(name)} <${clean(email)}> ${Math.floor(timeMs / 1000)} ${zone}`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}

interface Head {
  readonly fields: readonly ObjectField[]
  readonly message: string
}

function fieldOf(head: Head, name: string): string | undefined {
  return head.fields.find((field) => field.name === name)?.value
}

function extraOf(head: Head, known: ReadonlySet<string>): { readonly extra?: readonly ObjectField[] } {
  const extra = head.fields.filter(({ name }) => !known.has(name))
  return extra.length === 0 ? {} : { extra }
}

function parseHead(bytes: Uint8Array, oid: Oid): Head {
  const lines: { readonly name: string; readonly parts: Uint8Array[] }[] = []
  let at = 0
  while (at < bytes.length && bytes[at] !== LINE_END) {
    const found = bytes.indexOf(LINE_END, at)
    const end = found < 0 ? bytes.length : found
    const last = lines.at(-1)
    if (bytes[at] === 0x20 && last) {
      last.parts.push(bytes.subarray(at, end))
    } else {
      const space = bytes.indexOf(0x20, at)
      if (space < 0 || space > end) throw damaged('Object', oid)
      lines.push({ name: textOfBytes(bytes, at, space), parts: [bytes.subarray(space + 1, end)] })
    }
    at = end + 1
  }
  const encoding = lines.find(({ name }) => name === 'encoding')?.parts[0]
  const decode = decoderFor(encoding && textOfBytes(encoding))
  return {
    fields: lines.map(({ name, parts: [first, ...rest] }) => ({
      name,
      value: [decode(first as Uint8Array), ...rest.map((part) => decode(part.subarray(1)))].join('\n'),
    })),
    message: decode(bytes.subarray(at + 1)),
  }
}

function formatObject(fields: readonly ObjectField[], message: string): Uint8Array {
  const encode = encoderFor(fields.find(({ name }) => name === 'encoding')?.value)
  const text = fields.map(({ name, value }) => `${name} ${value.replaceAll('\n', '\n ')}\n`).join('')
  return concatBytes([encode(text), encode(`\n${message}`)])
}

function decoderFor(encoding: string | undefined): (bytes: Uint8Array) => string {
  const decoder = textDecoder(encoding)
  return decoder ? (bytes) => decoder.decode(bytes) : (bytes) => textOfBytes(bytes)
}

/** Null for UTF-8, and for what this host does not know. */
function textDecoder(encoding: string | undefined): TextDecoder | null {
  if (encoding === undefined) return null
  try {
    const decoder = new TextDecoder(encoding, { ignoreBOM: true, fatal: false })
    return decoder.encoding === 'utf-8' ? null : decoder
  } catch {
    return null
  }
}

function encoderFor(encoding: string | undefined): (text: string) => Uint8Array {
  const decoder = textDecoder(encoding)
  if (!decoder) return bytesOfText
  // Hosts decode many encodings but encode none. One byte for each character covers those that commits are found in.
  const codes = new Map<string, number>()
  for (let byte = 255; byte >= 0; byte--) codes.set(decoder.decode(Uint8Array.of(byte)), byte)
  return (text) =>
    Uint8Array.from(text, (char) => {
      const code = codes.get(char)
      if (code === undefined) throw new FilewrightError('unsupported', `Text in the encoding ${encoding} cannot be written.`)
      return code
    })
}

function damaged(what: string, oid: Oid): FilewrightError {
  return new FilewrightError('corrupt', `${what} ${oid} is damaged.`, { details: { oid } })
}
