/** The commands in docs/git.md and in README's section on git run as they stand there. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commitFiles, fsck, GIT_ENVIRONMENT, git, initRepository } from '../git/real_git.ts'
import { CACHE, MAIN, temporaryFolder } from './command.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The blocks of a file that are for a shell, one after another. */
function blocks(file: string, heading?: string): string {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const part = heading === undefined ? text : (text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
  return [...part.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('\n')
}

/** Runs them in a folder, with `filewright` as a command. */
function shell(script: string, cwd: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const programs = join(temporaryFolder(), 'bin')
  mkdirSync(programs)
  writeFileSync(join(programs, 'filewright'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, { mode: 0o755 })
  const env = { ...GIT_ENVIRONMENT, PATH: `${programs}${delimiter}${process.env.PATH}`, NODE_COMPILE_CACHE: CACHE }
  return spawnSync('sh', ['-e', '-c', script], { cwd, env, encoding: 'utf8' })
}

describe('the commands run', { timeout: 60_000 }, () => {
  test('of docs/git.md', () => {
    const folder = temporaryFolder()
    const { status, stdout, stderr } = shell(blocks('docs/git.md'), folder)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('On branch filewright/main')
    expect(stdout).toContain('+2\n')
    const project = join(folder, 'project')
    expect(git(project, 'ls-tree', '--name-only', 'filewright/main')).toContain('b.txt')
    expect(git(project, 'status', '--porcelain')).toBe('')
    fsck(project)
  })

  test('and so does the program of docs/git.md', () => {
    const folder = temporaryFolder()
    initRepository(folder)
    commitFiles(folder, 'First', { a: 'a\n' })
    const [, block = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/git.md'), 'utf8')) ?? []
    const entries = { filewright: 'index', 'filewright/fs/git': 'git', 'filewright/fs/git-node': 'git_node' }
    const program = Object.entries(entries).reduce(
      (text, [name, file]) => text.replace(`'${name}'`, JSON.stringify(join(ROOT, `src/${file}.ts`))),
      block.replace('/path/to/project', folder),
    )
    const shown = `const { text } = await workspace.call('git_status', {})\nconsole.log(text)\nawait workspace.close()\n`
    writeFileSync(join(folder, 'program.mts'), program + shown)
    const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', join(folder, 'program.mts')], { encoding: 'utf8' })
    expect({ stdout, stderr }).toEqual({ stdout: expect.stringMatching(/^branch filewright\/agent, at [0-9a-f]+/), stderr: '' })
  })

  test('of README', () => {
    const folder = temporaryFolder()
    initRepository(folder)
    commitFiles(folder, 'First', { a: 'a\n' })
    const { status, stdout, stderr } = shell(blocks('README.md', 'On a git repository'), folder)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('new file:   NOTES.md')
    expect(stdout).toMatch(/[0-9a-f]{7} Notes\n[0-9a-f]{7} First/)
    expect(git(folder, 'status', '--porcelain')).toBe('')
    fsck(folder)
  })
})
