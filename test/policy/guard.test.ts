/** The guards' rules, one line each. */
import { describe, expect, it } from 'vitest'
import type { Path } from '../../src/core/path.ts'
import { guardPath } from '../../src/policy/guard.ts'
import { checkPortableName } from '../../src/policy/portable.ts'
import { checkProtected } from '../../src/policy/protected.ts'
import { checkSensitive } from '../../src/policy/sensitive.ts'

const protectedPaths = [
  '.git/config',
  '.git',
  '.GIT/hooks/x',
  '.g\u200cit/config',
  'git~1/config',
  '.git./config',
  '.git /x',
  'sub/.git/hooks/x',
  '.git::$INDEX_ALLOCATION/config',
  '.git\\hooks\\x',
  '.git...:alternate-stream',
  '.filewright/journal',
  '.filewright',
  'FILEWR~1/x',
  'filewr~2',
  '.\\.filewright\\x',
]
const plainPaths = [
  '.gitignore',
  '.github/workflows/ci.yml',
  'git/config',
  'a.git/config',
  'sub/.filewright/x',
  'gitconfig',
  '.gitmodules',
  'git~x',
]

const sensitivePaths = [
  '.env',
  'sub/.env.local',
  '.ENV',
  'sub/ID_RSA',
  'x.PEM',
  'server.key',
  'a.p12',
  '.netrc',
  '_netrc',
  '.npmrc',
  'credentials.json',
  'service-account-7.json',
  'secrets.yaml',
  '.ssh/config',
  'home/.aws/credentials',
  '.docker/config.json',
]
const harmlessPaths = [
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env.dist',
  'id_rsa.pub',
  'environment',
  'keyboard.ts',
  '.docker/daemon.json',
  'config.json',
  'secrets.md',
]

describe('protected paths', () => {
  it.each(protectedPaths)('%s', (path) => expect(checkProtected(path as Path, { allowGitInternals: false })?.code).toBe('protected_path'))
  it.each(plainPaths)('%s is not', (path) => expect(checkProtected(path as Path, { allowGitInternals: false })).toBeNull())
  it('the operator lifts git, never the store', () => {
    expect(checkProtected('.git/config' as Path, { allowGitInternals: true })).toBeNull()
    expect(checkProtected('.filewright/x' as Path, { allowGitInternals: true })).not.toBeNull()
  })
})

describe('sensitive paths', () => {
  it.each(sensitivePaths)('%s', (path) => expect(checkSensitive(path as Path)?.code).toBe('sensitive_path'))
  it.each(harmlessPaths)('%s is not', (path) => expect(checkSensitive(path as Path)).toBeNull())
})

describe('guardPath', () => {
  const options = {
    allowGitInternals: false,
    allowIgnored: false,
    allowSensitive: false,
    isHidden: (path: Path) => path === 'kept/x',
    ignored: async () => ({ code: 'ignored_path', rule: '*', source: '.gitignore:1' }) as const,
  }
  it('reports protected before sensitive before ignored', async () => {
    await expect(guardPath('x', ['.git/.env' as Path], options)).rejects.toMatchObject({ code: 'protected_path' })
    await expect(guardPath('x', ['.env' as Path], options)).rejects.toMatchObject({ code: 'sensitive_path' })
    await expect(guardPath('x', ['a.log' as Path], options)).rejects.toMatchObject({
      code: 'ignored_path',
      message: expect.stringContaining('.gitignore:1'),
    })
  })
  it('protects folders of backups', async () => {
    const allowed = { ...options, allowIgnored: true, allowSensitive: true }
    await expect(guardPath('kept/x', ['kept/x' as Path], allowed)).rejects.toMatchObject({ code: 'protected_path' })
  })
  it('looks at every spelling', async () => {
    await expect(guardPath('link', ['link' as Path, '.git/config' as Path], { ...options, allowIgnored: true })).rejects.toMatchObject({
      code: 'protected_path',
    })
  })
  it('lets allowed paths pass', async () => {
    await expect(guardPath('x', ['.env' as Path], { ...options, allowIgnored: true, allowSensitive: true })).resolves.toBeUndefined()
  })
})

describe('portable names', () => {
  it.each(['CON', 'nul.txt', 'COM1', 'LPT9.log', 'a.txt.', 'a.txt ', 'f.txt:evil', 'a\\b', 'inv\u202efdp.exe', 'a\u200b.txt', '~', 'a?'])(
    '%s is refused',
    (name) => {
      expect(() => checkPortableName(name, name)).toThrowError(expect.objectContaining({ code: 'invalid_name' }))
    },
  )
  it.each(['a.txt', 'console.ts', '.env', 'com10', 'é.md', '😀'])('%s is fine', (name) =>
    expect(() => checkPortableName(name, name)).not.toThrow(),
  )
})
