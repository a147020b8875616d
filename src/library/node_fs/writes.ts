/** The calls of `fs` that put something in a place: files, their modes and times, directories and links. */

import { concatBytes } from '../../core/bytes.ts'
import type { Content } from '../../core/change.ts'
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { View, WriteOptions } from '../../core/view.ts'
import { equalBytes } from '../../text/bytes.ts'
import { expectationOf, hashOf } from '../../tools/stored_state.ts'
import type { Target } from '../../tools/tool.ts'
import { NODE_FS_CONSTANTS as BITS } from './constants.ts'
import type { Act, Decided, Door } from './door.ts'
import { refusal, wrongValue } from './errors.ts'
import { exists, find, findPlace, findPresent, type Present, requireFile } from './paths.ts'
import { wholeFile } from './reads.ts'

/** What a process takes away from the modes that it asks for. */
const UMASK = 0o022

/** How a file is opened. */
export interface OpenMode {
  readonly read: boolean
  readonly write: boolean
  readonly append: boolean
  /** It is made where it is missing. */
  readonly create: boolean
  /** It must be missing. */
  readonly exclusive: boolean
  readonly truncate: boolean
}

/** Reads `flags` such as `r+`, `wx` or a number. Throws a `TypeError` for others. */
export function openMode(flags: unknown): OpenMode {
  if (typeof flags === 'number') {
    const access = flags & 3
    const has = (bit: number): boolean => (flags & bit) !== 0
    const [append, create, truncate] = [has(BITS.O_APPEND), has(BITS.O_CREAT), has(BITS.O_TRUNC)]
    return { read: access !== 1, write: access !== 0, append, create, exclusive: has(BITS.O_EXCL), truncate }
  }
  const [, text = ''] = /^(r|rs|sr|w|wx|xw|a|ax|xa|as|sa)\+?$/.exec(String(flags)) ?? []
  const letter = /[rwa]/.exec(text)?.[0]
  if (letter === undefined) throw wrongValue('flags', flags, 'is invalid')
  const [both, append] = [String(flags).endsWith('+'), letter === 'a']
  const write = letter !== 'r' || both
  const read = letter === 'r' || both
  return { read, write, append, create: letter !== 'r', exclusive: text.includes('x'), truncate: letter === 'w' }
}

/** What a path names for the guards. */
export function target(path: string, use: Target['use'] = 'change', field = 'path'): Target {
  return { path, field, use }
}

/**
 * Writes a file as it was opened: whole, at its end, or over its beginning. What it holds already is not written again. Throws
 * `conflict` for a file that no longer is the one with the hash `base`.
 */
export async function writeFile(
  door: Door,
  path: string,
  bytes: Uint8Array,
  how: OpenMode,
  { mode, base = null }: { readonly mode?: number; readonly base?: Hash | null } = {},
): Promise<void> {
  const { hash, size } = { hash: (await door.view()).hasher.hash(bytes), size: bytes.length }
  return door.act({
    targets: [target(path)],
    args: { call: how.append ? 'append' : 'write', path, sha256: hash, size },
    async decide(view) {
      const place = await placeOfFile(view, path, how)
      if (!how.write) throw refusal('permission_denied', 'EBADF', `${path} was not opened for writing.`)
      if (base !== null) await requireUnchanged(view, place, base)
      if (!place.entry) return put(door, view, place, bytes, mode === undefined ? {} : { mode: mode & 0o777 & ~UMASK })
      const present = { ...place, entry: place.entry }
      const old = how.truncate && place.entry.size !== bytes.length ? null : await wholeFile(view, present)
      const whole = old === null || how.truncate ? bytes : how.append ? concatBytes([old, bytes]) : over(old, bytes)
      if (old !== null && equalBytes(old, whole)) return { result: undefined }
      return put(door, view, place, whole)
    },
  })
}

/** What was read through a handle is changed as a whole: what somebody else wrote since would be lost. */
async function requireUnchanged(view: View, { given, entry }: Resolved, base: Hash): Promise<void> {
  if (entry && (await hashOf(view, entry)) === base) return
  throw new FilewrightError('conflict', `${given} was changed by somebody else since it was opened.`)
}

function over(old: Uint8Array, bytes: Uint8Array): Uint8Array {
  return bytes.length >= old.length ? bytes : concatBytes([bytes, old.subarray(bytes.length)])
}

/** Where a file is to be written. Throws what opening it would. */
export async function placeOfFile(view: View, path: string, { create, exclusive }: OpenMode): Promise<Resolved> {
  const place = await findPlace(view, path, exclusive ? 'keep' : 'follow')
  if (place.entry && create && exclusive) throw exists(path)
  if (place.entry) requireFile({ ...place, entry: place.entry })
  else if (!create) throw new FilewrightError('not_found', `${path} does not exist.`)
  else if (place.directory) throw new FilewrightError('is_directory', `${path} names a directory.`)
  return place
}

async function put(
  door: Door,
  view: View,
  place: Resolved,
  body: Uint8Array | Content,
  facts: Pick<WriteOptions, 'mode' | 'mtimeMs'> = {},
): Promise<Decided<void>> {
  const content = body instanceof Uint8Array ? await door.content(body) : body
  const expect = place.entry ? await expectationOf(view, place.entry) : 'absent'
  const mode = facts.mode ?? place.entry?.mode
  const options = { expect, keep: 'undo', ...facts, ...(mode !== undefined && mode !== null && { mode }) } as const
  return { stage: (staged) => staged.write(place, content, options), result: undefined }
}

