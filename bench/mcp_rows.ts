/** Rows 40 to 45: the MCP server on standard input and output, beside other file servers. Both are processes of their own. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { connect, type McpClient } from './mcp_client.ts'
import { type Call, desktopCommander, type McpServer, native, reference, standIn } from './mcp_servers.ts'
import { elapsed, type LeftOut, mustAgree, type Row, type Run } from './measure.ts'
import type { RowParts } from './row_parts.ts'

const SMALL_BYTES = 4096
const LARGE_BYTES = 1024 * 1024
const IN_FLIGHT = 8
/** What the glob looks for: a few hundred of the repository's files. */
const PATTERN = '**/*handler*.ts'
/** Time for a server to come to rest. */
const REST_MS = 300

/** What is compared: an anchor, how high its ratios may be, and which servers stand beside it. */
interface Comparison {
  readonly anchor: McpServer
  /** The rows only inform unless they are the gates of the reference server. */
  readonly gated: boolean
}

export async function mcpRows({ corpus, scratch, closing }: RowParts): Promise<(Row | LeftOut)[]> {
  const root = join(scratch, 'mcp')
  mkdirSync(root)
  const source = readFileSync(corpus.edit).subarray(0, LARGE_BYTES)
  writeFileSync(join(root, 'small.ts'), source.subarray(0, SMALL_BYTES))
  writeFileSync(join(root, 'large.ts'), source)
  const other = desktopCommander(join(scratch, '../desktop-commander'), join(scratch, 'home'), [root])
  const comparisons: Comparison[] = [
    { anchor: reference('reference-server', 'reference server 2026.8.31'), gated: true },
    { anchor: reference('reference-server-2', 'reference server 2.0.1'), gated: false },
    ...(typeof other === 'string' ? [] : [{ anchor: other, gated: false }]),
  ]
  const open = async (server: Pick<McpServer, 'start'>, at: string, durability?: 'power' | 'process'): Promise<McpClient> => {
    const client = await connect(server.start(at, durability))
    closing(client)
    return client
  }
  const rows: (Row | LeftOut)[] = []
  for (const { anchor, gated } of comparisons) {
    const gate = (most: number): number | null => (gated ? most : null)
    for (const server of [standIn, native]) rows.push(startRow(server, anchor, root, gate(0.75)), memoryRow(server, anchor, root, gate(1)))
    const sides = { anchor, theirs: await open(anchor, root), ours: await open(standIn, root, 'process') }
    rows.push(
      readRow('41', '4 KB read, eight in flight', sides, join(root, 'small.ts'), { calls: 2000, inFlight: IN_FLIGHT, gate: gate(1 / 1.5) }),
      readRow('42', '1 MB read', sides, join(root, 'large.ts'), { calls: 20, inFlight: 1, gate: gate(1 / 2) }),
      editRow('process', sides, root, source, gate(1 / 1.5)),
    )
    // To inform: the anchors promise nothing for a power cut.
    if (gated) rows.push(editRow('power', { ...sides, ours: await open(standIn, root, 'power') }, root, source, null))
    const glob = anchor.glob(corpus.repository, PATTERN)
    if (glob === null) continue
    const there = { anchor, theirs: await open(anchor, corpus.repository), ours: await open(standIn, corpus.repository) }
    rows.push(globRow(there, glob, gate(0.1)))
  }
  if (typeof other === 'string') rows.push({ number: '40', name: 'beside Desktop Commander', leftOut: other })
  return rows
}

/** From nothing to an answered `initialize`. */
function startRow(server: Pick<McpServer, 'name' | 'start'>, anchor: McpServer, root: string, gate: number | null): Row {
  const start = (one: Pick<McpServer, 'start'>): Run => {
    return async () => {
      let client: McpClient | undefined
      const seconds = await elapsed(async () => {
        client = await connect(one.start(root))
      })
      await client?.close()
      return seconds
    }
  }
  return {
    number: '40',
    name: `start to initialised (${server.name})`,
    anchorName: anchor.name,
    unit: 'ms',
    gate,
    anchor: start(anchor),
    product: start(server),
    check: () => {},
  }
}

