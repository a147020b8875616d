/** The `apply-patch` profile: one tool, whose patch may come under either name. */
import { expect, test } from 'vitest'
import { inputSchema } from '../../src/tools/json_schema.ts'
import { profileWith } from './setup.ts'

const add = (path: string): string => `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`

test('input is what is published', async () => {
  const { workspace } = await profileWith('apply-patch', {})
  expect(workspace.tools().map(({ tool }) => [tool.name, inputSchema(tool)])).toMatchObject([
    ['apply_patch', { required: ['input'], properties: { input: { type: 'string' } } }],
  ])
})

test('patch stands for input, which wins', async () => {
  const { call, read } = await profileWith('apply-patch', {})
  expect(await call('apply_patch', { patch: add('a') })).toMatchObject({ code: null, text: 'Success. Updated the following files:\nA a' })
  expect(await call('apply_patch', { input: add('b'), patch: add('c') })).toMatchObject({ code: null })
  expect(await call('apply_patch', { input: null, patch: add('d') })).toMatchObject({ code: null })
  for (const [path, text] of Object.entries({ a: 'x\n', b: 'x\n', c: null, d: 'x\n' })) expect(await read(path)).toBe(text)
})

test.each([null, [], 'x', {}, { input: 5 }, { patch: {} }, { input: '\ud800' }])('%j is answered as an error', async (args) => {
  const { call } = await profileWith('apply-patch', {})
  const { code, text, result } = await call('apply_patch', args)
  expect(code).toMatch(/_argument$/)
  expect(result.error).toContain(text)
})
