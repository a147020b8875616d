/** Argument blocks and parsing: C-41, C-42, P-6, P-7, W-5. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isFilewrightError } from '../../src/core/errors.ts'
import { boolean, content, integer, parseArguments, sha256, text, textList } from '../../src/tools/arguments.ts'
import { TOOLS } from '../../src/tools/index.ts'
import { inputSchema, outputSchema } from '../../src/tools/json_schema.ts'
import { nearestName } from '../../src/tools/nearest_name.ts'

const input = z.strictObject({
  file_path: text('A path.'),
  start_line: integer('First line.', { min: 1 }).optional(),
  page_size: integer('Entries.', { min: 1, max: 200 }).default(50),
  dry_run: boolean('Only look.').default(false),
  note: content('A note.').optional(),
  hash: sha256('A hash.').optional(),
  names: textList('Names.').optional(),
  mode: z.enum(['fast', 'slow']).optional(),
  items: z.array(z.strictObject({ old_content: text('Old.'), new_content: text('New.') })).optional(),
})

const parse = (args: unknown): z.output<typeof input> => parseArguments({ input }, args)

function refusalOf(args: unknown): { code: string; field: string | undefined; message: string } {
  try {
    parse(args)
  } catch (error) {
    if (isFilewrightError(error)) return { code: error.code, field: error.field, message: error.message }
    throw error
  }
  throw new Error('It was accepted.')
}

describe('accepted', () => {
  test.each<[string, unknown, Partial<z.output<typeof input>>]>([
    ['C-41 an integral float is an integer', { start_line: 3.0 }, { start_line: 3 }],
    ['C-42 above a maximum counts as the maximum', { page_size: 1e9 }, { page_size: 200 }],
    ['P-6 null means not given', { start_line: null, page_size: null, dry_run: null }, { page_size: 50, dry_run: false }],
    ['P-7 a hash in upper case', { hash: 'AB'.repeat(32) }, { hash: 'ab'.repeat(32) }],
    ['a pair of surrogates is one character', { note: '😀' }, { note: '😀' }],
  ])('%s', (_, args, expected) => {
    expect(parse({ file_path: 'a', ...(args as object) })).toMatchObject(expected)
  })
})

describe('refused', () => {
  const long = 'x'.repeat(1_000_000)
  test.each<[string, unknown, string, string]>([
    ['a required argument is missing', {}, 'missing_argument', 'file_path'],
    ['a required argument is null', { file_path: null }, 'missing_argument', 'file_path'],
    ['no text', { file_path: 7 }, 'invalid_argument', 'file_path'],
    ['a list for a text', { file_path: ['a'] }, 'invalid_argument', 'file_path'],
    ['C-41 a numeric string', { file_path: 'a', start_line: '1' }, 'invalid_argument', 'start_line'],
    ['C-41 a fraction', { file_path: 'a', start_line: 1.5 }, 'invalid_argument', 'start_line'],
    ['C-41 NaN', { file_path: 'a', start_line: Number.NaN }, 'invalid_argument', 'start_line'],
    ['C-41 infinity', { file_path: 'a', start_line: Number.POSITIVE_INFINITY }, 'invalid_argument', 'start_line'],
    ['C-41 a boolean for an integer', { file_path: 'a', start_line: true }, 'invalid_argument', 'start_line'],
    ['C-42 below the minimum', { file_path: 'a', page_size: 0 }, 'invalid_argument', 'page_size'],
    ['C-41 a text for a boolean', { file_path: 'a', dry_run: 'yes' }, 'invalid_argument', 'dry_run'],
    ['C-22 a lone surrogate', { file_path: 'a', note: 'x\ud800y' }, 'invalid_argument', 'note'],
    ['P-7 a short hash', { file_path: 'a', hash: 'abc' }, 'invalid_argument', 'hash'],
    ['P-7 a hash that is not hex', { file_path: 'a', hash: 'g'.repeat(64) }, 'invalid_argument', 'hash'],
    ['a wrong item in a list', { file_path: 'a', names: ['x', 1] }, 'invalid_argument', 'names[1]'],
    ['a text for a list', { file_path: 'a', names: 'x' }, 'invalid_argument', 'names'],
    ['none of a choice', { file_path: 'a', mode: 'quick' }, 'invalid_argument', 'mode'],
    [
      'a missing member of an item',
      { file_path: 'a', items: [{ old_content: 'a', new_content: 'b' }, { old_content: 'a' }] },
      'missing_argument',
      'items[1].new_content',
    ],
    [
      'an unknown member of an item',
      { file_path: 'a', items: [{ old_content: 'a', new_content: 'b', x: 1 }] },
      'invalid_argument',
      'items[0].x',
    ],
    ['arguments that are no object', ['a'], 'invalid_argument', ''],
    ['a text instead of arguments', 'a', 'invalid_argument', ''],
    ['a member that would be a prototype', JSON.parse('{"file_path":"a","__proto__":{"dry_run":true}}'), 'invalid_argument', '__proto__'],
    ['an endless name', { file_path: 'a', [long]: 1 }, 'invalid_argument', long],
  ])('%s', (_, args, code, field) => {
    const refusal = refusalOf(args)
    expect({ code: refusal.code, field: refusal.field ?? '' }).toEqual({ code, field })
    expect(refusal.message.length).toBeLessThan(300)
    if (field !== '' && field !== long) expect(refusal.message).toContain(field)
    if (code === 'missing_argument') expect(refusal.message).toBe(`${field} is required.`)
  })
})

describe('W-5 an unknown argument names the nearest known one', () => {
  test.each([
    ['dryrun', 'dry_run'],
    ['filePath', 'file_path'],
    ['start', 'start_line'],
    ['pagesize', 'page_size'],
    ['Mode', 'mode'],
    ['path', 'file_path'],
  ])('%s → %s', (name, near) => {
    expect(refusalOf({ file_path: 'a', [name]: 1 }).message).toContain(`nearest is ${near}.`)
  })

  test('also inside an item, and when a required argument is missing because of it', () => {
    expect(refusalOf({ file_path: 'a', items: [{ old: 'a', new_content: 'b' }] }).message).toContain('nearest is old_content.')
    expect(refusalOf({ filepath: 'a' }).message).toContain('nearest is file_path.')
  })

  test('no known names', () => {
    expect(nearestName('a', [])).toBe('')
  })
})

describe('published schemas of every tool', () => {
  test.each(Object.entries(TOOLS))('%s', (name, tool) => {
    const schema = inputSchema(tool) as {
      type: string
      required?: string[]
      additionalProperties: boolean
      properties: Record<string, { description?: string }>
    }
    expect(tool.name).toBe(name)
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false })
    for (const [argument, property] of Object.entries(schema.properties)) expect(property.description, argument).toBeTruthy()
    expect(outputSchema(tool)).toMatchObject({ type: 'object' })
    expect(JSON.stringify(schema)).not.toContain('9007199254740991')
  })
})
