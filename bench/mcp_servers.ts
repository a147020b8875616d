/** The MCP servers that are measured: how each is started, and how it is asked for the same work. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerCommand, ToolAnswer } from './mcp_client.ts'

/** A call of a tool. */
export type Call = readonly [tool: string, args: object]

/** One server. Paths are absolute. */
export interface McpServer {
  readonly name: string
  /** A call takes it about a second: it is sent no more than eight. */
  readonly slow?: true
  start(root: string, durability?: 'power' | 'process'): ServerCommand
  read(path: string): Call
  /** The file's text as the answer to a read gives it. */
  text(answer: ToolAnswer): string
  edit(path: string, before: string, after: string): Call
  /** Every file below `root` that a pattern fits; null where there is no such tool. */
  glob(root: string, pattern: string): Call | null
}

const CHECKOUT = join(import.meta.dirname, '..')
const DESKTOP_COMMANDER = '@wonderwhy-er/desktop-commander'
const DESKTOP_COMMANDER_VERSION = '0.2.52'

const firstText = ({ content }: ToolAnswer): string => content[0]?.text ?? ''

/** What the reference server and its stand-in share. */
const referenceTools = {
  read: (path: string): Call => ['read_text_file', { path }],
  text: firstText,
  edit: (path: string, oldText: string, newText: string): Call => ['edit_file', { path, edits: [{ oldText, newText }] }],
  glob: (path: string, pattern: string): Call => ['search_files', { path, pattern }],
}

/** The command that `npm run build` made, as a user runs it. */
function product(profile: string, root: string, durability: 'power' | 'process' = 'power'): ServerCommand {
  const cli = process.env.BENCH_CLI ?? join(CHECKOUT, 'dist/cli.js')
  return { file: process.execPath, args: [cli, 'mcp', '--root', root, '--profile', profile, '--durability', durability] }
}

/** The product in the reference server's place. */
export const standIn: McpServer = {
  name: 'mcp-filesystem',
  start: (root, durability) => product('mcp-filesystem', root, durability),
  ...referenceTools,
}

/** The product's own small set of tools. */
export const native: Pick<McpServer, 'name' | 'start'> = {
  name: 'native',
  start: (root, durability) => product('native', root, durability),
}

/** The reference server; `folder` is where it is installed in `node_modules`. */
export function reference(folder: string, name: string): McpServer {
  const script = join(CHECKOUT, 'node_modules', folder, 'dist/index.js')
  return { name, start: (root) => ({ file: process.execPath, args: [script, root] }), ...referenceTools }
}

/** Desktop Commander, installed into `folder` unless it is there; or why it cannot be had. `home` takes its settings. */
export function desktopCommander(folder: string, home: string, roots: readonly string[]): McpServer | string {
  const script = join(folder, 'node_modules', DESKTOP_COMMANDER, 'dist/index.js')
  if (!existsSync(script)) {
    mkdirSync(folder, { recursive: true })
    const wanted = `${DESKTOP_COMMANDER}@${DESKTOP_COMMANDER_VERSION}`
    // Without scripts: one of them downloads a browser.
    const flags = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']
    if (spawnSync('npm', ['install', ...flags, wanted], { cwd: folder }).status !== 0) return `${wanted} cannot be installed`
  }
  const settings = join(home, '.claude-server-commander')
  mkdirSync(settings, { recursive: true })
  writeFileSync(join(settings, 'config.json'), JSON.stringify({ telemetryEnabled: false, allowedDirectories: roots }))
  return {
    name: 'Desktop Commander',
    slow: true,
    start: () => ({ file: process.execPath, args: [script, '--no-onboarding'], env: { HOME: home } }),
    read: (path) => ['read_file', { path, length: 1_000_000 }],
    // A line about the window stands first.
    text: (answer) => firstText(answer).replace(/^\[Reading .*\n\n/, ''),
    edit: (file_path, old_string, new_string) => ['edit_block', { file_path, old_string, new_string }],
    glob: () => null,
  }
}
