/** Forms of tools: what stands in them at first fits the schemas, and what is typed is checked before it is sent. */
import { describe, expect, test } from 'vitest'
import { allProfiles } from '../../src/profiles/index.ts'
import { TOOLS } from '../../src/tools/index.ts'
import { inputSchema, type JsonSchema } from '../../src/tools/json_schema.ts'
import { OPERATIONS } from '../../src/tools/operations.ts'
import { configExample } from '../../web/panels/call_examples.ts'
import { argumentsOf, fieldsOf, startOf, typedOf } from '../../web/panels/form_fields.ts'
import { shapeProblem, syntaxProblem } from '../../web/panels/json_problem.ts'

const SCHEMAS: readonly [name: string, schema: JsonSchema][] = (await allProfiles()).flatMap(({ tools }) =>
  tools.map(({ tool }): [string, JsonSchema] => [tool.name, inputSchema(tool)]),
)

test.each(SCHEMAS)('the form of %s begins with what its schema allows', (name, schema) => {
  const fields = fieldsOf(name, schema)
  const start = argumentsOf(fields, startOf(name, fields))
  expect(shapeProblem({ ...schema, required: [] }, start)).toBeNull()
  const main = fields.filter(({ isMain }) => isMain).map((field) => field.name)
  expect(main).toEqual(expect.arrayContaining([...Object.keys(start), ...((schema.required ?? []) as string[])]))
})

test.each(Object.keys(OPERATIONS))('the configuration of %s begins with what its tool takes, without the path', (operation) => {
  const schema = inputSchema(TOOLS[operation as keyof typeof TOOLS])
  const example = configExample(operation)
  expect(shapeProblem({ ...schema, required: [], additionalProperties: false }, example)).toBeNull()
  expect(example).not.toHaveProperty(String(OPERATIONS[operation as keyof typeof OPERATIONS].path))
})

describe('what is typed', () => {
  const fields = fieldsOf('edit_file', inputSchema(TOOLS.edit_file))

  test('is sent by the kind of its field, and what is empty is left out', () => {
    const replacements = [{ old_content: 'a', new_content: '' }]
    const typed = { ...typedOf({ file_path: '12', replacements, snippet_context_lines: 2, dry_run: true }), backup_label: '' }
    expect(argumentsOf(fields, typed)).toEqual({ file_path: '12', replacements, snippet_context_lines: 2, dry_run: true })
  })

  test('can be empty where content is wanted', () => {
    const write = fieldsOf('write_file', inputSchema(TOOLS.write_file))
    expect(argumentsOf(write, { ...startOf('write_file', write), file_path: 'a' })).toEqual({ file_path: 'a', content: '' })
  })

  test('is refused where it cannot be sent', () => {
    expect(() => argumentsOf(fields, { replacements: '[{]' })).toThrow('replacements is not valid JSON, line 1, column 3')
    expect(() => argumentsOf(fields, { snippet_context_lines: 'x' })).toThrow('snippet_context_lines must be a whole number')
  })
})

test('syntax is told with its place', () => {
  expect(syntaxProblem('{"a": [1, 2]}')).toBeNull()
  expect(syntaxProblem('{\n  "ü": 1,\n}')).toMatch(/^line 3, column 1:/)
})

describe('shape', () => {
  const patches = (inputSchema(TOOLS.patch_file).properties as { readonly patches: JsonSchema }).patches

  test.each([
    [[{ op: 'set', path: '/a', value: null }], null],
    [{}, 'It must be an array.'],
    [[{ op: 'put', path: '/a' }], '[0].op must be one of set, remove, append, insert, replace.'],
    [[{ op: 'set' }], '[0] needs path.'],
    [[{ op: 'set', path: 1 }], '[0].path must be a string.'],
    [[{ op: 'set', path: '', valu: 1 }], '[0].valu is not known. There are: op, path, value.'],
  ])('of %j', (value, problem) => {
    expect(shapeProblem(patches, value)).toBe(problem)
  })

  test('one of several will do', () => {
    const schema = { anyOf: [{ type: 'array', items: { type: 'integer', minimum: 1 } }, { type: ['string', 'null'] }] }
    for (const value of [[1, 2], 'x', null]) expect(shapeProblem(schema, value)).toBeNull()
    expect(shapeProblem(schema, [1, 0])).toBe('[1] must be at least 1.')
  })
})
