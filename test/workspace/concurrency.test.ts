/** T-X-12: a hundred mixed calls at once: none is lost, nothing is torn, and the chain of records is sound. */
import { expect, it } from 'vitest'
import type { Path } from '../../src/core/path.ts'
import { readAll } from '../../src/core/read.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { plant } from '../tools/setup.ts'
import { STORAGES } from '../tools/storages.ts'

const CALLS = 100

it.each(STORAGES)('%s', async (_, open) => {
  const fs = await open()
  const tokens = Array.from({ length: CALLS }, (_, at) => `<token ${at}>`)
  await plant(fs, { 'tokens.txt': `${tokens.join('\n')}\n`, 'log.txt': '', 'a/x.txt': 'x\n' })
  const workspace = await openWorkspace({ profile: 'fileops', fs, settings: { approval: 'off' } })

  /** Seven kinds of call take turns; those of one kind do not depend on their order. */
  const call = (at: number): Promise<{ readonly error: { readonly code: string } | null }> => {
    const append = { file_path: 'log.txt', content: `${at}\n`, append: true }
    const edit = { file_path: 'tokens.txt', replacements: [{ old_content: `<token ${at}>`, new_content: `<done ${at}>` }] }
    switch (at % 7) {
      case 0:
        return workspace.call('write_file', append)
      case 1:
        return workspace.call('edit_file', edit)
      case 2:
        return workspace.call('write_file', { file_path: `new/${at}.txt`, content: `${at}` })
      case 3:
        return workspace.call('copy_file', { source_path: 'a/x.txt', destination_path: `copies/${at}.txt` })
      case 4:
        return workspace.call('search_files', { search_path: '.', query: 'token' })
      case 5:
        return workspace.call('view_file', { file_path: 'tokens.txt', start_line: 1, end_line: 3 })
      default:
        return workspace.call('file_ops_hub', {
          operation: 'batch_file_ops',
          config: {
            operations: [
              { operation: 'write_file', path: `batch/${at}`, config: { content: 'one' } },
              { operation: 'edit_file', path: `batch/${at}`, config: { replacements: [{ old_content: 'one', new_content: 'two' }] } },
            ],
          },
        })
    }
  }
  const answers = await Promise.all(Array.from({ length: CALLS }, (_, at) => call(at)))
  expect(answers.filter(({ error }) => error !== null)).toEqual([])

  const read = async (path: string): Promise<string> => new TextDecoder().decode(await readAll(await fs.open(path as Path), 1e6, path))
  const numbers = [...Array(CALLS).keys()]
  const lines = (await read('log.txt')).trim().split('\n').map(Number)
  expect(lines.sort((a, b) => a - b)).toEqual(numbers.filter((at) => at % 7 === 0))
  const edited = numbers.map((at) => (at % 7 === 1 ? `<done ${at}>` : `<token ${at}>`))
  expect(await read('tokens.txt')).toBe(`${edited.join('\n')}\n`)
  for (const at of numbers) {
    if (at % 7 === 2) expect(await read(`new/${at}.txt`)).toBe(`${at}`)
    if (at % 7 === 3) expect(await read(`copies/${at}.txt`)).toBe('x\n')
    if (at % 7 === 6) expect(await read(`batch/${at}`)).toBe('two')
  }
  const writes = numbers.filter((at) => at % 7 !== 4 && at % 7 !== 5).length
  expect(await workspace.verify()).toMatchObject({ records: writes + 1 })
})
