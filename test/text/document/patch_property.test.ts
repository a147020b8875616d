/** T-X-06: a patched text parses to the value that the operation makes of the parsed one, and other text stays. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import type { PatchOperation } from '../../../src/text/document/patch.ts'
import { patchText } from '../../../src/text/document/patch_text.ts'
import { jsonText, yamlText } from '../patch_documents.ts'
import { applyToModel, operationOn } from '../patch_model.ts'

const RUNS = Number(process.env.FILEWRIGHT_PATCH_RUNS ?? 60)
const { signal } = new AbortController()

const withoutBom = (text: string) => text.replace(/^\ufeff/, '')

/** JSON with comments and trailing commas, read by taking them out. */
function parseRelaxed(text: string): unknown {
  const bare = withoutBom(text).replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) => (part.startsWith('"') ? part : ' '))
  return JSON.parse(bare.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g, (part) => (part === ',' ? '' : part)))
}

function parseYaml(text: string): unknown {
  const document = parseDocument(withoutBom(text), { logLevel: 'silent' })
  if (document.errors[0]) throw document.errors[0]
  return document.toJS({ maxAliasCount: -1 })
}

/** Most parts of a value that is compared: aliases of aliases can stand for more than fits into memory. */
const MOST_PARTS = 20_000

function isComparable(value: unknown): boolean {
  let parts = 0
  const count = (part: unknown): boolean => {
    if (++parts > MOST_PARTS) return false
    return typeof part !== 'object' || part === null || Object.values(part).every(count)
  }
  return count(value)
}

/** Values as text with sorted keys. The value of a tag that only an application knows is text to the parser, whatever it was. */
function normal(value: unknown, tagged: boolean): string {
  return JSON.stringify(value, (_, part) => {
    if (typeof part !== 'object' || part === null) return tagged ? String(part) : part
    return Array.isArray(part) ? part : Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Whether one text is the other with pieces left out. */
function isThinned(thin: string, whole: string): boolean {
  let at = 0
  for (const unit of thin) {
    at = whole.indexOf(unit, at)
    if (at < 0) return false
    at += unit.length
  }
  return true
}

/** Comments that a text has, in order. */
const commentsOf = (text: string): string[] => text.match(/(?<=# |above |\/\/ |\/\* ")c\d+/g) ?? []

interface Format {
  readonly format: 'json' | 'yaml'
  readonly relaxed: boolean
  readonly texts: fc.Arbitrary<string>
  readonly parse: (text: string) => unknown
  /** A refusal as shared is no mistake. */
  readonly shares: boolean
}

const FORMATS: readonly (Format & { readonly name: string })[] = [
  { name: 'JSON', format: 'json', relaxed: false, texts: jsonText(false), parse: parseRelaxed, shares: false },
  { name: 'JSONC', format: 'json', relaxed: true, texts: jsonText(true), parse: parseRelaxed, shares: false },
  { name: 'YAML', format: 'yaml', relaxed: false, texts: yamlText({ anchors: false }), parse: parseYaml, shares: false },
  { name: 'YAML with anchors', format: 'yaml', relaxed: false, texts: yamlText({ anchors: true }), parse: parseYaml, shares: true },
]

async function check(text: string, operation: PatchOperation, { format, relaxed, parse, shares }: Format): Promise<void> {
  const outcome = await patchText(new TextEncoder().encode(text), 'x', [operation], { format, relaxed, signal })
  const wanted = applyToModel(parse(text), operation)
  if (outcome.kind === 'misfit') {
    if (shares && outcome.error.code === 'unsupported') return
    expect(wanted, outcome.error.message).toBeNull()
    return
  }
  if (outcome.kind === 'malformed') throw new Error(outcome.validation.message)
  if (!wanted) throw new Error('It was accepted.')
  const after = new TextDecoder('utf-8', { ignoreBOM: true }).decode(outcome.bytes)
  const tagged = text.includes('!t ')
  expect(normal(parse(after), tagged)).toBe(normal(wanted.value, tagged))
  expect(after.startsWith('\ufeff')).toBe(text.startsWith('\ufeff'))
  const comes = operation.op === 'insert' || operation.op === 'append'
  if (comes) {
    // What comes between takes nothing away, but the blanks in brackets that were empty.
    expect(isThinned(text.replace(/\s/g, ''), after.replace(/\s/g, ''))).toBe(true)
    expect(commentsOf(after).filter((comment) => commentsOf(text).includes(comment))).toEqual(commentsOf(text))
  }
  // Where the last member of a block goes, empty brackets come, with a blank before the comment behind them.
  if (operation.op === 'remove') expect(isThinned(after.replace(/[[\]{}\s]/g, ''), text.replace(/\s/g, ''))).toBe(true)
}

describe.each(FORMATS)('$name', (format) => {
  test('a patch does to the text what it does to the value', async () => {
    const cases = format.texts.chain((text) => fc.tuple(fc.constant(text), operationOn(format.parse(text))))
    await fc.assert(
      fc.asyncProperty(cases, ([text, operation]) => {
        fc.pre(isComparable(format.parse(text)))
        return check(text, operation, format)
      }),
      { numRuns: RUNS },
    )
  }, 600_000)
})

test('a scalar that takes the place of another changes nothing else', async () => {
  const { format } = FORMATS[2] as Format
  await fc.assert(
    fc.asyncProperty(yamlText({ anchors: false }), async (text) => {
      const marked = text.replace(/: 1\.0(?=\s)/, ': 4711')
      fc.pre(marked !== text)
      const path = pathTo(parseYaml(marked), 4711)
      fc.pre(path !== null)
      const options = { format, relaxed: false, signal }
      const outcome = await patchText(
        new TextEncoder().encode(marked),
        'x',
        [{ op: 'replace', path: path as string[], value: 42 }],
        options,
      )
      if (outcome.kind !== 'patched') throw new Error(outcome.kind)
      const after = new TextDecoder('utf-8', { ignoreBOM: true }).decode(outcome.bytes)
      expect(after).toBe(marked.replace('4711', '42'))
    }),
    { numRuns: RUNS },
  )
}, 600_000)

function pathTo(value: unknown, wanted: unknown): string[] | null {
  if (value === wanted) return []
  if (typeof value !== 'object' || value === null) return null
  for (const [key, inner] of Object.entries(value)) {
    const rest = pathTo(inner, wanted)
    if (rest) return [key, ...rest]
  }
  return null
}
