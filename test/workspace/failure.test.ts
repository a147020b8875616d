/** What a workspace tells its host of failures that no code foresaw. */
import { expect, it } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openWorkspace } from '../../src/workspace/open.ts'

it('hears what is behind an io_error, which the answer does not tell', async () => {
  const fs = createMemoryFs()
  const cause = new TypeError('deep inside /host/folder')
  const heard: unknown[] = []
  const broken = {
    ...fs,
    stat: () => {
      throw cause
    },
  }
  const workspace = await openWorkspace({ profile: 'fileops', fs: broken, onFailure: (error) => heard.push(error) })
  const { result, error } = await workspace.call('view_file', { file_path: 'a' })
  expect(error?.code).toBe('io_error')
  expect(JSON.stringify([result, error])).not.toContain('/host')
  expect(heard).toEqual([cause])
})

it('hears nothing of refusals', async () => {
  const heard: unknown[] = []
  const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs(), onFailure: (error) => heard.push(error) })
  expect((await workspace.call('view_file', { file_path: 'a' })).error?.code).toBe('not_found')
  expect((await workspace.call('view_file', {})).error?.code).toBe('missing_argument')
  expect(heard).toEqual([])
})
