/** The programs of README's section about testing and of docs/testing.md run as they stand. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const README =
  readFileSync(join(ROOT, 'README.md'), 'utf8').split('## Test an agent against a repository in memory\n')[1]?.split('\n## ')[0] ?? ''
const DOCS = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8')

const ENTRIES: { readonly [name: string]: string } = {
  filewright: 'index.ts',
  'filewright/node-fs': 'library/as_node_fs.ts',
  'filewright/testing': 'testing/index.ts',
  'filewright/testing/node': 'testing/node.ts',
}

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] as string)
}

/** Runs a program from a folder in which the packages of this one are installed. */
async function run(program: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'filewright-docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const file = join(folder, 'program.mjs')
  const source = (name: string): string => JSON.stringify(pathToFileURL(join(ROOT, 'src', ENTRIES[name] as string)).href)
  writeFileSync(
    file,
    program.replace(/(?<=from )'(filewright[^']*)'/g, (_, name: string) => source(name)),
  )
  return (await promisify(execFile)(process.execPath, ['--no-warnings', file], { cwd: folder })).stdout
}

test('README: the program', async () => {
  const [program] = blocks(README, 'ts')
  expect(await run(program as string)).toMatch(
    /^diff --git a\/package\.json b\/package\.json\n[\s\S]*\n- {2}"version": ".*",\n\+ {2}"version": "5\.0\.0",\n/,
  )
})

test('README: the evaluation', async () => {
  const lines = (blocks(README, 'sh')[0] as string).trim().split('\n')
  expect(lines).toHaveLength(2)
  for (const line of lines) {
    // From the sources, since nothing is built yet; and with the Node that runs the tests.
    const [program, ...args] = line.match(/"[^"]*"|\S+/g) as string[]
    expect(program).toBe('node')
    const words = args.map((word) =>
      word
        .replace(/"/g, '')
        .replace(/^node /, `'${process.execPath}' `)
        .replace('dist/cli.js', 'src/cli/main.ts'),
    )
    const ended = await promisify(execFile)(process.execPath, words, { cwd: ROOT }).catch((error) => error)
    expect(ended).toMatchObject({ code: 5, stdout: expect.stringContaining('8 of 10 passed') })
  }
})

describe('docs/testing.md', () => {
  const programs = blocks(DOCS, 'ts').map(
    (program) => [/from 'filewright[^\n]*\n(?:import[^\n]*\n)*\n?(.*)/.exec(program)?.[1] ?? program, program] as const,
  )
  const printed: readonly (RegExp | null)[] = [
    /^\d+ Rename floatSafeRemainder\.\n\nfunction\n$/,
    // The matchers have tests of their own: they need the runner.
    null,
    /# pass 1\n|ℹ pass 1\n/,
    /^edit true\n$/,
    /^no_space\n$/,
    /two +yes +1 +a\.txt/,
    /^1 \[ 'a\.txt' \]\n$/,
  ]

  test('every program is told what it prints', () => {
    expect(programs).toHaveLength(printed.length)
  })

  test.each(programs.map(([name, program], at) => [name, program, printed[at] as RegExp | null] as const))(
    '%s',
    async (_, program, output) => {
      if (output === null) expect(program).toContain(`import 'filewright/testing/vitest'`)
      else expect(await run(program)).toMatch(output)
    },
  )
})
