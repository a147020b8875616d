/** A workspace with files in it, in memory if nothing else is asked for, for the tests of single tools. */
import { z } from 'zod'
import type { Change } from '../../src/core/change.ts'
import { isFilewrightError } from '../../src/core/errors.ts'
import type { Entry, FileSystem } from '../../src/core/file_system.ts'
import type { Path } from '../../src/core/path.ts'
import { readAll } from '../../src/core/read.ts'
import { createMemoryFs, type MemoryFsOptions } from '../../src/fs/memory.ts'
import { TOOLS } from '../../src/tools/index.ts'
import type { Tool } from '../../src/tools/tool.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { OperatorSettings, Workspace } from '../../src/workspace/workspace.ts'

/** What is planted at a path: text, bytes, a link, or a directory; a file may have a mode. */
export type Planted =
  | string
  | Uint8Array
  | { readonly link: string }
  | { readonly directory: true }
  | { readonly text: string; readonly mode: number }

/** What a call came to: the structured result, `error` as its code alone. */
export interface Outcome {
  readonly result: { readonly [key: string]: unknown }
  readonly text: string
  readonly code: string | null
  readonly field: string | undefined
}

/** A workspace under test. */
export interface Fixture {
  readonly workspace: Workspace
  readonly fs: FileSystem
  call(tool: string, args: object): Promise<Outcome>
  /** Text at a path; null when no file is there. */
  read(path: string): Promise<string | null>
  bytes(path: string): Promise<Uint8Array>
  stat(path: string): Promise<Entry | null>
  /** Every path there is. */
  paths(): Promise<string[]>
  /** A path as results tell it. */
  at(path: string): string
}

/** Options of {@link workspaceWith}. */
export interface FixtureOptions {
  readonly settings?: OperatorSettings
  readonly fs?: MemoryFsOptions
  /** Another storage than memory. */
  readonly storage?: () => Promise<FileSystem>
  /** Stands between the workspace and its storage. */
  readonly over?: (fs: FileSystem) => FileSystem
}

/** Opens a workspace that holds `files`. Every result is checked against the schema of its tool. */
export async function workspaceWith(files: { readonly [path: string]: Planted }, options: FixtureOptions = {}): Promise<Fixture> {
  const storage = (await options.storage?.()) ?? createMemoryFs(options.fs)
  await plant(storage, files)
  const fs = options.over?.(storage) ?? storage
  const workspace = await openWorkspace({ profile: 'fileops', fs, ...(options.settings && { settings: options.settings }) })
  async function stat(path: string): Promise<Entry | null> {
    try {
      return await fs.stat(path as Path)
    } catch (error) {
      if (isFilewrightError(error, 'not_found')) return null
      throw error
    }
  }
  async function bytes(path: string): Promise<Uint8Array> {
    return readAll(await fs.open(path as Path), Number.MAX_SAFE_INTEGER, path)
  }
  return {
    workspace,
    fs,
    stat,
    bytes,
    async call(tool, args) {
      const bound = workspace.tools().some((one) => one.tool.name === tool)
      // What only the hub offers is run as a surface would run it.
      const { result, text, error } = bound ? await workspace.call(tool, args) : await workspace.run(toolNamed(tool), args)
      checkResult(workspace, tool, result)
      return { result, text, code: error?.code ?? null, field: error?.field }
    },
    read: async (path) =>
      (await stat(path))?.kind === 'file' ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(await bytes(path)) : null,
    at: (path) => `${fs.traits.root}/${path}`,
    async paths() {
      const found: string[] = []
      for await (const page of fs.scan('' as Path)) found.push(...page.map((entry) => entry.path))
      return found
    },
  }
}

function toolNamed(name: string): Tool {
  const tool = Object.values(TOOLS).find((one) => one.name === name)
  if (!tool) throw new Error(`There is no tool ${name}.`)
  return tool
}

/** A success has what the schema names and nothing else; a failure has all of that, emptied, and `error`. */
function checkResult(workspace: Workspace, name: string, result: object): void {
  const output = (workspace.tools().find(({ tool }) => tool.name === name)?.tool ?? toolNamed(name)).output
  if (!(output instanceof z.ZodObject)) throw new Error(`${name} has no schema of its result.`)
  if ('error' in result) output.parse(result)
  else output.strict().parse(result)
}

/** Puts files into a storage, in one commit of their own. */
export async function plant(fs: FileSystem, files: { readonly [path: string]: Planted }): Promise<void> {
  const made = new Set<string>()
  const changes: Change[] = []
  for (const [path, planted] of Object.entries(files)) {
    const names = path.split('/')
    const isDirectory = typeof planted === 'object' && 'directory' in planted
    for (let depth = 1; depth < names.length + (isDirectory ? 1 : 0); depth++) {
      const dir = names.slice(0, depth).join('/')
      if (!made.has(dir)) changes.push({ kind: 'makeDirectory', path: dir as Path })
      made.add(dir)
    }
    if (!isDirectory) changes.push(changeFor(fs, path as Path, planted as Exclude<Planted, { directory: true }>))
  }
  if (changes.length === 0) return
  const draft = {
    id: '20250101T000000000Z-00000000',
    time: '2025-01-01T00:00:00.000Z',
    kind: 'import',
    subject: 'test',
    tool: 'import',
    call: null,
  } as const
  await fs.commit(changes, draft)
}

function changeFor(fs: FileSystem, path: Path, planted: Exclude<Planted, { directory: true }>): Change {
  if (typeof planted === 'object' && 'link' in planted) return { kind: 'link', path, target: planted.link, expect: 'absent' }
  const bytes = planted instanceof Uint8Array ? planted : new TextEncoder().encode(typeof planted === 'string' ? planted : planted.text)
  const content = { hash: fs.hasher.hash(bytes), size: bytes.length, bytes }
  const mode = typeof planted === 'object' && 'mode' in planted ? { mode: planted.mode } : {}
  return { kind: 'write', path, content, expect: 'absent', ...mode }
}

/** SHA-256 of a text, as results tell it. */
export function sha(fs: FileSystem, text: string): string {
  return fs.hasher.hash(new TextEncoder().encode(text))
}
