/** Packs as servers send them, made by git. */
import { join } from 'node:path'
import { commitFiles, git, gitBytes, initRepository, numbers, sampleText, tempDir } from '../real_git.ts'

/** A pack, and what it must become. */
export interface SentPack {
  readonly name: string
  readonly pack: Buffer
}

/** A repository whose packs are full of differences of all kinds, with the packs. */
export interface PackSource {
  readonly dir: string
  /** What a clone gets, by kind. */
  readonly whole: readonly SentPack[]
  /** What a fetch gets: based on what `old` has. */
  readonly thin: SentPack
  readonly old: string
  readonly tip: string
  remove(): void
}

export function packSource(): PackSource {
  const { dir: parent, remove } = tempDir()
  const dir = join(parent, 'source')
  initRepository(dir)
  const random = numbers(3)
  const long = sampleText(random, 800)
  let old = ''
  for (let at = 0; at < 40; at++) {
    const lines = long.split('\n')
    lines.splice(at * 7, 2, `changed in ${at}`, sampleText(random, 1).trim())
    const tip = commitFiles(dir, `Change ${at}`, {
      'src/long.txt': lines.join('\n'),
      [`src/new${at}.txt`]: sampleText(random, 20),
      [`src/deep/${at % 5}/x.txt`]: `${lines.slice(at, at + 200).join('\n')}\n`,
    })
    if (at === 30) old = tip
  }
  const tip = git(dir, 'rev-parse', 'HEAD')
  const pack = (name: string, revisions: string, ...options: string[]): SentPack => {
    const args = ['pack-objects', '--stdout', '--revs', '--no-reuse-delta', '--no-reuse-object', '-q', ...options]
    return { name, pack: gitBytes(dir, args, { input: revisions }) }
  }
  return {
    dir,
    old,
    tip,
    remove,
    whole: [
      pack('differences by distance', `${tip}\n`, '--delta-base-offset', '--depth=200', '--window=50'),
      pack('differences by name', `${tip}\n`, '--depth=200', '--window=50'),
      pack('no differences', `${tip}\n`, '--depth=0'),
      pack('nothing', `${tip}\n^${tip}\n`),
    ],
    thin: pack('thin', `${tip}\n^${old}\n`, '--thin', '--delta-base-offset'),
  }
}

/** A body in parts of some size. */
export async function* sent(pack: Uint8Array, size = 8192): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < pack.length; at += size) yield pack.subarray(at, at + size)
}
