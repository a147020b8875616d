/** Calls as rows make them. */
import { readFileSync } from 'node:fs'
import type { Workspace } from '../src/workspace/workspace.ts'

/** The largest budgets of a search, so that nothing is cut but what a row wants cut. */
export const WHOLE_SEARCH = { max_scanned_files: 1_000_000, max_scanned_bytes: 1e10, timeout_ms: 30_000 } as const

/** Calls a tool. Throws when it fails: failures are not measured. */
export async function call(workspace: Workspace, tool: string, args: object): Promise<{ readonly [key: string]: unknown }> {
  const { result, error } = await workspace.call(tool, args)
  if (error) throw new Error(`${tool}: ${error.message}`)
  return result
}

/** The text of a view without its line numbers. */
export function withoutNumbers(content: unknown): string {
  return String(content).replace(/^ *\d+\t/gm, '')
}

/** Lines in a file. */
export function linesIn(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length - 1
}
