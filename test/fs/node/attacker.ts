/** Somebody who exchanges a directory and a link to the outside, over and over, while a storage works. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('swap.c', import.meta.url))
/** The same without a compiler: slower, so it hits less often. */
const SCRIPT = `
const { renameSync } = require('node:fs')
const [, a, b] = process.argv
for (;;) for (const [from, to] of [[a, a + '.held'], [b, a], [a + '.held', b]]) try { renameSync(from, to) } catch {}
`

/** A folder under attack. */
export interface Battlefield {
  readonly root: string
  readonly outside: string
  /** True when the exchange is the kernel's own. */
  readonly atomic: boolean
  /** What is outside that should not be, and what should be and is not. */
  damage(): string[]
  stop(): Promise<void>
}

const INSIDE = 'inside'
export const SECRET = 'SECRET, and of another length'

/** Begins an attack: `d` in the root is by turns a directory and a link to a directory outside with files of the same names. */
export async function attack(): Promise<Battlefield> {
  const base = mkdtempSync(join(statSync('/dev/shm', { throwIfNoEntry: false }) ? '/dev/shm' : tmpdir(), 'filewright-race-'))
  const root = join(base, 'root')
  const outside = join(base, 'outside')
  mkdirSync(join(root, 'd', 'sub'), { recursive: true })
  mkdirSync(join(outside, 'sub'), { recursive: true })
  for (const name of ['f', 'gone', 'sub/f']) {
    writeFileSync(join(root, 'd', name), INSIDE)
    writeFileSync(join(outside, name), SECRET)
  }
  symlinkSync('../outside', join(root, 'x'))
  const expected = listing(outside)
  const program = join(base, 'swap')
  let atomic = true
  try {
    execFileSync('cc', ['-O2', '-o', program, SOURCE], { stdio: 'ignore' })
  } catch {
    atomic = false
  }
  const paths = [join(root, 'd'), join(root, 'x')]
  const child = atomic ? spawn(program, paths, { stdio: 'ignore' }) : spawn(process.execPath, ['-e', SCRIPT, ...paths], { stdio: 'ignore' })
  await new Promise((resolve) => setTimeout(resolve, 100))
  if (child.exitCode !== null) throw new Error('The attacker gave up.')
  return {
    root,
    outside,
    atomic,
    damage: () => {
      const now = listing(outside)
      return [
        ...now.filter((line) => !expected.includes(line)),
        ...expected.filter((line) => !now.includes(line)).map((line) => `lost ${line}`),
      ]
    },
    async stop() {
      // Its last exchange must not come into the clearing away.
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await exited
      rmSync(base, { recursive: true, force: true })
    },
  }
}

function listing(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    return entry.isFile() ? `${path}: ${readFileSync(path, 'utf8')}` : path
  })
}
