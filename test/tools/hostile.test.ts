/** Whatever is sent to a tool, the answer is a result or a typed refusal (C-8, C-45, C-47): never a throw, never an unexplained failure. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TOOLS } from '../../src/tools/index.ts'
import { inputSchema } from '../../src/tools/json_schema.ts'
import { workspaceWith } from './setup.ts'

const RUNS = Number(process.env.FUZZ_RUNS ?? 300)
/** The short run is the same every time; a long one looks elsewhere each time. */
const SEED = process.env.FUZZ_RUNS === undefined ? 1 : Date.now()

const FILES = {
  'a.txt': 'alpha\nbeta\n',
  'crlf.txt': '\ufeffx\r\ny\r\n',
  bin: new Uint8Array([0, 1, 2]),
  'latin1.txt': new Uint8Array([0x61, 0xe9, 0x0a]),
  'd/e/f.txt': 'deep\n',
  link: { link: 'a.txt' },
  circle: { link: 'circle' },
  outside: { link: '../away' },
  through: { link: 'd/../../x' },
  '.gitignore': '*.log\n[\n!\\\n',
} as const

const seldom = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value })

const paths = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a.txt', 'crlf.txt', 'link', '.', 'd') },

  fc.constantFrom(
    ...Object.keys(FILES),
    '.',
    '/',
    '',
    'd',
    'd/',
    'new/deep/file',
    '..',
    'a.txt/x',
    '/a.txt',
    'circle/x',
    '.git/x',
    '.env',
    'x.log',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(fc.constantFrom('..', '.', '', 'd', 'e', 'link', 'a.txt', '\0', 'é', '\udcff', '*', 'x'.repeat(300)), { maxLength: 6 })
    .map((names) => names.join('/')),
)

const items = fc.record(
  {
    old_content: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom('alpha', 'beta\n', 'a', 'x', '\n') },
      fc.constantFrom('', '\ufffd', '\ud800'),
      fc.string(),
    ),
    new_content: fc.oneof(fc.constantFrom('', '$&', 'x\ny'), fc.string()),
    replace_all: seldom(fc.boolean()),
    start_line: seldom(fc.integer({ min: -1, max: 5 })),
    end_line: seldom(fc.integer({ min: -1, max: 5 })),
  },
  { requiredKeys: ['old_content', 'new_content'] },
)

/** Members that the schema need not ask for, but the tool does. */
const NEEDED = new Set(['operations', 'replacements', 'content', 'new_content'])

interface Member {
  readonly type?: string
  readonly enum?: readonly string[]
}

const texts = fc.oneof(fc.constantFrom('alpha', 'beta\n', '', '(a+)+$', '[', '**/*.txt', '0'.repeat(64)), fc.string())

/** Operations of a batch, some of which fit together. */
const operations = fc.array(
  fc.record(
    {
      operation: fc.constantFrom('view_file', 'write_file', 'edit_file', 'copy_file', 'move_file', 'delete_file', 'rm', 'batch_file_ops'),
      path: paths,
      config: fc.oneof(
        fc.record(
          { content: texts, destination_path: paths, replacements: fc.array(items, { maxLength: 2 }), overwrite: fc.boolean() },
          { requiredKeys: [] },
        ),
        fc.constantFrom(undefined, null, 'x', []),
      ),
    },
    { requiredKeys: ['operation', 'path'] },
  ),
  { minLength: 1, maxLength: 3 },
)

/** Values of the kind that a member takes. */
function likely(name: string, member: Member): fc.Arbitrary<unknown> {
  if (/path|root$/.test(name)) return paths
  if (name === 'operations') return operations
  if (name === 'replacements') return fc.oneof({ weight: 5, arbitrary: fc.array(items, { minLength: 1, maxLength: 2 }) }, items, fc.json())
  if (name === 'replacements_json') return fc.array(items, { minLength: 1, maxLength: 3 }).map((list) => JSON.stringify(list))
  if (name === 'backup_id') return fc.constantFrom('last', '20200101T000000000Z-00000000', '../x')
  if (name.endsWith('sha256')) return fc.constant('0'.repeat(64))
  if (member.enum) return fc.constantFrom(...member.enum)
  if (member.type === 'boolean') return fc.boolean()
  if (member.type === 'integer') return fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 9 }) }, fc.integer())
  return member.type === 'array' ? fc.array(texts, { maxLength: 3 }) : texts
}

/** Of every seven members that may be left out six are, and of every forty that are sent one is anything at all. */
function sometimes(value: fc.Arbitrary<unknown>, required: boolean): fc.Arbitrary<unknown> {
  const sent = fc.oneof({ weight: 39, arbitrary: value }, { weight: 1, arbitrary: fc.anything() })
  return required ? sent : fc.oneof({ weight: 1, arbitrary: sent }, { weight: 6, arbitrary: fc.constantFrom(undefined, null) })
}

test.each(Object.values(TOOLS).map((tool) => [tool.name, tool] as const))('%s', async (name, tool) => {
  const { required = [], properties } = inputSchema(tool) as { required?: string[]; properties: { [name: string]: Member } }
  const members = Object.entries(properties).map(([key, member]) => {
    return [key, sometimes(likely(key, member), required.includes(key) || NEEDED.has(key))] as const
  })
  const sent = fc.oneof({ weight: 19, arbitrary: fc.record(Object.fromEntries(members)) }, { weight: 1, arbitrary: fc.anything() })
  const codes = new Map<string | null, number>()
  await fc.assert(
    fc.asyncProperty(sent, async (args) => {
      const { call } = await workspaceWith(FILES)
      if (name === 'rollback_file') await call('backup_file', { file_path: 'a.txt' })
      const { code, result, text } = await call(name, args as object)
      codes.set(code, (codes.get(code) ?? 0) + 1)
      expect(code).not.toBe('io_error')
      expect('error' in result).toBe(code !== null)
      expect(text).not.toBe('')
      expect(text.length).toBeLessThan(2_000_000)
    }),
    { numRuns: RUNS, seed: SEED },
  )
  // Otherwise nothing but the arguments' shape was tried.
  expect(codes.get(null), JSON.stringify([...codes])).toBeGreaterThan(0)
})
