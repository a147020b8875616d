/** Repositories that the rows about git work on, made by the same generator as the other files. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type Random, sourceText } from './corpus.ts'

/** Bare repositories, each with one pack and the branch `main`. */
export interface GitCorpus {
  /** 5,000 files of source code; every tenth has changed twice since its first commit. */
  readonly small: string
  /** As the small one, with 50,000 files. */
  readonly large: string
  /** Binary files, of one gibibyte together, one of them of 200 MB, in a pack of that size. */
  readonly heavy: string
}

const [SMALL_FILES, LARGE_FILES] = [5000, 50_000]
const MEGABYTE = 1024 * 1024
const [HEAVY_FILES, HEAVIEST_BYTES] = [824, 200 * MEGABYTE]
/** The environment of git: nothing of the user's. */
export const GIT_ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
}

/** The repositories, made where they are not there yet; `heavy` only when asked for. */
export async function makeGitCorpus(folder: string, wanted: readonly (keyof GitCorpus)[]): Promise<GitCorpus> {
  const places = { small: join(folder, 'git-small'), large: join(folder, 'git-large'), heavy: join(folder, 'git-heavy') }
  for (const name of wanted) {
    if (existsSync(places[name])) continue
    console.error(`making the repository ${name} …`)
    // A run that is stopped leaves nothing half-made.
    const making = `${places[name]}.making`
    rmSync(making, { recursive: true, force: true })
    mkdirSync(making)
    await git(making, ['init', '-q', '--bare', '-b', 'main'])
    await git(
      making,
      ['-c', 'core.compression=-1', 'fast-import', '--quiet'],
      name === 'heavy' ? heavy() : sources(name === 'small' ? SMALL_FILES : LARGE_FILES),
    )
    // As `git gc` leaves a repository with a release: what fast-import writes is packed for speed.
    if (name !== 'heavy') {
      await git(making, ['tag', 'v1', 'main~2'])
      await git(making, ['repack', '-q', '-a', '-d', '-f'])
    }
    renameSync(making, places[name])
  }
  return places
}

/** Runs git; throws when it fails. */
async function git(dir: string, args: readonly string[], input?: Iterable<string | Uint8Array>): Promise<void> {
  const child = spawn('git', args, { cwd: dir, env: GIT_ENVIRONMENT, stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  for (const part of input ?? []) {
    if (!child.stdin.write(part)) await new Promise((resolve) => child.stdin.once('drain', resolve))
  }
  child.stdin.end()
  if ((await ended) !== 0) throw new Error(`git ${args.join(' ')} failed.`)
}

function* sources(count: number): Generator<string> {
  const random = createRandom(count)
  const sizes = Array.from({ length: count }, () => 200 + random.below(8000))
  for (let version = 0; version < 3; version++) {
    yield header(`version ${version}`)
    for (let at = 0; at < count; at++) {
      if (version > 0 && at % 10 !== 0) continue
      yield* file(pathOf(at), textOf(at, sizes[at] as number, version))
    }
  }
}

/** About twenty files in a directory, three deep. */
function pathOf(at: number): string {
  return `part${Math.floor(at / 1000)}/module${Math.floor(at / 100) % 10}/group${Math.floor(at / 20) % 5}/source${at}.ts`
}

/** A later version has some lines more. */
function textOf(at: number, size: number, version: number): string {
  const random: Random = createRandom(at)
  let text = sourceText(random, size, '\n')
  for (let i = 0; i < version; i++) text += sourceText(random, 200, '\n')
  return text
}

function* heavy(): Generator<string | Uint8Array> {
  yield header('heavy')
  for (let at = 0; at <= HEAVY_FILES; at++) {
    const size = at === HEAVY_FILES ? HEAVIEST_BYTES : MEGABYTE
    yield `M 100644 inline data${at % 10}/binary${at}\ndata ${size}\n`
    for (let left = size; left > 0; left -= MEGABYTE) yield noise(at * 1000 + left / MEGABYTE)
    yield '\n'
  }
}

function header(message: string): string {
  return `commit refs/heads/main\ncommitter Cora <cora@example.com> 1767319446 +0000\ndata ${message.length}\n${message}\n`
}

function* file(path: string, text: string): Generator<string> {
  yield `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`
}

/** A megabyte that does not compress. */
function noise(seed: number): Uint8Array {
  let state = (seed + 1) | 0
  return new Uint8Array(
    Uint32Array.from({ length: MEGABYTE / 4 }, () => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return state
    }).buffer,
  )
}
