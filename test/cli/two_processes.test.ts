/** T-X-11: two processes edit one file that both saw: exactly one of them wins, the other is told that its hash is stale. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../tools/storages.ts'
import { run } from './command.ts'

const ROUNDS = Number(process.env.FILEWRIGHT_TWO_PROCESS_ROUNDS ?? 3)
const TIMEOUT_MS = 120_000

it(
  'exactly one edit wins',
  async () => {
    const root = temporaryFolder()
    const file = join(root, 'a.txt')
    for (let round = 0; round < ROUNDS; round++) {
      writeFileSync(file, 'start\n')
      const expected = createHash('sha256').update('start\n').digest('hex')
      const edit = (word: string) => {
        const replacements = [{ old_content: 'start', new_content: word }]
        const args = { file_path: 'a.txt', replacements, expected_sha256: expected }
        return run(['call', '--profile', 'fileops', 'edit_file', JSON.stringify(args), '--root', root, '--json'])
      }
      const ended = await Promise.all([edit('first'), edit('second')])
      const answers = ended.map(({ stdout }) => JSON.parse(stdout))
      const winners = answers.filter((answer) => answer.changed === true)
      expect(winners, JSON.stringify(answers)).toHaveLength(1)
      expect(ended.map(({ status }) => status).sort()).toEqual([0, 5])
      expect(answers.find((answer) => answer.error)?.error).toContain('stale_expected_sha256')
      expect(readFileSync(file, 'utf8')).toBe(answers[0] === winners[0] ? 'first\n' : 'second\n')
    }
  },
  TIMEOUT_MS,
)
