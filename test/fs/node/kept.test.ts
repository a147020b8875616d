/** Notes among processes, and journals whose history was dropped in part. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openNodeFs } from '../../../src/fs/node.ts'
import { allRecords, commit, hashOf, keptContents, makeDirectory, plant, readText, write } from '../../../src/testing/setup.ts'
import { newFolder } from './scenarios.ts'

let folder: ReturnType<typeof newFolder>
let root: string
const open = () => openNodeFs({ root, durability: 'process' })

beforeEach(() => {
  folder = newFolder()
  root = folder.root
})

afterEach(() => folder.remove())

describe('notes', () => {
  it('are swapped by one process at a time', async () => {
    const child = fileURLToPath(new URL('notes_child.ts', import.meta.url))
    const runs = Array.from({ length: 3 }, () => spawn(process.execPath, ['--disable-warning=ExperimentalWarning', child, root, '40']))
    const codes = await Promise.all(runs.map((run) => new Promise((resolve) => run.once('exit', resolve))))
    expect(codes).toEqual([0, 0, 0])
    const fs = await open()
    expect(await fs.notes.list('count/')).toEqual([{ key: 'count/all', value: '120' }])
    await fs.close()
  })

  it('do not lead through links, and what else lies there is none', async () => {
    const fs = await open()
    await fs.notes.swap('a/b', null, 'value')
    const secret = `${root}.secret`
    writeFileSync(secret, 'secret')
    const notes = join(root, '.filewright/notes')
    symlinkSync(secret, join(notes, 'a~link'))
    mkdirSync(join(notes, 'a~dir'))
    writeFileSync(join(notes, 'no key'), 'x')
    expect(await fs.notes.list('')).toEqual([{ key: 'a/b', value: 'value' }])
    expect(await fs.notes.swap('a/link', 'secret', 'x')).toBe(false)
    expect(await fs.notes.swap('a/link', null, 'mine')).toBe(true)
    expect([readFileSync(secret, 'utf8'), readFileSync(join(notes, 'a~link'), 'utf8')]).toEqual(['secret', 'mine'])
    await fs.close()
  })

  it('make no folder before there is one', async () => {
    const fs = await open()
    expect(await fs.notes.list('')).toEqual([])
    expect(await fs.notes.swap('a/b', 'no', 'yes')).toBe(false)
    expect(readdirSync(root)).toEqual([])
    await fs.close()
  })
})

describe('a journal whose changes were dropped', () => {
  it('claims nothing of what it no longer knows', async () => {
    const first = await open()
    await plant(first, { a: 'old', b: 'b' })
    const many = Array.from({ length: 500 }, (_, i) => makeDirectory(`${'n'.repeat(80)}${i}`))
    const record = await commit(first, write(first, 'a', 'new', hashOf(first, 'old')), ...many)
    expect(record.changes).toBeNull()
    expect(await first.forget([record.changesHash])).toBeGreaterThan(64 * 1024)
    await first.close()
    // A reader that only has the journal could take the change of `a` for that of another program.
    const second = await open()
    await commit(second, write(second, 'a', 'newer', hashOf(second, 'new')), write(second, 'c', 'c'))
    await commit(second, write(second, 'c', 'd', hashOf(second, 'c')))
    expect((await allRecords(second)).map(({ kind }) => kind)).toEqual(['call', 'call', 'call', 'call'])
    expect(await readText(second, 'a')).toBe('newer')
    // What came after is known again.
    writeFileSync(join(root, 'c'), 'of somebody else')
    await commit(second, write(second, 'c', 'e', hashOf(second, 'of somebody else')))
    expect((await allRecords(second)).slice(-2).map(({ kind }) => kind)).toEqual(['external', 'call'])
    expect((await keptContents(second)).map(({ hash }) => hash)).not.toContain(record.changesHash)
    await second.close()
  })
})
