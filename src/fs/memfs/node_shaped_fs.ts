/** What the memfs adapter asks of an `fs`: some of the synchronous functions that Node's has. */

/** Facts of one entry, as `lstatSync` and `fstatSync` give them. */
export interface NodeShapedStats {
  readonly dev: number
  readonly ino: number
  readonly mode: number
  readonly nlink: number
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly birthtimeMs: number
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

/** A text, as long as no other encoding is asked for. */
export type NodeShapedText = string | Uint8Array

/** One child, as `readdirSync` gives it. */
export interface NodeShapedDirent {
  readonly name: NodeShapedText
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

/**
 * An object with these functions can be a workspace: a `memfs` volume, what `createFsFromVolume` makes of one, `node:fs` itself, and
 * others that keep to Node's behaviour. Every function acts at once and fails by throwing an error with Node's `code`.
 */
export interface NodeShapedFs {
  /** Where it has `O_NOFOLLOW` and `O_NONBLOCK`, a file need not be looked at before it is opened. */
  readonly constants?: { readonly [name: string]: unknown }
  lstatSync(path: string, options: { readonly throwIfNoEntry: false }): NodeShapedStats | undefined
  fstatSync(fd: number): NodeShapedStats
  /** With this option it gives no texts. */
  readdirSync(path: string, options: { readonly withFileTypes: true }): readonly (NodeShapedDirent | NodeShapedText)[]
  readlinkSync(path: string): NodeShapedText
  accessSync(path: string, mode: number): void
  openSync(path: string, flags: string | number, mode?: number): number
  readSync(fd: number, into: Uint8Array, offset: number, length: number, position: number): number
  writeSync(fd: number, bytes: Uint8Array, offset: number, length: number): number
  fchmodSync(fd: number, mode: number): void
  futimesSync(fd: number, atime: number | Date, mtime: number | Date): void
  lutimesSync(path: string, atime: number | Date, mtime: number | Date): void
  closeSync(fd: number): void
  mkdirSync(path: string, options: { readonly mode: number }): unknown
  chmodSync(path: string, mode: number): void
  rmdirSync(path: string): void
  unlinkSync(path: string): void
  symlinkSync(target: string, path: string): void
  renameSync(from: string, to: string): void
}
