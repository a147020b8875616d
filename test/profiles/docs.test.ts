/**
 * The page that compares the profiles is true: what can be counted or asked is computed from the code. `vitest -u` writes it into
 * the page; a new profile wants a row of its own there first.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allProfiles, PROFILE_NAMES } from '../../src/profiles/index.ts'
import { listBytes } from '../../src/profiles/listed.ts'
import type { Profile } from '../../src/profiles/profile.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { CALLS, toolNamed } from './calls.ts'
import { storageOf } from './storage_of.ts'

const PAGE = join(import.meta.dirname, '../../docs/profiles.md')

/** Whole kilobytes: a word more or less in a description changes nothing. */
const kilobytes = (profile: Profile): string => `${Math.ceil(listBytes(profile.tools) / 1000)} KB`

const code = (text: string): string => `\`${text}\``

/** A table row by its cells. */
const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** What the profile's first tool that reads answers for a missing file. */
async function missing(profile: Profile): Promise<string> {
  const workspace = await openWorkspace({ fs: await storageOf(profile.name), profile: profile.name })
  const reads = profile.tools.map(({ tool }) => tool.name).filter((name) => !/hub/.test(name))
  const name = Object.keys(CALLS[profile.name] ?? {}).find((one) => reads.includes(toolNamed(one))) as string
  const { text, error } = await workspace.call(toolNamed(name), CALLS[profile.name]?.[name]?.('notes.txt'))
  expect(error).not.toBeNull()
  const lines = text.replaceAll('|', '\\|').split('\n')
  return row(code(profile.name), code(toolNamed(name)), `${lines[0]}${lines.length > 1 ? ' …' : ''}`)
}

/** The lines below a table's head, replaced. */
function withRows(page: string, heading: string, rows: readonly string[]): string {
  const [before, after] = page.split(`\n## ${heading}\n`) as [string, string]
  const replaced = after.replace(/(\n\|(?:---\|)+\n)(?:\|.*\n)*/, (_, rule: string) => `${rule}${rows.join('\n')}\n`)
  return `${before}\n## ${heading}\n${replaced}`
}

test('the page says of every profile what the code says', async () => {
  const profiles = await allProfiles()
  let page = readFileSync(PAGE, 'utf8')
  const comparison = new Map([...page.matchAll(/^\| `([\w-]+)` \|(?: [^|]* \|){8}$/gm)].map((match) => [match[1] as string, match[0]]))
  expect([...comparison.keys()], 'one row for each profile').toEqual(PROFILE_NAMES)
  const compared = profiles.map((profile) => {
    const cells = (comparison.get(profile.name) as string).slice(2, -2).split(' | ')
    cells.splice(2, 2, `${profile.tools.length}`, kilobytes(profile))
    cells.splice(6, 1, profile.guarded ? 'yes' : 'no')
    return row(...cells)
  })
  page = withRows(page, 'What each is', compared)
  const tools = profiles.map(({ name, tools: bound }) => row(code(name), bound.map(({ tool }) => code(tool.name)).join(', ')))
  page = withRows(page, 'The tools', tools)
  page = withRows(page, 'A file that is missing', await Promise.all(profiles.map(missing)))
  await expect(page).toMatchFileSnapshot(PAGE)
})

test('a tool that the page names as a way back is there', async () => {
  const page = readFileSync(PAGE, 'utf8')
  for (const { name, tools } of await allProfiles()) {
    const cells = (page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) as string).split(' | ')
    const [named] = /`(\w+)`/.exec(cells[7] as string)?.slice(1) ?? []
    const known = JSON.stringify(tools.map(({ tool }) => [tool.name, tool.description]))
    if (named !== undefined) expect(known).toContain(named)
  }
})
