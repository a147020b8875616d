/** Short ways to say what a test stores and reads, on any storage. */
import type { Change, Content, Expect } from '../core/change.ts'
import type { Entry, FileSystem, KeptContent, Reader, ScanOptions } from '../core/file_system.ts'
import type { Hash } from '../core/hash.ts'
import { createIds } from '../core/id.ts'
import type { Path } from '../core/path.ts'
import { readAll } from '../core/read.ts'
import type { JournalRecord, RecordDraft } from '../core/record.ts'
import { check } from './assert.ts'

const newId = createIds(Date.now)

/** A canonical path, as it stands. */
export function at(path: string): Path {
  return path as Path
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Bytes that differ everywhere, so that a misplaced chunk shows. */
export function pattern(size: number, seed: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(size / 4))
  let state = seed
  for (let i = 0; i < words.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    words[i] = state
  }
  return new Uint8Array(words.buffer, 0, size)
}

/** A draft with an id of its own. */
export function draft(parts: Partial<RecordDraft> = {}): RecordDraft {
  return { id: newId(), time: new Date().toISOString(), kind: 'call', subject: 'conformance', tool: 'test', call: null, ...parts }
}

/** Content that travels inside its change. */
export function inline(fs: FileSystem, body: string | Uint8Array): Content {
  const bytes = typeof body === 'string' ? utf8(body) : body
  return { hash: fs.hasher.hash(bytes), size: bytes.length, bytes }
}

export function write(fs: FileSystem, path: string, body: string | Uint8Array, expect: Expect = 'absent'): Change & { kind: 'write' } {
  return { kind: 'write', path: at(path), content: inline(fs, body), expect }
}

export function makeDirectory(path: string): Change & { kind: 'makeDirectory' } {
  return { kind: 'makeDirectory', path: at(path) }
}

export function link(path: string, target: string, expect: Expect = 'absent'): Change & { kind: 'link' } {
  return { kind: 'link', path: at(path), target, expect }
}

export function remove(path: string, expect: Expect): Change & { kind: 'remove' } {
  return { kind: 'remove', path: at(path), expect }
}

export function move(path: string, to: string, expect: Expect): Change & { kind: 'move' } {
  return { kind: 'move', path: at(path), to: at(to), expect }
}

export function copy(from: string, path: string, source: Expect, expect: Expect = 'absent'): Change & { kind: 'copy' } {
  return { kind: 'copy', path: at(path), from: at(from), source, expect }
}

/** A snapshot, under an id of its own. */
export function backUp(path: string, expect: Expect): Change & { kind: 'snapshot' } {
  return { kind: 'snapshot', path: at(path), expect, keep: { id: newId() } }
}

/** The expectation of one content. */
export function hashOf(fs: FileSystem, body: string | Uint8Array): { readonly hash: Hash } {
  return { hash: inline(fs, body).hash }
}

export function commit(fs: FileSystem, ...changes: Change[]): Promise<JournalRecord> {
  return fs.commit(changes, draft())
}

/** Creates a tree: a text is a file, null a directory, `{link}` a link. Parents are listed before what is in them. */
export function plant(
  fs: FileSystem,
  tree: { readonly [path: string]: string | null | { readonly link: string } },
): Promise<JournalRecord> {
  const changes = Object.entries(tree).map(([path, what]) =>
    what === null ? makeDirectory(path) : typeof what === 'string' ? write(fs, path, what) : link(path, what.link),
  )
  return commit(fs, ...changes)
}

export async function bytesOf(reader: Reader): Promise<Uint8Array> {
  try {
    return await readAll(reader, Number.MAX_SAFE_INTEGER, 'a file')
  } finally {
    await reader.close()
  }
}

export async function readBytes(fs: FileSystem, path: string): Promise<Uint8Array> {
  return bytesOf(await fs.open(at(path)))
}

export async function readText(fs: FileSystem, path: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(fs, path))
}

/** Every entry of a scan. No page may be empty. */
export async function scanAll(fs: FileSystem, dir: string, options?: ScanOptions): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const page of fs.scan(at(dir), options)) {
    check(page.length > 0, 'a page of a scan is empty')
    entries.push(...page)
  }
  return entries
}

export async function scanPaths(fs: FileSystem, dir: string, options?: ScanOptions): Promise<string[]> {
  return (await scanAll(fs, dir, options)).map((entry) => entry.path)
}

export async function listNames(fs: FileSystem, dir: string): Promise<string[]> {
  const prefix = dir === '' ? 0 : dir.length + 1
  return (await fs.list(at(dir))).map((entry) => entry.path.slice(prefix))
}

/** What history holds, in the order of hashes. No page may be empty, and nothing is there twice. */
export async function keptContents(fs: FileSystem): Promise<KeptContent[]> {
  const kept: KeptContent[] = []
  for await (const page of fs.contents()) {
    check(page.length > 0, 'a page of contents is empty')
    kept.push(...page)
  }
  check(new Set(kept.map(({ hash }) => hash)).size === kept.length, 'a content is told twice')
  return kept.map(({ hash, size }) => ({ hash, size })).sort((a, b) => compareBytes(a.hash, b.hash))
}

export async function objectBytes(fs: FileSystem, hash: Hash): Promise<Uint8Array> {
  return bytesOf(await fs.object(hash))
}

export async function objectText(fs: FileSystem, hash: Hash): Promise<string> {
  return new TextDecoder().decode(await objectBytes(fs, hash))
}

/** Byte order of UTF-8, the slow and plain way. */
export function compareBytes(a: string, b: string): number {
  const x = utf8(a)
  const y = utf8(b)
  for (let i = 0; i < x.length && i < y.length; i++) if (x[i] !== y[i]) return (x[i] as number) - (y[i] as number)
  return x.length - y.length
}

/** All records, oldest first, by pages. */
export async function allRecords(fs: FileSystem): Promise<JournalRecord[]> {
  const records: JournalRecord[] = []
  for (let before = Number.MAX_SAFE_INTEGER; before > 1; ) {
    const page = await fs.records({ before })
    for (const record of page) {
      check(record.sequence < before, `records come newest first, got ${record.sequence} before ${before}`)
      before = record.sequence
    }
    if (page.length === 0) break
    records.push(...page)
  }
  return records.reverse()
}