/** What a server holds when nobody asks it for anything. */
function memoryRow(server: Pick<McpServer, 'name' | 'start'>, anchor: McpServer, root: string, gate: number | null): Row {
  const rest = (one: Pick<McpServer, 'start'>): Run => {
    return async () => {
      const client = await connect(one.start(root))
      await after(REST_MS)
      const bytes = client.residentBytes()
      await client.close()
      return bytes
    }
  }
  return {
    number: '45',
    name: `idle memory (${server.name})`,
    anchorName: anchor.name,
    unit: 'MB',
    gate,
    anchor: rest(anchor),
    product: rest(server),
    check: () => {},
    warm: 0,
  }
}

/** Both servers of a comparison, running. */
interface Sides {
  readonly anchor: McpServer
  readonly theirs: McpClient
  readonly ours: McpClient
}

function bursts(client: McpClient, calls: readonly Call[], inFlight: number): Run {
  return async () => (await elapsed(() => client.burst(calls, inFlight))) / calls.length
}

function readRow(
  number: string,
  name: string,
  { anchor, theirs, ours }: Sides,
  path: string,
  { calls, inFlight, gate }: { readonly calls: number; readonly inFlight: number; readonly gate: number | null },
): Row {
  const reads = (server: McpServer): Call[] => Array.from({ length: server.slow ? IN_FLIGHT : calls }, () => server.read(path))
  const anchorRun = bursts(theirs, reads(anchor), inFlight)
  return {
    number,
    name: `${name} (${standIn.name})`,
    anchorName: anchor.name,
    unit: 'ms',
    gate,
    anchor: anchorRun,
    product: bursts(ours, reads(standIn), inFlight),
    async check() {
      const text = readFileSync(path, 'utf8')
      for (const [client, server] of [
        [theirs, anchor],
        [ours, standIn],
      ] as const) {
        mustAgree(`${server.name}: the text`, server.text(await client.call(...server.read(path))) === text, true)
      }
      // As warm as the product.
      for (let i = 0; i < 2; i++) await anchorRun()
    },
  }
}

/** Edits of one line in the middle, one after the other. */
function editRow(
  durability: 'process' | 'power',
  { anchor, theirs, ours }: Sides,
  root: string,
  source: Uint8Array,
  gate: number | null,
): Row {
  const middle = source.indexOf(0x0a, source.length / 2) + 1
  const line = (value: number): string => `const uniqueAnchor_4711 = ${value}\n`
  const whole = (value: number): Buffer => Buffer.concat([source.subarray(0, middle), Buffer.from(line(value)), source.subarray(middle)])
  const side = (server: McpServer, client: McpClient): { run: Run; check(): void } => {
    const path = join(root, `edited by ${server.name} beside ${anchor.name}, ${durability}.ts`)
    writeFileSync(path, whole(0))
    let value = 0
    return {
      run: () => {
        const calls = Array.from({ length: 5 }, () => server.edit(path, line(value), line(++value)))
        return bursts(client, calls, 1)()
      },
      check: () => mustAgree(`${server.name}: the edited file`, readFileSync(path).equals(whole(value)), true),
    }
  }
  const [mine, other] = [side(standIn, ours), side(anchor, theirs)]
  return {
    number: '43',
    name: `edit of 1 MB, durability ${durability} (${standIn.name})`,
    anchorName: anchor.name,
    unit: 'ms',
    gate,
    anchor: other.run,
    product: mine.run,
    async check() {
      for (let i = 0; i < 2; i++) await other.run()
      mine.check()
      other.check()
    },
  }
}

function globRow({ anchor, theirs, ours }: Sides, glob: Call, gate: number | null): Row {
  const found = async (client: McpClient): Promise<string> =>
    standIn
      .text(await client.call(...glob))
      .split('\n')
      .sort()
      .join('\n')
  return {
    number: '44',
    name: `glob over 20,000 files (${standIn.name})`,
    anchorName: anchor.name,
    unit: 'ms',
    gate,
    anchor: bursts(theirs, [glob], 1),
    product: bursts(ours, [glob], 1),
    check: async () => mustAgree('Paths found', await found(ours), await found(theirs)),
  }
}
