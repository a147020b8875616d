/** Which tools an operator leaves on. */
import { expect, it } from 'vitest'
import { profileNamed } from '../../src/profiles/index.ts'
import { offeredTools } from '../../src/profiles/offered.ts'

const profile = await profileNamed('fileops')
const names = async (disabled: readonly string[]): Promise<string[]> => (await offeredTools(profile, disabled)).map(({ tool }) => tool.name)

it('leaves out what is disabled, and nothing else', async () => {
  const all = profile.tools.map(({ tool }) => tool.name)
  expect(await names([])).toEqual(all)
  expect(await names(['delete_file', 'write_file'])).toEqual(all.filter((name) => name !== 'delete_file' && name !== 'write_file'))
})

it.each(['write_fil', 'Write_File', 'write-file', '', 'constructor'])('refuses %j, which would leave a tool on', async (name) => {
  await expect(names(['delete_file', name])).rejects.toThrow(expect.objectContaining({ code: 'invalid_argument', field: 'disable' }))
})
