/**
 * A process that is killed at one operation on files: `SCENARIO DIR MODE AT`. With AT 0 it lives, and says how many there were.
 * Only what changes something counts: dying elsewhere is the same as dying around the last of those.
 */
import fs, { readFileSync } from 'node:fs'
import type { Oid } from '../../src/core/repository.ts'
import { openNodeGitDirectory } from '../../src/fs/git/node_directory.ts'
import { type NewObject, newObject } from '../../src/git/objects.ts'

const [, , scenario, dir, mode, at] = process.argv as unknown as [string, string, string, string, 'before' | 'after', string]

let count = 0
function killing<Call extends (...args: never[]) => unknown>(
  call: Call,
  counts: (...args: Parameters<Call>) => boolean = () => true,
): Call {
  const die = (): void => {
    process.kill(process.pid, 'SIGKILL')
  }
  const wrapped = (...args: Parameters<Call>): unknown => {
    if (!counts(...args)) return call(...args)
    const now = ++count === Number(at)
    if (now && mode === 'before') die()
    try {
      return call(...args)
    } finally {
      if (now) die()
    }
  }
  return wrapped as unknown as Call
}

const { openSync, writeSync, renameSync, unlinkSync, rmSync, symlinkSync, mkdirSync, rmdirSync, utimesSync } = fs
Object.assign(fs, {
  openSync: killing(openSync as (path: string, flags: number, mode?: number) => number, (_, flags) => (flags & fs.constants.O_CREAT) !== 0),
  writeSync: killing(writeSync as (fd: number, bytes: Uint8Array, offset: number, length: number) => number),
  renameSync: killing(renameSync),
  unlinkSync: killing(unlinkSync),
  rmSync: killing(rmSync),
  symlinkSync: killing(symlinkSync),
  mkdirSync: killing(mkdirSync as (path: string, options: object) => undefined),
  rmdirSync: killing(rmdirSync),
  utimesSync: killing(utimesSync),
})

const git = await openNodeGitDirectory(dir, { durability: 'process' })
const text = (value: string): Uint8Array => new TextEncoder().encode(value)

/** A commit on top of another, with so many files. */
function commitOn(parent: Oid, files: number): NewObject[] {
  const blobs = Array.from({ length: files }, (_, number) => newObject(git.objects, 'blob', text(`${scenario} ${number}\n`)))
  const entries = blobs.map(({ oid }, number) =>
    Buffer.concat([text(`100644 f${String(number).padStart(4, '0')}\0`), Buffer.from(oid, 'hex')]),
  )
  const tree = newObject(git.objects, 'tree', Buffer.concat(entries))
  const who = 'Ada <ada@example.com> 1767319446 +0000'
  const commit = text(`tree ${tree.oid}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\n${scenario}\n`)
  return [...blobs, tree, newObject(git.objects, 'commit', commit)]
}

const old = (await git.refs.read('refs/heads/work')) as Oid
const acts: { readonly [name: string]: () => Promise<unknown> } = {
  async loose() {
    const objects = commitOn(old, 3)
    await git.objects.write(objects)
    return git.refs.update({ name: 'refs/heads/work', from: old, to: (objects.at(-1) as NewObject).oid, message: 'loose' })
  },
  async pack() {
    const objects = commitOn(old, 80)
    await git.objects.write(objects)
    return git.refs.update({ name: 'refs/heads/work', from: old, to: (objects.at(-1) as NewObject).oid, message: 'pack' })
  },
  async fetch() {
    const sent = readFileSync(`${dir}/../sent.pack`)
    await git.objects.addPack(
      (async function* () {
        for (let from = 0; from < sent.length; from += 4096) yield sent.subarray(from, from + 4096)
      })(),
    )
    const to = readFileSync(`${dir}/../sent.tip`, 'latin1').trim() as Oid
    return git.refs.update({ name: 'refs/heads/work', from: old, to })
  },
  remove: () => git.refs.update({ name: 'refs/heads/work', from: old, to: null }),
}
await acts[scenario]?.()
if (Number(at) === 0) fs.writeFileSync(1, `${count}\n`)
else fs.writeFileSync(1, 'done\n')
