/** Which tools an operator leaves on. */
import { expect, it } from 'vitest'
import { profileNamed } from '../../src/profiles/index.ts'
import { offeredTools } from '../../src/profiles/offered.ts'

const profile = profileNamed('fileops')
const names = (disabled: readonly string[]): string[] => offeredTools(profile, disabled).map(({ tool }) => tool.name)

it('leaves out what is disabled, and nothing else', () => {
  const all = profile.tools.map(({ tool }) => tool.name)
  expect(names([])).toEqual(all)
  expect(names(['delete_file', 'write_file'])).toEqual(all.filter((name) => name !== 'delete_file' && name !== 'write_file'))
})

it.each(['write_fil', 'Write_File', 'write-file', '', 'constructor'])('refuses %j, which would leave a tool on', (name) => {
  expect(() => names(['delete_file', name])).toThrow(expect.objectContaining({ code: 'invalid_argument', field: 'disable' }))
})
