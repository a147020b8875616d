/** Commits and tags from what a caller says: checked as git checks it, and byte for byte as git would write it. */
import { FilewrightError } from '../../core/errors.ts'
import type { Oid, Signature } from '../../core/repository.ts'
import { formatCommit, formatTag } from '../commit.ts'
import { type NewObject, newObject, type ObjectDatabase, type ObjectType } from '../objects.ts'

/** What a commit is made of. */
export interface CommitParts {
  readonly tree: Oid
  readonly parents: readonly Oid[]
  readonly author: Signature
  /** Default: the author. */
  readonly committer?: Signature
  readonly message: string
}

/** What a tag object is made of. */
export interface TagParts {
  readonly object: Oid
  readonly type: ObjectType
  /** Short: `v1.0`. */
  readonly name: string
  readonly tagger: Signature
  readonly message: string
}

/** Longest message, UTF-16 units. */
const MAX_MESSAGE = 1_000_000
/** Longest name or address, UTF-16 units. */
const MAX_NAME = 1000
/** Minutes: a day, where the farthest zones are 14 hours away. */
const MAX_OFFSET = 24 * 60

/** The object of a commit. Throws `invalid_argument` for a message or a signature that git would refuse. */
export function newCommit(objects: Pick<ObjectDatabase, 'name'>, parts: CommitParts): NewObject {
  const author = checkedSignature(parts.author, 'author')
  const committer = parts.committer ? checkedSignature(parts.committer, 'committer') : author
  const parents = [...new Set(parts.parents)]
  const message = cleanMessage(parts.message)
  return newObject(objects, 'commit', formatCommit({ tree: parts.tree, parents, author, committer, message }))
}

/** The object of an annotated tag. Throws as {@link newCommit}. */
export function newTag(objects: Pick<ObjectDatabase, 'name'>, { object, type, name, ...parts }: TagParts): NewObject {
  const tagger = checkedSignature(parts.tagger, 'tagger')
  return newObject(objects, 'tag', formatTag({ object, type, name, tagger, message: cleanMessage(parts.message) }))
}

/**
 * A message without white space at the ends of lines, without empty lines at its ends and with single ones inside, ended by one line
 * end: what `git commit --cleanup=whitespace` keeps. Throws `invalid_argument` when nothing is left, and for what no commit holds.
 */
export function cleanMessage(message: string): string {
  const refuse = (why: string): never => {
    throw new FilewrightError('invalid_argument', `message ${why}.`, { field: 'message' })
  }
  if (message.length > MAX_MESSAGE) refuse(`is longer than ${MAX_MESSAGE} characters`)
  if (message.includes('\0')) refuse('must not hold a NUL character')
  if (!message.isWellFormed()) refuse('is not valid Unicode')
  const lines: string[] = []
  for (const line of message.split('\n').map(trimEnd)) {
    if (line !== '' || (lines.length > 0 && lines[lines.length - 1] !== '')) lines.push(line)
  }
  if (lines[lines.length - 1] === '') lines.pop()
  if (lines.length === 0) refuse('must not be empty')
  return `${lines.join('\n')}\n`
}

/** Without the white space that git knows. */
function trimEnd(line: string): string {
  let end = line.length
  while (end > 0 && ' \t\r\n'.includes(line[end - 1] as string)) end--
  return line.slice(0, end)
}

/**
 * A signature as git writes it: without punctuation and white space around the name and the address. Throws `invalid_argument` for an
 * empty name, for characters that would end it, and for a time that is none.
 */
export function checkedSignature({ name, email, timeMs, offsetMinutes }: Signature, field: string): Signature {
  const refuse = (part: string, why: string): never => {
    throw new FilewrightError('invalid_argument', `${field}.${part} ${why}.`, { field: `${field}.${part}` })
  }
  for (const [part, text] of Object.entries({ name, email })) {
    if (/[<>\n\0]/.test(text)) refuse(part, 'must not hold <, >, a line end or NUL')
    if (!text.isWellFormed()) refuse(part, 'is not valid Unicode')
    if (text.length > MAX_NAME) refuse(part, `is longer than ${MAX_NAME} characters`)
  }
  const bare = (text: string): string => {
    let [start, end] = [0, text.length]
    while (start < end && isCrud(text.charCodeAt(start))) start++
    while (start < end && isCrud(text.charCodeAt(end - 1))) end--
    return text.slice(start, end)
  }
  if (bare(name) === '') refuse('name', 'must not be empty')
  if (!(timeMs >= 0 && timeMs <= 8.64e15)) refuse('timeMs', 'must be a time since 1970')
  if (!(Number.isInteger(offsetMinutes) && Math.abs(offsetMinutes) < MAX_OFFSET)) refuse('offsetMinutes', 'must be less than a day')
  return { name: bare(name), email: bare(email), timeMs, offsetMinutes }
}

/** What git strips from both ends of names. */
function isCrud(code: number): boolean {
  return code <= 32 || '.,:;"\\\''.includes(String.fromCharCode(code))
}
