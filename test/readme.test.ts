/** README is true: its program runs, and its tables name what there is. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOutput } from '../src/cli/output.ts'
import { createProgram } from '../src/cli/program.ts'
import { SETTINGS } from '../src/cli/settings.ts'
import { DEFAULT_PROFILE, PROFILE_NAMES, profileNamed } from '../src/profiles/index.ts'

const ROOT = join(import.meta.dirname, '..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** The first column of the table below a heading. */
function column(heading: string): string[] {
  const section = README.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] as string)
}

test('the program runs, and prints the change that it takes back', () => {
  const program = /```ts\n([\s\S]*?)```/.exec(README)?.[1] as string
  expect(program.trim().split('\n').length).toBeLessThanOrEqual(10)
  const folder = mkdtempSync(join(tmpdir(), 'filewright-readme-'))
  try {
    const file = join(folder, 'program.ts')
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(file, program.replace("'filewright'", JSON.stringify(join(ROOT, 'src', 'index.ts'))))
    const printed = execFileSync(process.execPath, ['--no-warnings', file], { encoding: 'utf8' })
    expect(printed).toContain('edit --- a/hello.txt')
    expect(printed).toContain('-Hello wrold\n+Hello world\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the tools are those of the default profile', async () => {
  const offered = (await profileNamed(DEFAULT_PROFILE)).tools.map(({ tool }) => tool.name)
  expect(column('Tools').sort()).toEqual(offered.sort())
})

test('so are those of fileops', async () => {
  const offered = (await profileNamed('fileops')).tools.map(({ tool }) => tool.name)
  expect(column('Tools of the profile fileops').sort()).toEqual(offered.sort())
})

test('the storages are those that a command can open', () => {
  const names = SETTINGS.find(({ name }) => name === 'fs')?.choices
  expect(column('Storages').sort()).toEqual([...(names ?? [])].sort())
})

test('the commands are those that there are', () => {
  const streams = { stdout: { write: () => true }, stderr: { write: () => true } }
  const { commands } = createProgram(createOutput(streams, false), streams, () => {})
  expect(column('Commands').sort()).toEqual(commands.map((command) => command.name()).sort())
})

test('the profiles are those that there are', () => {
  expect(column('Profiles').sort()).toEqual([...PROFILE_NAMES].sort())
})
