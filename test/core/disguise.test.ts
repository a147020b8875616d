/** Names that open git's directory on some platform, and names that only look like it. */
import { expect, test } from 'vitest'
import { DOT_GIT, opensAs } from '../../src/core/disguise.ts'

const OPENS = [
  '.git',
  '.GIT',
  '.Git',
  'git~1',
  'GIT~1',
  '.git.',
  '.git ',
  '.git. .',
  '.g\u200cit',
  '\u200c.Git',
  '.gI\u200cT',
  '.git\ufeff',
]
const OPENS_ELSEWHERE = ['.git::$INDEX_ALLOCATION', '.git...:alternate-stream', '.\\.GIT\\config', '.git\\hooks', 'a\\.git', 'git~1:x']
const OTHERS = ['.gitignore', '.gitmodules', '.github', 'git', 'git~2', '.git-', '.gi', '..git', '. git', '.git~1', '.gít', '']

test.each([...OPENS, ...OPENS_ELSEWHERE])('%j opens .git', (name) => expect(opensAs(name, DOT_GIT)).toBe(true))
test.each(OTHERS)('%j does not', (name) => expect(opensAs(name, DOT_GIT)).toBe(false))
