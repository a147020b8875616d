/**
 * Simulated power cuts: a file system in a file is cut off from its device while a process commits, and mounted again. Needs
 * root, a C compiler and mkfs.
 *
 *     node test/fs/node/power_cut.ts [cuts] [ext4|xfs] [power|process]
 */
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { openNodeFs } from '../../../src/fs/node.ts'
import { commit, write } from '../../../src/testing/setup.ts'
import { problemsOf } from './scenarios.ts'

const [cuts, kind, durability] = [Number(process.argv[2] ?? 20), process.argv[3] ?? 'ext4', process.argv[4] ?? 'power']
const base = mkdtempSync(join(tmpdir(), 'filewright-power-'))
const [image, at, goDown] = [join(base, 'image'), join(base, 'disk'), join(base, 'godown')]
const root = join(at, 'root')
const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const run = (command: string, ...args: string[]): unknown => execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function unmount(): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      run('umount', at)
      return
    } catch (error) {
      if (tries === 100) throw error
      await pause(50)
    }
  }
}

/** One cut. Returns what went wrong. */
async function cut(): Promise<{ acknowledged: number; problems: string[] }> {
  rmSync(image, { force: true })
  closeSync(openSync(image, 'w'))
  truncateSync(image, (kind === 'xfs' ? 320 : 64) << 20)
  run(`mkfs.${kind}`, kind === 'xfs' ? '-qf' : '-qF', image)
  run('mount', '-o', 'loop', image, at)
  mkdirSync(root)
  run('sync')
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', beside('power_child.ts'), root, durability], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let heard = ''
  const last = (): number =>
    Number(
      heard
        .slice(0, heard.lastIndexOf('\n') + 1)
        .trim()
        .split('\n')
        .at(-1) ?? 0,
    )
  child.stdout.on('data', (data) => {
    heard += data
  })
  while (last() < 2) await pause(2)
  await pause(Math.random() * 300)
  // Only what was heard before the cut counts as acknowledged.
  const acknowledged = last()
  run(goDown, at)
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exited
  await unmount()
  run('mount', '-o', 'loop', image, at)
  const problems: string[] = []
  let fs: FileSystem | null = null
  try {
    fs = await openNodeFs({ root, durability: 'process' })
    const [a, b] = [readFileSync(join(root, 'a'), 'utf8'), readFileSync(join(root, 'b'), 'utf8')]
    const turn = Number(a.slice(0, 8))
    if (a !== `${turn}`.padStart(8, '0').repeat(8192) || a !== b) problems.push(`torn: a ${a.length} bytes, b ${b.length} bytes`)
    if (turn < acknowledged) problems.push(`${acknowledged - turn} acknowledged commits are lost`)
    for (let i = 1; i <= turn; i++)
      if (!existsSync(join(root, `n${i}`)) || readFileSync(join(root, `n${i}`), 'utf8') !== `${i}`) problems.push(`n${i} is lost`)
    if (existsSync(join(root, `n${turn + 1}`))) problems.push(`n${turn + 1} is too much`)
    const [record] = await fs.records({ limit: 1 })
    if (record?.id !== `turn${turn}`) problems.push(`the journal ends at ${record?.id}, the files at ${turn}`)
    problems.push(...(await problemsOf(fs, root)))
    await commit(fs, write(fs, 'after', 'after'))
  } catch (error) {
    problems.push(String(error))
  }
  await fs?.close()
  await unmount()
  return { acknowledged, problems }
}

let bad = 0
let acknowledged = 0
try {
  mkdirSync(at)
  run('cc', '-o', goDown, beside('godown.c'))
  for (let i = 0; i < cuts; i++) {
    const found = await cut()
    acknowledged += found.acknowledged
    if (found.problems.length === 0) continue
    bad++
    console.log(`  cut ${i}:`, found.problems.slice(0, 5))
  }
} finally {
  if (statSync(at).dev !== statSync(base).dev) await unmount()
  rmSync(base, { recursive: true, force: true })
}
console.log(
  `${kind}, durability ${durability}: ${cuts} cuts, ${acknowledged} acknowledged commits, ${bad} cuts with something lost or torn`,
)
process.exitCode = bad === 0 ? 0 : 1
