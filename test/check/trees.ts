/** Trees of files on disk: planted before a case, compared after it. */
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  type Stats,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { FileSpec, Tree } from './cases.ts'

/** The bytes that a spec stands for. */
export function bytesOf(spec: FileSpec): Buffer {
  if (spec === null) return Buffer.alloc(0)
  if (typeof spec === 'string') return Buffer.from(spec)
  const { text = '', base64, repeat, lines, tail } = spec
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  if (repeat) return Buffer.from(repeat[0].repeat(repeat[1]) + (tail ?? ''))
  if (lines === undefined) return Buffer.from(text)
  return Buffer.from(Array.from({ length: lines }, (_, index) => `line ${index + 1}`).join('\n') + (tail ?? '\n'))
}

/** Makes what the tree tells, below a folder that exists. */
export function plant(folder: string, tree: Tree = {}): void {
  for (const [name, spec] of Object.entries(tree)) {
    const path = join(folder, name)
    const { symlink, hardlink, mode, mtime } = spec === null || typeof spec === 'string' ? ({} as Exclude<FileSpec, string | null>) : spec
    if (name.endsWith('/')) mkdirSync(path, { recursive: true })
    else {
      mkdirSync(dirname(path), { recursive: true })
      if (symlink !== undefined) symlinkSync(symlink, path)
      else if (hardlink !== undefined) linkSync(join(folder, hardlink), path)
      else writeFileSync(path, bytesOf(spec))
    }
    if (mode !== undefined) chmodSync(path, Number.parseInt(mode, 8))
    if (mtime !== undefined) utimesSync(path, mtime, mtime)
  }
}

/** How a folder differs from what a tree tells. */
export function differences(folder: string, tree: Tree = {}): string[] {
  return Object.entries(tree).flatMap(([name, spec]) => {
    const problem = difference(join(folder, name), name.endsWith('/'), spec)
    return problem === null ? [] : [`${name} ${problem}`]
  })
}

function difference(path: string, isDirectory: boolean, spec: FileSpec): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (spec === null) return stats ? 'is there' : null
  if (!stats) return 'is not there'
  if (isDirectory) return stats.isDirectory() ? null : 'is no directory'
  if (typeof spec === 'object' && spec.symlink !== undefined) {
    return stats.isSymbolicLink() && readlinkSync(path) === spec.symlink ? null : `is no link to ${spec.symlink}`
  }
  return stats.isFile() ? fileDifference(path, stats, spec) : 'is no file'
}

function fileDifference(path: string, stats: Stats, spec: Exclude<FileSpec, null>): string | null {
  const { mode, exists, match } = typeof spec === 'string' ? ({} as Exclude<FileSpec, string | null>) : spec
  const bits = (stats.mode & 0o7777).toString(8)
  if (mode !== undefined && Number.parseInt(mode, 8) !== (stats.mode & 0o7777)) return `has the mode ${bits}`
  if (exists) return null
  const held = readFileSync(path)
  if (match !== undefined) return new RegExp(match, 's').test(held.toString()) ? null : `does not match ${match}`
  return held.equals(bytesOf(spec)) ? null : `holds ${JSON.stringify(held.toString().slice(0, 200))}`
}
