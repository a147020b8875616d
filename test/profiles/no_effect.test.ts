/** T-X-07, T-X-08: dry runs and reading leave no trace, whether they succeed or fail, on a folder on disk. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openNodeGitDirectory } from '../../src/fs/git/node_directory.ts'
import { createGitFs } from '../../src/fs/git.ts'
import { openNodeFs } from '../../src/fs/node.ts'
import { allProfiles } from '../../src/profiles/index.ts'
import { OPERATIONS } from '../../src/tools/operations.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { commitAll, initRepository } from '../git/real_git.ts'
import { temporaryFolder } from '../tools/storages.ts'
import { CALLS, toolNamed } from './calls.ts'

const PROFILES = await allProfiles()

const PATHS = [
  'a.txt',
  'x.json',
  'sub',
  'sub/b.txt',
  'new/x',
  'missing',
  'link',
  'out',
  '.env',
  'x.log',
  '.git/x',
  '../x',
  '.',
  'sessions/s.txt',
]

function makeRoot(): string {
  const root = temporaryFolder()
  for (const dir of ['sub', 'sessions']) mkdirSync(join(root, dir))
  for (const name of ['a.txt', 'sub/b.txt', 'x.log', 'sessions/s.txt']) writeFileSync(join(root, name), 'one\ntwo\n')
  writeFileSync(join(root, 'x.json'), '{"a": 1}\n')
  writeFileSync(join(root, '.gitignore'), '*.log\n')
  symlinkSync('sub/b.txt', join(root, 'link'))
  symlinkSync('/etc/hostname', join(root, 'out'))
  for (const name of ['a.txt', 'sub/b.txt', 'sub', '.']) utimesSync(join(root, name), 1e9, 1e9)
  return root
}

/** Names, modes, times and bytes. */
function snapshot(root: string): string[] {
  return [root, ...readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name))].sort().map((path) => {
    const stats = lstatSync(path)
    return `${path} ${stats.mode.toString(8)} ${stats.mtimeMs} ${stats.isFile() ? readFileSync(path, 'latin1') : ''}`
  })
}

async function callsLeaveNoTrace(profile: string, calls: readonly (readonly [tool: string, args: object])[]): Promise<number> {
  const root = makeRoot()
  const isGit = profile === 'git'
  if (isGit) {
    initRepository(root)
    commitAll(root, 'All')
  }
  const before = snapshot(root)
  const fs = isGit
    ? await createGitFs({ git: await openNodeGitDirectory(root, { durability: 'process' }) })
    : await openNodeFs({ root, durability: 'process' })
  const workspace = await openWorkspace({ fs, profile })
  let succeeded = 0
  for (const [tool, args] of calls) {
    const { error, text } = await workspace.call(tool, args)
    if (!error) succeeded++
    expect(snapshot(root), `${tool} ${JSON.stringify(args)}: ${text}`).toEqual(before)
  }
  await fs.close()
  return succeeded
}

describe('dry runs of the fileops tools', () => {
  const changing = Object.entries(CALLS.fileops ?? {}).filter(([name]) => !/^(view|diff|validate|file|list|search|backup)/.test(name))
  it.each(changing)('%s', async (name, on) => {
    const calls = PATHS.flatMap((path) => [
      [toolNamed(name), { ...on(path), dry_run: true }] as const,
      [toolNamed(name), { ...on(path), dry_run: true, backup_root: 'kept', allow_ignored: true }] as const,
    ])
    const succeeded = await callsLeaveNoTrace('fileops', calls)
    // There is no backup yet that could be rolled back.
    if (!name.startsWith('rollback_file')) expect(succeeded).toBeGreaterThan(0)
  })

  it('a batch of all of them', async () => {
    const operations = [
      { operation: 'write_file', path: 'new/x', config: { content: 'x' } },
      { operation: 'edit_file', path: 'a.txt', config: { replacements: [{ old_content: 'one', new_content: '1' }] } },
      { operation: 'copy_file', path: 'sub', config: { destination_path: 'sub2', recursive: true } },
      { operation: 'move_file', path: 'sub', config: { destination_path: 'sub3' } },
      { operation: 'delete_file', path: 'x.json' },
      { operation: 'create_directory', path: 'd/e' },
      { operation: 'backup_file', path: 'a.txt' },
    ]
    expect(operations.every(({ operation }) => operation in OPERATIONS)).toBe(true)
    const batch = { operation: 'batch_file_ops', config: { operations, dry_run: true } }
    expect(await callsLeaveNoTrace('fileops', [['file_ops_hub', batch]])).toBe(1)
  })
})

describe('dry runs of the native tools', () => {
  const changing = Object.entries(CALLS.native ?? {}).filter(([name]) => /^(write|edit|batch)/.test(name))
  it.each(changing)('%s', async (name, on) => {
    const calls = PATHS.flatMap((path) => [
      [toolNamed(name), { ...on(path), dry_run: true }] as const,
      [toolNamed(name), { ...on(path), dry_run: true, allow_ignored: true, allow_sensitive: true }] as const,
    ])
    const succeeded = await callsLeaveNoTrace('native', calls)
    // There is nothing yet that could be taken back.
    if (!/restore|undo/.test(name)) expect(succeeded).toBeGreaterThan(0)
  })
})

describe('dry runs of the git tools', () => {
  const changing = Object.entries(CALLS.git ?? {}).filter(([name]) => / (of|create)$/.test(name))
  it.each(changing)('%s', async (name, on) => {
    const calls = PATHS.flatMap((path) => [
      [toolNamed(name), { ...on(path), dry_run: true }] as const,
      [
        toolNamed(name),
        { ...on('name'), dry_run: true, ...(name.startsWith('git_commit') ? { paths: ['.'], allow_empty: true } : {}) },
      ] as const,
    ])
    expect(await callsLeaveNoTrace('git', calls)).toBeGreaterThan(0)
  })
})

describe('tools that read', () => {
  const reading = PROFILES.map(({ name, tools }) => [name, tools.filter(({ tool }) => tool.kind === 'read')] as const)
  it.each(reading.filter(([, tools]) => tools.length > 0))('%s', async (profile, tools) => {
    const reading = new Set(tools.map(({ tool }) => tool.name))
    const rows = Object.entries(CALLS[profile] ?? {}).filter(([name]) => reading.has(toolNamed(name)))
    const calls = rows.flatMap(([name, on]) => PATHS.map((path) => [toolNamed(name), on(path)] as const))
    expect(await callsLeaveNoTrace(profile, calls)).toBeGreaterThan(0)
  })
})
