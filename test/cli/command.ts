/** Runs the `filewright` command from source, as a process of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The command's own source, which Node runs as it is. */
export const MAIN: string = join(import.meta.dirname, '../../src/cli/main.ts')
/** Compiled code is kept between the many starts. */
export const CACHE: string = join(import.meta.dirname, '../../node_modules/.cache/filewright-command')

/** How a command ended. */
export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts a command; nothing of the environment that would change what it prints is passed on. */
export function start(
  args: readonly string[],
  { env: more, ...options }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): ChildProcessWithoutNullStreams {
  const { NO_COLOR: _, FORCE_COLOR: __, ...env } = process.env
  return spawn(process.execPath, [MAIN, ...args], { ...options, env: { ...env, NODE_COMPILE_CACHE: CACHE, ...more } })
}

/** Runs a command to its end. */
export function run(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): Promise<Ended> {
  const child = start(args, options)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, stdout, stderr }))
  })
}

/** A folder that is removed with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'filewright-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
