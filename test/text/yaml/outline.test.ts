/** The outline of a large YAML text: what it takes is well-formed, and what it leads to is what the whole document gives. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFilewrightError } from '../../../src/core/errors.ts'
import type { PatchOperation } from '../../../src/text/document/patch.ts'
import { checkYaml } from '../../../src/text/yaml/document.ts'
import { findFragment } from '../../../src/text/yaml/outline.ts'
import { createYamlPatcher } from '../../../src/text/yaml/patch.ts'
import { yamlText } from '../patch_documents.ts'
import { operationOn } from '../patch_model.ts'

const RUNS = Number(process.env.FILEWRIGHT_PATCH_RUNS ?? 30)

const PLAIN = fc
  .array(
    fc.constantFrom(
      'a:\n',
      'b: 1\n',
      'c: "q" # c\n',
      '  k: v\n',
      '  l:\n',
      '  - x\n',
      '- y\n',
      '    - n: 1\n',
      '      m: [1, a]\n',
      '    t: |\n',
      '        text\n',
      '# c\n',
      '\n',
      '  - - z\n',
      "  'q': {p: 1}\n",
      '    8: >-\n',
      '  -\n',
      '    o: plain\n      more\n',
    ),
    { maxLength: 12 },
  )
  .map((lines) => lines.join(''))

const texts = fc.oneof(
  PLAIN,
  yamlText({ anchors: false }).map((text) => text.replace(/^\ufeff/, '')),
  // What a slip of the hand makes of a text.
  fc
    .tuple(
      yamlText({ anchors: true }),
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom('', ' ', '\n', ':', ': ', '-', '"', "'", '[', '#', '  ', '*x0', '---\n', '}'),
    )
    .map(([text, at, removed, added]) => {
      const bare = text.replace(/^\ufeff/, '')
      const start = at % (bare.length + 1)
      return bare.slice(0, start) + added + bare.slice(start + removed)
    }),
)

const paths = fc.array(fc.constantFrom('a', 'b', 'c', 'k', 'l', 'q', '8', '0', '1', 'n', 'zz'), { minLength: 2, maxLength: 4 })

/** What comes of an operation: the text, or the error's code. */
function outcome(text: string, operation: PatchOperation, large: number): string {
  const patcher = createYamlPatcher(text, large)
  try {
    return patcher.apply(operation)?.message ?? patcher.text
  } catch (error) {
    if (isFilewrightError(error)) return `${error.code}: ${error.message}`
    throw error
  }
}

describe('the outline', () => {
  test('takes no text that the parser refuses', () => {
    let taken = 0
    fc.assert(
      fc.property(texts, paths, (text, path) => {
        const fragment = findFragment(text, path)
        if (!fragment) return
        taken++
        expect(checkYaml(text)).toEqual({ problem: null, documents: 1 })
      }),
      { numRuns: RUNS * 100 },
    )
    expect(taken).toBeGreaterThan(0)
  }, 600_000)

  test('gives what the whole document gives', () => {
    let quick = 0
    const cases = fc
      .oneof(
        PLAIN,
        yamlText({ anchors: false }).map((text) => text.replace(/^\ufeff/, '')),
      )
      .chain((text) => {
        return fc.tuple(
          fc.constant(text),
          fc.oneof(
            operationOn(modelOf(text)),
            fc.record({ op: fc.constantFrom('set', 'append', 'remove'), path: paths, value: fc.constantFrom(1, 'x', { n: [1] }) }),
          ),
        ) as fc.Arbitrary<[string, PatchOperation]>
      })
    fc.assert(
      fc.property(cases, ([text, operation]) => {
        if (findFragment(text, operation.path)) quick++
        expect(outcome(text, operation, 0)).toBe(outcome(text, operation, Number.POSITIVE_INFINITY))
      }),
      { numRuns: RUNS * 10 },
    )
    expect(quick).toBeGreaterThan(0)
  }, 600_000)
})

/** The keys of a text as a value to find paths in. */
function modelOf(text: string): unknown {
  const model: { [key: string]: unknown } = {}
  for (const [, key] of text.matchAll(/^([a-z]):/gm)) model[key as string] = { k: 1, l: ['x', { n: 1 }], q: { p: 1 } }
  return model
}
