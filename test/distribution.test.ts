/** What is handed to registries and clients: `server.json`, the `.mcpb` bundle, and the configurations of README. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { SETTINGS } from '../src/cli/settings.ts'

const ROOT = join(import.meta.dirname, '..')
const LONG = 240_000
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const PACKAGE = JSON.parse(read('package.json'))

/** Throws unless these are arguments of `filewright mcp`: its flags, each with a value. */
function expectArguments([command, ...flags]: readonly string[]): void {
  expect(command).toBe('mcp')
  for (let i = 0; i < flags.length; i += 2) {
    const row = SETTINGS.find(({ name }) => `--${name}` === flags[i])
    expect(row?.command ?? 'mcp', flags[i]).toBe('mcp')
    expect(row?.kind, flags[i]).toBeOneOf(['path', 'text', 'list', 'choice', 'number', 'size'])
    expect(flags[i + 1], flags[i]).toBeTypeOf('string')
  }
}

describe('server.json', () => {
  const argument = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('positional'), value: z.string() }),
    z.strictObject({
      type: z.literal('named'),
      name: z.string(),
      description: z.string(),
      format: z.enum(['string', 'number', 'boolean', 'filepath']),
      isRequired: z.boolean().optional(),
      choices: z.array(z.string()).optional(),
    }),
  ])
  /** The rules of the registry's schema of 2025-12-11 for the members that we use; it is strict where that is not. */
  const rules = z.strictObject({
    $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
    name: z
      .string()
      .min(3)
      .max(200)
      .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
    title: z.string().min(1).max(100),
    description: z.string().min(1).max(100),
    version: z.string().regex(/^[0-9]+\.[0-9]+\.[0-9]+$/),
    packages: z.array(
      z.strictObject({
        registryType: z.literal('npm'),
        identifier: z.string(),
        version: z.string(),
        runtimeHint: z.literal('npx'),
        transport: z.strictObject({ type: z.literal('stdio') }),
        packageArguments: z.array(argument),
      }),
    ),
  })
  const server = rules.parse(JSON.parse(read('server.json')))

  test('says what package.json says', () => {
    const { mcpName, version, description, name } = PACKAGE
    expect(server).toMatchObject({ name: mcpName, version, description, packages: [{ identifier: name, version }] })
  })

  test('names flags that there are', () => {
    for (const { packageArguments } of server.packages) {
      expectArguments(packageArguments.flatMap((one) => (one.type === 'positional' ? [one.value] : [one.name, 'value'])))
      for (const one of packageArguments) {
        if (one.type === 'positional') continue
        const { name, choices, format } = one
        const row = SETTINGS.find((setting) => `--${setting.name}` === name)
        expect([choices, format]).toEqual([row?.choices, row?.kind === 'path' ? 'filepath' : 'string'])
      }
    }
  })
})

describe('the configurations of README', () => {
  const section = read('README.md').split('## In your client\n')[1]?.split('\n## ')[0] ?? ''
  const blocks = [...section.matchAll(/```(json|toml)\n([\s\S]*?)```/g)].map(([, kind, text]) => [kind, text] as [string, string])

  /** A server's entry, out of whatever stands around it. */
  function entryOf(kind: string, text: string): { command?: string; args?: string[]; url?: string; headers?: object } {
    if (kind === 'json') {
      const [servers] = Object.values(JSON.parse(text)) as { filewright: object }[]
      return servers?.filewright ?? {}
    }
    const [table, ...lines] = text.trim().split('\n')
    expect(table).toBe('[mcp_servers.filewright]')
    // Texts and lists of texts are written alike in JSON and in TOML.
    return JSON.parse(`{${lines.map((line) => line.replace(/^(\w+) = /, '"$1": ')).join(',')}}`)
  }

  test('there is one for each form, and one for HTTP', () => {
    const forms = [...section.matchAll(/^\|.*\| ([0-9]) \|$/gm)].map((row) => Number(row[1]))
    expect(new Set(forms).size).toBe(blocks.length - 1)
  })

  test.each(blocks)('%s %s', (kind, text) => {
    const { command, args = [], url, headers } = entryOf(kind, text)
    if (url !== undefined) {
      expect(new URL(url).pathname).toBe('/mcp')
      expect(headers).toEqual({ Authorization: 'Bearer TOKEN' })
      return
    }
    expect(command).toBe(Object.keys(PACKAGE.bin)[0])
    expectArguments(args)
  })
})

describe('the .mcpb bundle', () => {
  let folder: string
  let unpacked: string
  const mcpb = (...args: string[]) => execFileSync('mcpb', args, { encoding: 'utf8', stdio: 'pipe' })
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'filewright-bundle-'))
    const file = join(folder, 'filewright.mcpb')
    execFileSync('npm', ['run', '--silent', 'bundle:mcpb', '--', file], { cwd: ROOT, stdio: 'pipe' })
    expect(mcpb('info', file)).toContain('filewright.mcpb')
    unpacked = join(folder, 'unpacked')
    mcpb('unpack', file, unpacked)
  }, LONG)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('holds the program, its licences and a sound manifest, and nothing else', () => {
    expect(readdirSync(unpacked).sort()).toEqual(['LICENSE', 'manifest.json', 'package.json', 'server'])
    expect(readdirSync(join(unpacked, 'server')).sort()).toEqual(['cli', 'cli.js'])
    expect(readFileSync(join(unpacked, 'server/cli/THIRD_PARTY_LICENCES.txt'), 'utf8')).toContain('@modelcontextprotocol/server')
    mcpb('validate', join(unpacked, 'manifest.json'))
    const { version, name } = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))
    expect({ version, name }).toEqual({ version: PACKAGE.version, name: PACKAGE.name })
  })

  test('starts as its manifest says, in the folder that the person chose', { timeout: LONG }, async () => {
    const work = mkdtempSync(join(folder, 'work-'))
    writeFileSync(join(work, 'a.txt'), 'one\n')
    const { server } = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))
    const { command, args } = server.mcp_config as { command: string; args: string[] }
    const filled = args.map((text) => text.replace(/^\$\{__dirname\}/, unpacked).replace(/^\$\{user_config\.folder\}$/, work))
    expectArguments(args.slice(1))
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StdioClientTransport({ command, args: filled, cwd: folder }))
    expect(client.getServerVersion()).toMatchObject({ name: 'filewright', version: PACKAGE.version })
    const { tools } = await client.listTools()
    expect(tools.length).toBeGreaterThan(0)
    const { resources } = await client.listResources()
    expect(JSON.stringify(resources)).toContain('a.txt')
    await client.close()
  })
})