/** Throws `too_large` for more bytes than a file may have. */
export function requireSize({ traits: { limits } }: View, path: string, size: number): void {
  if (size > limits.fileBytes)
    throw new FilewrightError('too_large', `${path} cannot have ${size} bytes; ${limits.fileBytes} are the most.`)
}

/** Cuts a file, or fills it up with zeros. */
export function truncate(door: Door, path: string, length: number): Promise<void> {
  return door.act({
    targets: [target(path)],
    args: { call: 'truncate', path, length },
    async decide(view) {
      const found = await findPresent(view, path, 'follow')
      requireFile(found)
      if (found.entry.size === length) return { result: undefined }
      requireSize(view, path, length)
      const bytes = new Uint8Array(length)
      bytes.set((await wholeFile(view, found)).subarray(0, length))
      return put(door, view, found, bytes)
    },
  })
}

/** Sets permission bits. Those of a directory cannot be changed: `unsupported`, unless they are so already. */
export function chmod(door: Door, path: string, mode: number): Promise<void> {
  const bits = mode & 0o777
  return door.act({
    targets: [target(path)],
    args: { call: 'chmod', path, mode: bits },
    async decide(view) {
      const found = await findPresent(view, path, 'follow')
      if (kept(view, found.entry.mode) === kept(view, bits)) return { result: undefined }
      if (found.entry.kind === 'directory') throw new FilewrightError('unsupported', `The mode of the directory ${path} cannot be changed.`)
      return restate(door, view, found, { mode: bits })
    },
  })
}

/** As much of a mode as the storage keeps. */
function kept({ traits: { modes } }: View, mode: number | null): number {
  return modes === 'none' || mode === null ? 0 : modes === 'executable' ? Number((mode & 0o111) !== 0) : mode
}

/** Sets the time of modification of a file. Nothing else has times that could be kept: of a directory or link nothing is done. */
export function utimes(door: Door, path: string, mtimeMs: number, last: 'follow' | 'keep'): Promise<void> {
  return door.act({
    targets: [target(path, last === 'keep' ? 'change-entry' : 'change')],
    args: { call: 'utimes', path, mtimeMs },
    async decide(view) {
      const found = await findPresent(view, path, last)
      if (found.entry.kind !== 'file' || found.entry.mtimeMs === mtimeMs) return { result: undefined }
      return restate(door, view, found, { mtimeMs })
    },
  })
}

/** The same content with another fact beside it. */
async function restate(door: Door, view: View, found: Present, facts: Pick<WriteOptions, 'mode' | 'mtimeMs'>): Promise<Decided<void>> {
  requireFile(found)
  return put(door, view, found, await wholeFile(view, found), facts)
}

/** Makes a directory; with `recursive` the missing ones above it too. Answers the first that it made. */
export function mkdir(
  door: Door,
  path: string,
  { recursive = false, mode }: { readonly recursive?: boolean; readonly mode?: number },
): Promise<string | undefined> {
  const act: Act<string | undefined> = {
    targets: [target(path, 'change-entry')],
    args: { call: 'mkdir', path, recursive },
    async decide(view) {
      // A slash at its end does not make a link lead on.
      const place = await (recursive ? find(view, path, 'follow') : findPlace(view, path.replace(/(?<=[^/])\/+$/, ''), 'keep'))
      if (place.entry) {
        if (recursive && place.entry.kind === 'directory') return { result: undefined }
        throw exists(path)
      }
      if (recursive) await requireNoDanglingLink(view, path, place)
      const bits = mode === undefined ? {} : { mode: mode & 0o777 & ~UMASK }
      const result = recursive ? view.display(place.missingParents[0] ?? place.path) : undefined
      return { stage: (staged) => staged.makeDirectory(place, bits), result }
    },
  }
  return door.act(act)
}

/** A link that leads nowhere is in the way: no directory is made where it leads. */
async function requireNoDanglingLink(view: View, path: string, { links }: Resolved): Promise<void> {
  const last = links.at(-1)
  if (last === undefined || (await view.resolve(view.display(last))).entry) return
  const isItself = (await find(view, path, 'keep')).entry !== null
  throw new FilewrightError(isItself ? 'not_found' : 'not_directory', `${path} passes a link that leads nowhere.`)
}

/** Makes a link. Throws `outside_root` where it would lead out of the workspace. */
export function symlink(door: Door, text: string, path: string): Promise<void> {
  return door.act({
    targets: [target(path, 'change-entry')],
    args: { call: 'symlink', path, target: text },
    async decide(view) {
      const place = await findPlace(view, path, 'keep')
      if (place.entry) throw exists(path)
      if (text === '') throw new FilewrightError('not_found', 'The text of the link is empty.')
      await requireInside(view, place, text)
      return { stage: (staged) => staged.link(place, text, { expect: 'absent', keep: 'undo' }), result: undefined }
    },
  })
}

/** Throws `outside_root` for the text of a link that would lead outside from this place; whether it leads anywhere else does not matter. */
export async function requireInside(view: View, { path }: Resolved, text: string): Promise<void> {
  const above = view.display(path).split('/').slice(0, -1).join('/')
  try {
    await view.resolve(text.startsWith('/') ? text : `${above}/${text}`)
  } catch (error) {
    if (isFilewrightError(error, 'outside_root')) throw error
  }
}
