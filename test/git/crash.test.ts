/** Our process is killed around each operation on files: the repository is whole, a reference is old or new, and work goes on. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { openNodeGitDirectory } from '../../src/fs/git/node_directory.ts'
import { commitFiles, fsck, git, gitBytes, initRepository, numbers, sampleText, tempDir, tryGit } from './real_git.ts'

const { dir: parent, remove } = tempDir()
afterAll(remove)
const template = join(parent, 'template')
initRepository(template)
const old = commitFiles(template, 'one', { a: sampleText(numbers(1), 300) })
git(template, 'branch', 'work')
git(template, 'branch', 'other')
git(template, 'pack-refs', '--all')
// What a server would send: based on what is here already.
const server = join(parent, 'server')
git(parent, 'clone', '-q', template, server)
const sent = commitFiles(server, 'two', { a: `${sampleText(numbers(1), 300)}more\n`, b: 'new\n' })
const pack = gitBytes(server, ['pack-objects', '--stdout', '--revs', '--thin', '-q'], { input: `${sent}\n^${old}\n` })

/** Every operation, both before and after it, or a few. */
const isLong = process.env.FILEWRIGHT_LONG !== undefined
const KILLS = 4

function act(scenario: string, dir: string, mode: string, at: number): { readonly said: string; readonly isKilled: boolean } {
  const child = fileURLToPath(new URL('crash_child.ts', import.meta.url))
  const args = ['--disable-warning=ExperimentalWarning', child, scenario, dir, mode, String(at)]
  const { stdout, signal, status } = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  if (signal !== 'SIGKILL' && status !== 0) throw new Error(`The child of ${scenario} failed at ${mode} ${at}.`)
  return { said: stdout.trim(), isKilled: signal === 'SIGKILL' }
}

function fresh(name: string): string {
  const place = join(parent, name)
  cpSync(template, join(place, 'repository'), { recursive: true })
  writeFileSync(join(place, 'sent.pack'), pack)
  writeFileSync(join(place, 'sent.tip'), sent)
  return join(place, 'repository')
}

const tipOf = (dir: string): string => tryGit(dir, ['rev-parse', '--verify', '-q', 'refs/heads/work']).stdout.toString().trim()

describe('a process that is killed', () => {
  for (const scenario of ['loose', 'pack', 'fetch', 'remove']) {
    it(`in the midst of: ${scenario}`, { timeout: 300_000 }, async () => {
      const whole = fresh(`${scenario}-whole`)
      const operations = Number(act(scenario, whole, 'before', 0).said)
      expect(operations).toBeGreaterThan(4)
      const after = tipOf(whole)
      expect(after).not.toBe(old)
      fsck(whole)
      const step = isLong ? 1 : Math.ceil(operations / KILLS)
      for (let at = 1; at <= operations; at += step) {
        for (const mode of isLong ? ['before', 'after'] : [at % 2 === 0 ? 'before' : 'after']) {
          const dir = fresh(`${scenario}-${mode}-${at}`)
          expect([mode, at, act(scenario, dir, mode, at).isKilled]).toEqual([mode, at, true])
          expect([old, after]).toContain(tipOf(dir))
          fsck(dir)
          // The same again, and nothing that was left is in the way.
          if (tipOf(dir) === old) expect(act(scenario, dir, 'before', 100_000).said).toBe('done')
          expect(tipOf(dir)).toBe(after)
          const { refs, close } = await openNodeGitDirectory(dir, { durability: 'process', lockWaitMs: 100 })
          expect(await refs.update({ name: 'refs/heads/other', from: old as never, to: null })).toBe(true)
          await close()
          expect(readFileSync(join(dir, '.git/packed-refs'), 'utf8')).not.toContain('refs/heads/other')
          fsck(dir)
        }
      }
    })
  }
})
