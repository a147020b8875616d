/** Several processes move one reference at once, ours and git's: no move is ever lost. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { commitFiles, fsck, GIT_ENVIRONMENT, git, initRepository, tempDir } from './real_git.ts'

const COUNT = Number(process.env.FILEWRIGHT_LONG ? 400 : 40)

function running(command: string, args: readonly string[], cwd: string): Promise<number | null> {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { cwd, env: GIT_ENVIRONMENT, stdio: ['ignore', 'ignore', 'inherit'] })
    child.on('error', failed)
    child.on('close', done)
  })
}

const ours = (dir: string, name: string): Promise<number | null> => {
  const child = fileURLToPath(new URL('race_child.ts', import.meta.url))
  return running(process.execPath, ['--disable-warning=ExperimentalWarning', child, dir, name, String(COUNT)], dir)
}

/** The same with git's commands. */
const theirs = (dir: string, name: string): Promise<number | null> => {
  const script = `
    done=0
    while [ $done -lt ${COUNT} ]; do
      parent=$(git rev-parse refs/heads/shared)
      commit=$(git commit-tree -m "${name} $done" -p $parent 4b825dc642cb6eb9a060e54bf8d69288fbee4904)
      if git update-ref refs/heads/shared $commit $parent 2>/dev/null; then done=$((done + 1)); fi
    done`
  return running('/bin/sh', ['-c', script], dir)
}

it('two of ours, one of git, and git that packs references all the while', async () => {
  const { dir, remove } = tempDir()
  try {
    initRepository(dir)
    commitFiles(dir, 'first', { a: '1' })
    git(dir, 'hash-object', '-t', 'tree', '-w', '/dev/null')
    git(dir, 'branch', 'shared')
    let isDone = false
    const packing = (async () => {
      // It may find the reference locked.
      while (!isDone) await running('/bin/sh', ['-c', 'git pack-refs --all 2>/dev/null'], dir)
    })()
    const ends = await Promise.all([ours(dir, 'one'), ours(dir, 'two'), theirs(dir, 'three')])
    isDone = true
    await packing
    expect(ends).toEqual([0, 0, 0])
    expect(Number(git(dir, 'rev-list', '--count', 'shared'))).toBe(1 + 3 * COUNT)
    // Every move is in the log, one after another.
    const moves = git(dir, 'reflog', 'show', '--format=%H', 'shared').split('\n')
    expect(moves.length).toBe(1 + 3 * COUNT)
    fsck(dir)
  } finally {
    remove()
  }
})
