/** The reference server and ours, each on a folder of its own with the same files: one call at a time, and what it came to. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { openNodeFs } from '../../../src/fs/node.ts'
import { createMcpFactory } from '../../../src/mcp/index.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import { connect } from '../../mcp/connection.ts'

/** What stands at a path: text, bytes, the text of a link, or a directory. */
export type Planted = string | Uint8Array | { readonly link: string } | { readonly directory: true }

/** Files by their paths. */
export interface Files {
  readonly [path: string]: Planted
}

/** One call; several at once where a case is about that. */
export interface Call {
  readonly tool: string
  args(root: string): { readonly [name: string]: unknown }
}

/** What calls came to, with the root of the folder written as `ROOT`. */
export interface Outcome {
  readonly answers: readonly Answer[]
  /** Everything in the folder afterwards. */
  readonly files: { readonly [path: string]: string }
  /** What lies beside the folder, which nothing may touch. */
  readonly beside: { readonly [path: string]: string }
}

/** One answer. */
export interface Answer {
  readonly isError: boolean
  /** The text blocks. */
  readonly text: string
  /** All other blocks. */
  readonly blocks: readonly object[]
}

/** A server under comparison. */
export interface Subject {
  tools(): Promise<Awaited<ReturnType<Client['listTools']>>['tools']>
  /** Puts the files in place of what is there, makes the calls all at once, and looks what is there then. */
  play(files: Files, calls: readonly Call[]): Promise<Outcome>
  close(): Promise<void>
}

/** Versions of the reference server, and the package that holds each. */
export const VERSIONS = { '2026.8.31': 'reference-server', '2.0.1': 'reference-server-2' } as const
export type Version = keyof typeof VERSIONS

const ROOT = 'ROOT'
/** Our own store, which no tool shows. */
const STORE = '.filewright'
const MODIFIED = new Date('2025-06-01T12:00:00Z')

/** The reference server as a program of its own. `folder` gets the root, and what lies beside it. */
export async function referenceSubject(version: Version, folder: string): Promise<Subject> {
  const root = join(folder, 'root')
  mkdirSync(root)
  const server = join(dirname(createRequire(import.meta.url).resolve(`${VERSIONS[version]}/package.json`)), 'dist', 'index.js')
  const transport = new StdioClientTransport({ command: process.execPath, args: [server, root], stderr: 'ignore' })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return {
    tools: async () => (await client.listTools()).tools,
    async play(files, calls) {
      replant(folder, files)
      return outcomeOf(folder, await Promise.all(calls.map((call) => answerOf(client, call, root))))
    },
    close: () => client.close(),
  }
}

/** Our server in this process. */
export async function ourSubject(folder: string): Promise<Subject> {
  const root = join(folder, 'root')
  mkdirSync(root)
  const fs = await openNodeFs({ root, durability: 'process' })
  const workspace = await openWorkspace({ fs, profile: 'mcp-filesystem' })
  const client = await connect(createMcpFactory(workspace), '2025')
  return {
    tools: async () => (await client.listTools()).tools,
    async play(files, calls) {
      replant(folder, files)
      return outcomeOf(folder, await Promise.all(calls.map((call) => answerOf(client, call, root))))
    },
    async close() {
      await client.close()
      await fs.close()
    },
  }
}

async function answerOf(client: Client, { tool, args }: Call, root: string): Promise<Answer> {
  const { content, isError } = await client.callTool({ name: tool, arguments: args(root) })
  const texts = content.filter((block) => block.type === 'text').map((block) => block.text)
  const blocks = content.filter(({ type }) => type !== 'text')
  const shown = (value: string): string => value.replaceAll(root, ROOT)
  return { isError: isError === true, text: shown(texts.join('\n')), blocks: JSON.parse(shown(JSON.stringify(blocks))) }
}

function outcomeOf(folder: string, answers: readonly Answer[]): Outcome {
  return { answers, files: snapshot(join(folder, 'root')), beside: snapshot(join(folder, 'outside')) }
}

/** Makes a folder hold these files and no others; what is there already stays. */
function replant(folder: string, files: Files): void {
  plant(join(folder, 'outside'), { secret: 'a secret\n' })
  plant(join(folder, 'root'), files)
}

function plant(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true })
  const there = snapshot(folder)
  const wanted = Object.keys(files)
  const removed = new Set<string>()
  const made = new Set<string>()
  for (const path of Object.keys(there)) {
    if (removed.has(dirname(path))) {
      removed.add(path)
      continue
    }
    const kept = Object.hasOwn(files, path) ? isPlanted(folder, path, there, files) : wanted.some((name) => name.startsWith(`${path}/`))
    if (kept) continue
    rmSync(join(folder, path), { recursive: true, force: true })
    removed.add(path)
  }
  for (const [path, planted] of Object.entries(files)) {
    const target = join(folder, path)
    if (Object.hasOwn(there, path) && existsSync(dirname(target)) && isPlanted(folder, path, there, files)) continue
    if (!made.has(dirname(target))) mkdirSync(dirname(target), { recursive: true })
    made.add(dirname(target))
    if (typeof planted === 'string' || planted instanceof Uint8Array) {
      writeFileSync(target, planted)
      utimesSync(target, MODIFIED, MODIFIED)
    } else if ('link' in planted) symlinkSync(planted.link, target)
    else mkdirSync(target, { recursive: true })
  }
}

/** Whether a path holds what it should, and nobody wrote it since. */
function isPlanted(folder: string, path: string, there: Snapshot, files: Files): boolean {
  const planted = files[path] as Planted
  const stats = lstatSync(join(folder, path), { throwIfNoEntry: false })
  if (!stats) return false
  if (typeof planted !== 'string' && !(planted instanceof Uint8Array)) {
    return there[path] === ('link' in planted ? `-> ${planted.link}` : 'directory')
  }
  return stats.isFile() && stats.mtimeMs === MODIFIED.getTime() && there[path] === Buffer.from(planted).toString('latin1')
}

interface Snapshot {
  readonly [path: string]: string
}

function snapshot(folder: string): Snapshot {
  const held: { [path: string]: string } = {}
  // Not Node's own recursion, which goes through links.
  const look = (dir: string): void => {
    for (const entry of readdirSync(join(folder, dir), { withFileTypes: true })) {
      const path = join(dir, entry.name)
      if (path === STORE) continue
      const target = join(folder, path)
      if (entry.isSymbolicLink()) held[path] = `-> ${readlinkSync(target)}`
      else held[path] = entry.isDirectory() ? 'directory' : readFileSync(target, 'latin1')
      if (entry.isDirectory()) look(path)
    }
  }
  look('')
  return held
}
