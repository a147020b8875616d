/** Cases about size: large files, wide directories, long journals. */
import type { FileSystem } from '../../core/file_system.ts'
import { fails, same } from '../assert.ts'
import { verifyChain } from '../history.ts'
import { at, bytesOf, commit, compareBytes, hashOf, listNames, makeDirectory, pattern, readText, scanPaths, write } from '../setup.ts'
import type { CaseTable } from './case.ts'

const SPOTS = [64 * 1024, 256 * 1024, 512 * 1024, 1024 * 1024, 2_000_000, 2 * 1024 * 1024, 4 * 1024 * 1024]

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0, step = 1; from < bytes.length; from += step, step = (step * 7 + 1) % 300_007) yield bytes.subarray(from, from + step)
}

/** Reads around every place where some storage might cut. */
async function sameRanges(fs: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const reader = await fs.open(at(path))
  const into = new Uint8Array(4096)
  for (const spot of [0, ...SPOTS, bytes.length].filter((place) => place <= bytes.length)) {
    for (const offset of [spot - 4096, spot - 2048, spot - 1, spot, spot + 1].filter((place) => place >= 0)) {
      let got = 0
      while (got < into.length) {
        const count = await reader.read(offset + got, into.subarray(got))
        if (count === 0) break
        got += count
      }
      same(into.slice(0, got), bytes.slice(offset, offset + 4096), `${path} at ${offset}`)
    }
  }
  await reader.close()
}

export const scaleCases: CaseTable = {
  'size: a file of several MiB, staged in pieces, read by ranges, replaced under a reader, brought back': async (fs, { sizes }) => {
    const first = pattern(sizes.bigBytes, 1)
    const second = first.slice()
    second[Math.floor(second.length / 2)] = (second[Math.floor(second.length / 2)] as number) ^ 1
    const [one, two] = [await fs.stage(inPieces(first)), await fs.stage(second)]
    same(
      [one, two],
      [first, second].map((bytes) => ({ hash: hashOf(fs, bytes).hash, size: bytes.length })),
      'staged contents',
    )
    await commit(fs, { kind: 'write', path: at('big'), content: one, expect: 'absent' })
    await sameRanges(fs, 'big', first)
    const reader = await fs.open(at('big'))
    await commit(fs, { kind: 'write', path: at('big'), content: two, expect: { hash: one.hash } })
    await sameRanges(fs, 'big', second)
    same(await bytesOf(reader), first, 'a reader of the first version')
    same(await bytesOf(await fs.object(one.hash)), first, 'the before-image')
    await commit(fs, { kind: 'write', path: at('big'), content: one, expect: { hash: two.hash } })
    await fs.readEach([at('big')], { maxBytes: sizes.bigBytes }, (_, bytes) => {
      same(bytes, first, 'the file after it was brought back')
      return true
    })
  },

  'size: content of every length around the inline limit': async (fs) => {
    const limit = fs.traits.limits.inlineBytes
    for (const size of [limit - 1, limit, limit + 1]) {
      const bytes = pattern(size, size)
      const content = size <= limit ? { hash: hashOf(fs, bytes).hash, size, bytes } : await fs.stage(bytes)
      await commit(fs, { kind: 'write', path: at(`f${size}`), content, expect: 'absent' })
      same(await bytesOf(await fs.open(at(`f${size}`))), bytes, `a file of ${size} bytes`)
    }
  },

  'size: a wide directory, in order': async (fs, { sizes }) => {
    const names = Array.from(
      { length: sizes.files },
      (_, index) => `${(index * 7919) % sizes.files} ${String.fromCodePoint(97 + ((index * 131) % 0x2000))}`,
    )
    await commit(fs, makeDirectory('wide'), ...names.map((name, index) => write(fs, `wide/${name}`, `${index}`)))
    const expected = names.toSorted(compareBytes)
    same(await listNames(fs, 'wide'), expected, 'list')
    same(
      await scanPaths(fs, 'wide'),
      expected.map((name) => `wide/${name}`),
      'scan',
    )
    let wrong = 0
    await fs.readEach(
      names.map((name) => at(`wide/${name}`)),
      { maxBytes: 9 },
      (path, bytes) => {
        if (new TextDecoder().decode(bytes ?? new Uint8Array()) !== `${names.indexOf(path.slice(5))}`) wrong++
        return true
      },
    )
    same(wrong, 0, 'files with the wrong content')
    await commit(fs, { kind: 'move', path: at('wide'), to: at('moved'), expect: 'directory' })
    same((await scanPaths(fs, '')).length, sizes.files + 1, 'entries after a move')
  },

  'size: many commits on one file': async (fs, { sizes }) => {
    await commit(fs, write(fs, 'f', '0'))
    for (let index = 1; index < sizes.commits; index++) await commit(fs, write(fs, 'f', `${index}`, hashOf(fs, `${index - 1}`)))
    same(await readText(fs, 'f'), `${sizes.commits - 1}`, 'the file')
    same(await verifyChain(fs), sizes.commits, 'records in the chain')
    const middle = hashOf(fs, `${Math.floor(sizes.commits / 2)}`).hash
    same(new TextDecoder().decode(await bytesOf(await fs.object(middle))), `${Math.floor(sizes.commits / 2)}`, 'a before-image of long ago')
    await fails(() => commit(fs, write(fs, 'f', 'x', hashOf(fs, '0'))), 'conflict', 'a write that expects the first version')
  },
}
