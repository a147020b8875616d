/** T-X-01, T-X-15: hostile paths, sent to every tool of every profile, on a folder on disk. */
import { execFileSync } from 'node:child_process'
import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FileSystem } from '../../src/core/file_system.ts'
import { openNodeGitDirectory } from '../../src/fs/git/node_directory.ts'
import { createGitFs } from '../../src/fs/git.ts'
import { openNodeFs } from '../../src/fs/node.ts'
import { allProfiles } from '../../src/profiles/index.ts'
import { createLocalRunner } from '../../src/runner/local.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { commitAll, initRepository } from '../git/real_git.ts'
import { temporaryFolder } from '../tools/storages.ts'
import { CALLS, type CallOn, toolNamed } from './calls.ts'

const PROFILES = await allProfiles()

/** A call that is stuck, say on a FIFO, is one that hangs. */
const HANGS_MS = 20_000

/** Failures that are about the path that was sent (T-X-15). */
const NAMING = new Set<string>([
  'not_found',
  'outside_root',
  'is_directory',
  'not_directory',
  'not_regular',
  'loop',
  'protected_path',
  'sensitive_path',
])

/** Calls that never fail because of a path: one tells each path's failure by itself, the others take none. */
const NEVER_FAILS = new Set([
  'mcp-filesystem read_multiple_files',
  'mcp-filesystem list_allowed_directories',
  ...['git_log show', 'git_diff from', 'git_branch', 'git_branch create'].map((name) => `git ${name}`),
])

interface Place {
  readonly root: string
  readonly outside: string
}

function makePlace(): Place {
  const folder = temporaryFolder()
  const [root, outside] = [join(folder, 'app'), join(folder, 'app-evil')]
  for (const dir of [root, outside, ...['sub', 'sessions', 'memories'].map((name) => join(root, name))]) mkdirSync(dir)
  writeFileSync(join(outside, 'secret'), 'one secret\n')
  for (const name of ['a.txt', 'sub/b.txt', '..foo', 'sessions/s.txt', 'memories/a.txt', 'é.txt', 'Readme'])
    writeFileSync(join(root, name), 'one\n')
  const links: readonly (readonly [name: string, target: string])[] = [
    ['in', 'sub/b.txt'],
    ['out', '../app-evil/secret'],
    ['outdir', '../app-evil'],
    ['l1', 'l2'],
    ['l2', '../app-evil/secret'],
    ['loop', 'loop'],
    ['dangling-out', '../app-evil/never'],
    ['dangling-in', 'sub/never'],
    ['abs', join(outside, 'secret')],
    ['climb', 'sub/../../app/a.txt'],
    ['sessions/out', '../../app-evil/secret'],
    ['memories/out', '../../app-evil/secret'],
    ['memories/in', '../a.txt'],
  ]
  for (const [name, target] of links) symlinkSync(target, join(root, name))
  linkSync(join(root, 'a.txt'), join(root, 'hard'))
  execFileSync('mkfifo', [join(root, 'fifo')])
  chmodSync(join(root, 'sub'), 0o755)
  return { root, outside }
}

/** The folder, or for tools of a repository a workspace of one that the folder is. */
async function openPlace({ root }: Place, profile: string): Promise<FileSystem> {
  if (profile !== 'git') return openNodeFs({ root, durability: 'process' })
  initRepository(root)
  commitAll(root, 'All but the FIFO')
  return createGitFs({ git: await openNodeGitDirectory(root, { durability: 'process' }) })
}

function hostilePaths({ root, outside }: Place): string[] {
  return [
    ...['', '.', './', '..', '/', '//', '../app-evil/secret', 'sub/../../app-evil/secret', 'a/../../x', 'sub/../a.txt', '..foo'],
    ...['a.txt/', 'a.txt//', 'a.txt/child', 'sub//b.txt', 'sub/', 'sub', './/sub/./b.txt', 'missing/x', 'missing/../a.txt'],
    ...[
      'in',
      'out',
      'outdir',
      'outdir/secret',
      'outdir/new',
      'l1',
      'loop',
      'loop/x',
      'dangling-out',
      'dangling-in',
      'abs',
      'climb',
      'hard',
    ],
    ...['sessions/out', 'sessions/../a.txt', 'fifo', 'a\0b', 'x'.repeat(300), `${'d/'.repeat(3000)}x`, '..\\app-evil\\secret'],
    ...['e\u0301.txt', 'README', '.git/config', '.GIT/config', '.filewright/x', '.env', 'nul', ' a.txt', 'a.txt '],
    ...[
      `${root}/a.txt`,
      `${outside}/secret`,
      `${root}-evil/secret`,
      `${root}/../app-evil/secret`,
      '/etc/passwd',
      '/dev/null',
      '~/x',
      '\ud800',
    ],
  ]
}

/** Everything below a folder: kinds, modes, bytes, link texts, times. */
function snapshot(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const { mode, mtimeMs } = lstatSync(path)
      const held = entry.isFile() ? readFileSync(path, 'latin1') : entry.isSymbolicLink() ? readlinkSync(path) : ''
      return `${path} ${mode.toString(8)} ${mtimeMs} ${held}`
    })
    .sort()
}

/** Every text in a call, also in the operations of a batch. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const rows = Object.entries(CALLS).flatMap(([profile, calls]) => Object.entries(calls).map(([name, on]) => [profile, name, on] as const))

describe('every tool has a call', () => {
  it.each(PROFILES.map(({ name, tools }) => [name, tools.map(({ tool }) => tool.name)] as const))('%s', (profile, tools) => {
    expect([...new Set(Object.keys(CALLS[profile] ?? {}).map(toolNamed))].sort()).toEqual([...tools].sort())
  })
})

describe('hostile paths', () => {
  it.each(rows)(
    '%s: %s',
    async (profile: string, name: string, on: CallOn) => {
      const place = makePlace()
      const before = snapshot(place.outside)
      const fs = await openPlace(place, profile)
      const workspace = await openWorkspace({ fs, profile, runner: createLocalRunner(place.root) })
      const codes = new Set<string | null>()
      for (const path of hostilePaths(place)) {
        const { result, text, error } = await workspace.call(toolNamed(name), on(path))
        codes.add(error?.code ?? null)
        expect(error?.code, `${JSON.stringify(path)}: ${text}`).not.toBe('io_error')
        // A session's paths are told in a form of their own (settled detail 41).
        if (error && NAMING.has(error.code) && profile !== 'sessions' && /^[\x21-\x7e]{1,100}$/.test(path)) {
          const named = [path, ...textsIn(on(path))]
          expect(
            named.some((value) => error.message.includes(value)),
            `${path}: ${error.message}`,
          ).toBe(true)
        }
        const said = JSON.stringify([result, text])
        expect(said, path).not.toMatch(/\\n\s+at /)
        // Only what the caller wrote itself may name a place outside.
        if (error && !path.includes(place.outside)) expect(said, path).not.toContain(place.outside)
      }
      await fs.close()
      expect(snapshot(place.outside)).toEqual(before)
      expect(codes.has('outside_root'), [...codes].join()).toBe(!NEVER_FAILS.has(`${profile} ${name}`))
    },
    HANGS_MS,
  )
})
