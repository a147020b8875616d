/** Plays a case: on a folder or another storage, in this process or with the command as a process of its own, always over MCP. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Command } from 'commander'
import { readSettings } from '../../src/cli/config.ts'
import { mcpOptions } from '../../src/cli/mcp_options.ts'
import { createOutput } from '../../src/cli/output.ts'
import { withWorkspace } from '../../src/cli/session.ts'
import { addSettings } from '../../src/cli/settings.ts'
import { createMcpFactory } from '../../src/mcp/index.ts'
import { MAIN } from '../cli/command.ts'
import { connect } from '../mcp/connection.ts'
import type { Case, CaseCall } from './cases.ts'
import { filledIn, mismatches } from './matching.ts'
import { differences, plant } from './trees.ts'

/** Where a case is played. */
export type Stage = 'here' | 'stdio'

/** Runs `use` with a client of the server that the flags describe. */
type Serve = (flags: readonly string[], use: (client: Client) => Promise<void>) => Promise<void>

const SILENT = { stdout: { write: () => true }, stderr: { write: () => true } }

/** A folder is used as it is; any other storage is filled from it, and written out when the server ends. */
export async function play(played: Case, storage: string, stage: Stage): Promise<string[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'filewright-case-')))
  const [root, exported] = [join(base, played.root ?? 'ws'), join(base, 'exported')]
  try {
    mkdirSync(root)
    plant(root, played.files)
    plant(base, played.beside)
    const given = filledIn(played.flags ?? [], [], root) as readonly string[]
    const places =
      storage === 'node' ? ['--root', root, '--durability', 'process'] : ['--fs', storage, '--seed', root, '--export', exported]
    const db = storage === 'sqlite' ? ['--db', join(base, 'workspace.db')] : []
    const flags = ['--profile', played.profile ?? 'fileops', ...places, ...db, ...given]
    const problems: string[] = []
    await SERVERS[stage](flags, async (client) => {
      // From here on the client checks each structured result against the schema that is listed for it.
      await client.listTools()
      problems.push(...(await playCalls(client, played.calls, root, storage === 'node' ? root : '')))
    })
    problems.push(...differences(storage === 'node' ? root : exported, played.after))
    if (storage === 'node') problems.push(...differences(base, played.besideAfter))
    return problems
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

const SERVERS: { readonly [stage in Stage]: Serve } = {
  async here(flags, use) {
    const settings = readSettings(
      addSettings(new Command())
        .parse([...flags], { from: 'user' })
        .opts(),
    )
    await withWorkspace(settings, createOutput(SILENT, false), async (workspace) => {
      const client = await connect(createMcpFactory(workspace, mcpOptions(settings)), '2025')
      await use(client).finally(() => client.close())
    })
  },
  async stdio(flags, use) {
    const client = new Client({ name: 'check', version: '1' })
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', ...flags], stderr: 'ignore' }))
    await use(client).finally(() => client.close())
  },
}

async function playCalls(client: Client, calls: readonly CaseCall[], folder: string, root: string): Promise<string[]> {
  const results: unknown[] = []
  const problems: string[] = []
  for (const [index, call] of calls.entries()) {
    if (call.plant) plant(folder, call.plant)
    const answer = call.plant ? { result: {}, text: '', isError: false } : await answerTo(client, call, results, root)
    results.push(answer.result)
    const at = `call ${index} (${call.tool ?? 'list'})`
    if (call.isError !== undefined && answer.isError !== call.isError) problems.push(`${at}: isError is ${answer.isError}: ${answer.text}`)
    if (answer.protocolError && !call.protocolError) problems.push(`${at}: protocol error ${answer.text}`)
    if (call.expect !== undefined) problems.push(...mismatches(filledIn(call.expect, results, root), answer.result, at))
    if (call.text !== undefined) problems.push(...mismatches(filledIn(call.text, results, root), answer.text, `${at} text`))
  }
  return problems
}

interface Answer {
  /** The structured result, else the text as JSON, else the text. */
  readonly result: unknown
  readonly text: string
  readonly isError: boolean
  readonly protocolError?: true
}

async function answerTo(client: Client, { tool, args = {}, list }: CaseCall, results: readonly unknown[], root: string): Promise<Answer> {
  try {
    if (list) return { result: await client.listTools(), text: '', isError: false }
    const sent = { name: tool as string, arguments: filledIn(args, results, root) as { [name: string]: unknown } }
    const { structuredContent, content, isError = false } = await client.callTool(sent)
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
    return { result: structuredContent ?? parsed(text), text, isError }
  } catch (error) {
    const { message, code } = error as { readonly message: string; readonly code?: unknown }
    return { result: { error: message, code }, text: message, isError: true, protocolError: true }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return { text }
  }
}
