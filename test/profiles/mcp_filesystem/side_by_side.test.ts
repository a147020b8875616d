/** The reference server and ours, asked the same: what differs is in the ledger, and what is in the ledger differs. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CASES, type Case, FILES } from './cases.ts'
import { type Difference, LEDGER } from './ledger.ts'
import { type Answer, type Outcome, ourSubject, referenceSubject, type Subject, VERSIONS, type Version } from './subjects.ts'

/** Thousands of names are made and looked at on a disk, which others may keep busy. */
const SLOWEST_MS = 120_000

describe.each(Object.keys(VERSIONS) as Version[])('beside version %s', (version) => {
  let folders: string[]
  let reference: Subject
  let ours: Subject

  beforeAll(async () => {
    folders = ['reference', 'ours'].map((name) => realpathSync(mkdtempSync(join(tmpdir(), `filewright-${name}-`))))
    reference = await referenceSubject(version, folders[0] as string)
    ours = await ourSubject(folders[1] as string)
  })

  afterAll(async () => {
    await reference.close()
    await ours.close()
    for (const folder of folders) rmSync(folder, { recursive: true })
  })

  test.each(CASES.map((one) => [one.name, one] as const))(
    '%s',
    async (name, one) => {
      const files = { ...FILES, ...one.files }
      const theirs = await reference.play(files, one.calls)
      const own = await ours.play(files, one.calls)
      const expected = comparable(theirs, own, one)
      const difference = differenceOf(name, version)
      if (difference) expect(comparable(own, own, one), `no difference any more: ${difference.what}`).not.toEqual(expected)
      else expect(comparable(own, own, one)).toEqual(expected)
      expect(own.beside).toEqual({ secret: 'a secret\n' })
    },
    SLOWEST_MS,
  )

  test('the tools, their arguments and their annotations', async () => {
    const listed = new Map((await ours.tools()).map((tool) => [tool.name, tool]))
    const theirs = await reference.tools()
    expect([...listed.keys()]).toEqual(theirs.map(({ name }) => name))
    for (const { name, title, inputSchema, annotations } of theirs) {
      const own = listed.get(name)
      expect(own, name).toMatchObject({ title, annotations })
      expect(shapeOf(own?.inputSchema ?? {}), name).toEqual(shapeOf(inputSchema))
      // The text is the whole answer: nothing is sent twice.
      expect(own?.outputSchema, name).toBeUndefined()
      expect(own?.inputSchema.additionalProperties, name).toBe(false)
    }
  })
})

test('the ledger names cases that there are, each once', () => {
  const named = LEDGER.flatMap(({ cases }) => cases)
  expect(new Set(named).size).toBe(named.length)
  const known = CASES.map(({ name }) => name)
  expect(new Set(known).size).toBe(known.length)
  expect(named.filter((name) => !known.includes(name))).toEqual([])
})

test('the table in the documents is the ledger', () => {
  const documented = readFileSync(join(import.meta.dirname, '../../../docs/mcp-filesystem.md'), 'utf8')
  const rows = documented.split('\n').filter((line) => /^\| (corrupts|loses|guesses|discloses|form) \|/.test(line))
  expect(rows).toEqual(LEDGER.map(({ fault, what, reference, ours }) => `| ${fault} | ${what} | ${reference} | ${ours} |`))
})

function differenceOf(name: string, version: Version): Difference | undefined {
  return LEDGER.find(({ cases, only }) => cases.includes(name) && (only ?? version) === version)
}

/** An outcome as it is compared with `own`: a failure of ours says one sentence more, and some things differ in every run. */
function comparable({ answers, files }: Outcome, own: Outcome, one: Case): unknown {
  const texts = answers.map((answer, i) => ({ ...answer, text: textOf(answer, own.answers[i] as Answer, one) }))
  return { answers: texts, files }
}

function textOf({ isError, text }: Answer, own: Answer, { mask, unordered }: Case): string {
  if (isError && own.isError && own.text.startsWith(text)) return own.text
  const masked = mask ? text.replace(mask, '') : text
  return unordered ? masked.split('\n').sort().join('\n') : masked
}

interface Schema {
  readonly type?: unknown
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly default?: unknown
}

/** What a schema asks for. Our whole numbers are numbers. */
function shapeOf(schema: object): unknown {
  const { type, properties = {}, required = [], items, enum: choices, default: byDefault } = schema as Schema
  const members = Object.entries(properties).map(([name, member]) => [name, shapeOf(member)])
  return {
    type: type === 'integer' ? 'number' : type,
    properties: Object.fromEntries(members),
    required: [...required].sort(),
    items: items && shapeOf(items),
    choices,
    byDefault,
  }
}
