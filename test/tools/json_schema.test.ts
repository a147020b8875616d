/** The published schemas accept what a tool takes and gives, and nothing that looks like both success and failure. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { inputSchema, type JsonSchema, outputSchema } from '../../src/tools/json_schema.ts'

const input = z.strictObject({
  path: z.string().describe('A path.'),
  line: z.int().min(1).optional(),
  more: z.record(z.string(), z.unknown()).optional(),
})
const output = z.object({ content: z.string(), size: z.int(), hash: z.string().optional() })

function accepts(schema: JsonSchema, value: unknown): boolean {
  return new AjvJsonSchemaValidator().getValidator({ ...schema })(value).valid
}

test('the input schema is that of the arguments', () => {
  expect(inputSchema({ input })).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      path: { type: 'string', description: 'A path.' },
      line: { type: 'integer', minimum: 1 },
      more: { type: 'object', additionalProperties: true, propertyNames: { type: 'string' } },
    },
    required: ['path'],
    additionalProperties: false,
  })
})

test.each([
  ['a success', { content: '', size: 0 }, true],
  ['a success with an optional field', { content: '', size: 0, hash: 'x' }, true],
  ['a failure with empty fields', { content: '', size: 0, error: 'no' }, true],
  ['a failure with nothing else', { error: 'no' }, true],
  ['a failure with facts of its own', { error: 'no', limit: 5, current: { hash: 'x' } }, true],
  ['a success that lacks a field', { content: '' }, false],
  ['a success with a wrong type', { content: 1, size: 0 }, false],
  ['a failure whose error is no text', { error: { code: 1 } }, false],
  ['neither', {}, false],
])('the output schema and %s', (_, value, valid) => {
  expect(accepts(outputSchema({ output }), value)).toBe(valid)
})
