/** Paths as callers of `fs` write them, and what is there. */

import { FilewrightError } from '../../core/errors.ts'
import type { Entry } from '../../core/file_system.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { View } from '../../core/view.ts'
import { refusal, wrongType, wrongValue } from './errors.ts'

/** A path: absolute in the workspace's notation, or relative to its root; its bytes; or such a `file:` URL. */
export type NodeFsPath = string | Uint8Array | URL

/** Something that is there. */
export type Present = Resolved & { readonly entry: Entry }

/** The text of a path. Throws a `TypeError` for what is none. */
export function pathText(path: unknown, name = 'path'): string {
  const text = path instanceof URL ? urlText(path, name) : path instanceof Uint8Array ? bytesText(path, name) : path
  if (typeof text !== 'string') throw wrongType(name, 'of type string or an instance of Buffer or URL', path)
  if (text.includes('\0')) throw wrongValue(name, text, 'must be a string without null bytes')
  return text
}

function urlText({ protocol, host, pathname, href }: URL, name: string): string {
  if (protocol !== 'file:') throw wrongValue(name, href, 'must be a file: URL', 'ERR_INVALID_URL_SCHEME')
  if (host !== '') throw wrongValue(name, href, 'must be a file: URL without a host', 'ERR_INVALID_FILE_URL_HOST')
  if (/%2f/i.test(pathname)) throw wrongValue(name, href, 'must not have encoded / characters', 'ERR_INVALID_FILE_URL_PATH')
  return decodeURIComponent(pathname)
}

function bytesText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw wrongValue(name, Array.from(bytes), 'must be the bytes of a text')
  }
}

/** Resolves a path; `follow` also resolves a link in the last place. */
export function find(view: View, path: string, last: 'follow' | 'keep'): Promise<Resolved> {
  if (path === '') throw new FilewrightError('not_found', 'The path is empty.')
  return view.resolve(path, { last })
}

/** As {@link find}, for what must be there. Throws `not_found`. */
export async function findPresent(view: View, path: string, last: 'follow' | 'keep'): Promise<Present> {
  const found = await find(view, path, last)
  if (!found.entry) throw new FilewrightError('not_found', `${path} does not exist.`)
  return { ...found, entry: found.entry }
}

/** As {@link find}, for a place in a directory that is there already. Throws `not_found`. */
export async function findPlace(view: View, path: string, last: 'follow' | 'keep'): Promise<Resolved> {
  const found = await find(view, path, last)
  if (found.missingParents.length > 0) throw new FilewrightError('not_found', `The directory of ${path} does not exist.`)
  return found
}

/** Throws unless it is a regular file. */
export function requireFile({ entry, given }: Present): void {
  if (entry.kind === 'directory') throw new FilewrightError('is_directory', `${given} is a directory.`)
  if (entry.kind !== 'file') throw new FilewrightError('not_regular', `${given} is not a regular file.`)
}

/** Throws unless it is a directory. */
export function requireDirectory({ entry, given }: Present): void {
  if (entry.kind !== 'directory') throw new FilewrightError('not_directory', `${given} is not a directory.`)
}

/** What is already there where something new should be. */
export function exists(given: string): FilewrightError {
  return refusal('already_exists', 'EEXIST', `${given} exists already.`)
}

/** A directory that should be empty. */
export function notEmpty(given: string): FilewrightError {
  return refusal('conflict', 'ENOTEMPTY', `${given} is not empty.`)
}
