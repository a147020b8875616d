/** The files that the bench works on: made by a seeded generator, so that every machine measures the same bytes. */

import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** The rare text that searches look for; it stands in {@link NEEDLES} files. */
export const NEEDLE = 'quuxFrobnicate_7f3a'
/** Files that hold the needle, at most: it is only in sources. */
export const NEEDLES = 25
/** Files of the repository that git does not ignore, about. */
const FILES = 20_000
/** Bytes of the large log. */
const LOG_BYTES = 1024 ** 3
/** Bytes of the file that is edited. */
const EDIT_BYTES = 10_000_000

/** Where the parts of the corpus are. */
export interface Corpus {
  /** A git repository of about 20,000 files with nested ignore files, mixed endings, binaries and minified lines. */
  readonly repository: string
  /** One GiB of log lines. */
  readonly log: string
  /** Ten megabytes of source with a line that occurs once. */
  readonly edit: string
}

/** A small seeded generator of numbers (mulberry32). */
export function createRandom(seed: number): { below(limit: number): number; pick<T>(items: readonly T[]): T } {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { below, pick: (items) => items[below(items.length)] as (typeof items)[number] }
}

/** A source of numbers. */
export type Random = ReturnType<typeof createRandom>

const WORDS =
  'account batch cache clock cursor edge event field filter frame graph handler index job key layout limit list lock map node offset order page parser path policy port queue reader record request response role route row rule scope server session signal socket stack store stream table task token tree user value view worker zone'.split(
    ' ',
  )
const UNICODE = ['café', '日本語', '→', 'Größe', '🙂']

function sourceLine(random: Random): string {
  const name = (): string => `${random.pick(WORDS)}${random.pick(WORDS).replace(/^./, (letter) => letter.toUpperCase())}`
  switch (random.below(6)) {
    case 0:
      return `  const ${name()} = await this.${name()}(${random.below(1000)}, '${random.pick(WORDS)}')`
    case 1:
      return `  if (${name()}.${random.pick(WORDS)} !== ${random.below(500)}) return ${name()}`
    case 2:
      return `  // the ${random.pick(WORDS)} of a ${random.pick(WORDS)} ${random.below(40) === 0 ? random.pick(UNICODE) : 'here'}`
    case 3:
      return `export function ${name()}(${random.pick(WORDS)}: string): number {`
    case 4:
      return '}'
    default:
      return `  logger.info('${random.pick(WORDS)} ${random.pick(WORDS)}', { ${name()}: ${random.below(99)} })`
  }
}

/** Lines that look like source code, `bytes` of them or a line more. */
export function sourceText(random: Random, bytes: number, ending: string): string {
  const lines: string[] = []
  for (let size = 0; size < bytes; ) {
    const line = sourceLine(random)
    lines.push(line)
    size += line.length + ending.length
  }
  return lines.join(ending) + ending
}

function makeRepository(root: string): void {
  const random = createRandom(0x5eed)
  const directories: string[] = []
  for (let i = 0; i < 3000; i++) {
    const parent = i < 20 || random.below(4) === 0 ? '' : `${directories[random.below(directories.length)]}/`
    const directory = parent.split('/').length > 9 ? `top${i}` : `${parent}${random.pick(WORDS)}${i}`
    directories.push(directory)
    mkdirSync(join(root, directory), { recursive: true })
  }
  writeFileSync(join(root, '.gitignore'), 'dist/\n*.log\n!keep.log\n/build\nnode_modules/\n**/generated/*.ts\n')
  for (let i = 0; i < 20; i++) writeFileSync(join(root, random.pick(directories), '.gitignore'), `*.tmp\n/local${i}\n!important.tmp\n`)
  for (const ignored of ['dist', 'build', 'node_modules/left-pad']) {
    mkdirSync(join(root, ignored), { recursive: true })
    for (let i = 0; i < 1500; i++) writeFileSync(join(root, ignored, `file${i}.js`), sourceText(random, 9000, '\n'))
  }
  for (let i = 0; i < FILES; i++) {
    const directory = join(root, random.pick(directories))
    const kind = random.below(100)
    if (kind === 0)
      writeFileSync(
        join(directory, `image${i}.png`),
        Uint8Array.from({ length: 3000 }, () => random.below(256)),
      )
    else if (kind === 1) writeFileSync(join(directory, `bundle${i}.min.js`), sourceText(random, 60_000, ' '))
    else {
      const size = 500 + random.below(12_000)
      const text = sourceText(random, size, kind < 8 ? '\r\n' : '\n')
      writeFileSync(join(directory, `${random.pick(WORDS)}${i}.ts`), i % (FILES / NEEDLES) === 7 ? `${text}// ${NEEDLE}\n` : text)
    }
  }
  // ripgrep and fd honour ignore files in repositories only.
  spawnSync('git', ['init', '-q'], { cwd: root })
}

function makeLog(file: string): void {
  const random = createRandom(0x109)
  const descriptor = openSync(file, 'w')
  for (let written = 0; written < LOG_BYTES; ) {
    const lines: string[] = []
    for (let i = 0; i < 20_000; i++) {
      const level = random.pick(['INFO', 'INFO', 'INFO', 'WARN', 'ERROR', 'DEBUG'])
      lines.push(
        `2026-01-01T00:00:${String(i % 60).padStart(2, '0')}Z ${level} ${random.pick(WORDS)}.${random.pick(WORDS)} id=${random.below(1e9)} took ${random.below(900)} ms for ${random.pick(WORDS)} ${random.pick(WORDS)} of ${random.pick(WORDS)}`,
      )
    }
    written += writeSync(descriptor, `${lines.join('\n')}\n`)
  }
  closeSync(descriptor)
}

function makeEditFile(file: string): void {
  const random = createRandom(0xed17)
  const half = sourceText(random, EDIT_BYTES / 2, '\n')
  writeFileSync(file, `${half}const uniqueAnchor_4711 = 1\n${sourceText(random, EDIT_BYTES / 2, '\n')}`)
}

/** The corpus below a folder; parts that are there are used as they are. */
export function makeCorpus(folder: string): Corpus {
  const corpus: Corpus = { repository: join(folder, 'repository'), log: join(folder, 'big.log'), edit: join(folder, 'edit10m.ts') }
  const make = (path: string, maker: (path: string) => void, isDirectory: boolean): void => {
    const done = join(folder, `.made-${path.slice(path.lastIndexOf('/') + 1)}`)
    if (existsSync(done)) return
    console.error(`making ${path} …`)
    mkdirSync(isDirectory ? path : folder, { recursive: true })
    maker(path)
    writeFileSync(done, '')
  }
  make(corpus.repository, makeRepository, true)
  make(corpus.log, makeLog, false)
  make(corpus.edit, makeEditFile, false)
  return corpus
}
