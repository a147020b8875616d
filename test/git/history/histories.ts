/** Histories that look random and are the same each time, made by the real git, and our own reading of them. */
import { join } from 'node:path'
import type { Oid } from '../../../src/core/repository.ts'
import { openNodeGitFiles } from '../../../src/fs/git/node_files.ts'
import { platformGit } from '../../../src/git/host_platform.ts'
import { createObjectDatabase, type OwnedObjectDatabase } from '../../../src/git/object_database.ts'
import { git, gitBytes, initRepository } from '../real_git.ts'

/** A file of a made commit. */
export interface MadeFile {
  readonly mode: '100644' | '100755' | '120000'
  readonly text: string | Uint8Array
}

/** A commit to be made: parents are places in the list. */
export interface MadeCommit {
  readonly parents: readonly number[]
  /** Seconds. */
  readonly time: number
  readonly files: ReadonlyMap<string, MadeFile>
}

/** How clocks run: apart by seconds, all the same within a minute, or wrong by hours. */
export type Clocks = 'right' | 'equal' | 'skewed'

/** Makes commits in a repository that has none, in one go; their names. A branch `b<n>` stands at each. */
export function makeCommits(dir: string, commits: readonly MadeCommit[]): Oid[] {
  initRepository(dir)
  const parts: Uint8Array[] = []
  const say = (text: string): void => void parts.push(Buffer.from(text))
  commits.forEach(({ parents, time, files }, at) => {
    say(`reset refs/heads/b${at}\n\n`)
    say(`commit refs/heads/b${at}\nmark :${at + 1}\ncommitter C <c@example.com> ${time} +0000\ndata ${String(at).length}\n${at}\n`)
    parents.forEach((parent, place) => {
      say(`${place === 0 ? 'from' : 'merge'} :${parent + 1}\n`)
    })
    say('deleteall\n')
    for (const [path, { mode, text }] of files) {
      const bytes = Buffer.from(text)
      say(`M ${mode} inline "${quoted(path)}"\ndata ${bytes.length}\n`)
      parts.push(bytes, Buffer.from('\n'))
    }
  })
  gitBytes(dir, ['fast-import', '--quiet', '--force'], { input: Buffer.concat(parts) })
  const names = new Map(
    git(dir, 'for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads/')
      .split('\n')
      .map((line) => line.split(' ') as [string, Oid]),
  )
  return commits.map((_, at) => names.get(`b${at}`) as Oid)
}

/** A path's bytes are its characters. */
function quoted(path: string): string {
  return [...path].map((char) => (/[\w./~ -]/.test(char) ? char : `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)).join('')
}

/** The objects of a repository with a worktree, as the product reads them. */
export function openObjects(dir: string): OwnedObjectDatabase {
  return createObjectDatabase(openNodeGitFiles(join(dir, '.git')), platformGit())
}

/** A whole number below `end`. */
export function below(random: () => number, end: number): number {
  return Math.floor(random() * end)
}

/** Commits with branches and merges, criss-cross ones too, and a few files that change. */
export function randomCommits(random: () => number, count: number, clocks: Clocks): MadeCommit[] {
  const commits: MadeCommit[] = []
  const paths = ['a', 'd/a', 'd/b', 'd/e/c', 'f', 'f/x']
  for (let at = 0; at < count; at++) {
    const near = (): number => Math.max(0, at - 1 - below(random, 5))
    const parents =
      at === 0 || random() < 0.04 ? [] : [...new Set([near(), ...(random() < 0.35 ? [near()] : []), ...(random() < 0.05 ? [near()] : [])])]
    const first = commits[parents[0] ?? -1]
    const files = new Map(first?.files)
    // A merge takes one side, or some of each, or makes something new.
    for (const parent of parents.slice(1)) {
      for (const [path, file] of (commits[parent] as MadeCommit).files) if (random() < 0.5) set(files, path, file)
    }
    if (parents.length < 2 || random() < 0.3) {
      const path = paths[below(random, paths.length)] as string
      if (random() < 0.2) files.delete(path)
      else set(files, path, { mode: random() < 0.1 ? '100755' : '100644', text: `${below(random, 4)}\n` })
    }
    const day = 1_700_000_000
    const time = { right: at * 10, equal: Math.floor(at / 6) * 10, skewed: at * 10 + below(random, 10_000) }[clocks]
    commits.push({ parents, time: day + time, files })
  }
  return commits
}

/** Puts a file; what stands in its way goes. */
function set(files: Map<string, MadeFile>, path: string, file: MadeFile): void {
  for (const other of [...files.keys()]) if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other)
  files.set(path, file)
}

/** What each commit leads to, itself included, by places in the list. */
export function ancestors(commits: readonly MadeCommit[]): ReadonlySet<number>[] {
  const sets: Set<number>[] = []
  commits.forEach(({ parents }, at) => {
    sets.push(new Set([at, ...parents.flatMap((parent) => [...(sets[parent] as Set<number>)])]))
  })
  return sets
}
