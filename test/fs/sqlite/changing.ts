/** What is done while processes die or meet. */

import { isFilewrightError } from '../../../src/core/errors.ts'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { CHUNK_BYTES } from '../../../src/fs/sqlite/contents.ts'
import { openNodeSqliteFs } from '../../../src/fs/sqlite/node_sqlite.ts'
import {
  at,
  backUp,
  commit,
  copy,
  draft,
  hashOf,
  link,
  makeDirectory,
  move,
  plant,
  readText,
  remove,
  write,
} from '../../../src/testing/setup.ts'

/** The state that {@link changeMuch} begins with. */
export function prepare(fs: FileSystem): Promise<unknown> {
  return plant(fs, { old: null, 'old/deep': null, 'old/deep/file': 'stays', edited: 'before', removed: 'gone', counter: '0' })
}

/** One commit of every kind of change, with staged content. */
export async function changeMuch(fs: FileSystem): Promise<void> {
  const content = await fs.stage(new Uint8Array(2 * CHUNK_BYTES + 7).fill(1))
  await commit(
    fs,
    write(fs, 'edited', 'after', hashOf(fs, 'before')),
    { kind: 'write', path: at('large'), content, expect: 'absent' },
    { ...remove('removed', hashOf(fs, 'gone')), keep: false },
    move('old', 'new', 'directory'),
    makeDirectory('made'),
    link('made/link', '../edited'),
    copy('large', 'made/copy', { hash: content.hash }),
    copy('edited', 'made/edited', hashOf(fs, 'after')),
    backUp('edited', hashOf(fs, 'after')),
  )
}

/** Counts up in a file, with a commit for each step. What another process did first is read again. */
export async function countUp(fs: FileSystem, steps: number): Promise<void> {
  for (let step = 0; step < steps; ) {
    const text = await readText(fs, 'counter')
    try {
      await fs.commit([write(fs, 'counter', String(Number(text) + 1), hashOf(fs, text))], draft())
      step++
    } catch (error) {
      if (!isFilewrightError(error, 'conflict')) throw error
    }
  }
}

// As a program: `node changing.ts FILE STEPS`. It says so when it has begun to commit.
if (import.meta.main) {
  const [file = '', steps = ''] = process.argv.slice(2)
  const fs = await openNodeSqliteFs(file)
  await countUp(fs, 1)
  process.stdout.write('counting\n')
  await countUp(fs, Number(steps) - 1)
  await fs.close()
}
