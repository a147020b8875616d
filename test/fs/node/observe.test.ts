/** What other programs do is noticed: in a process of their own, by every way a file can be changed. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import type { JournalRecord } from '../../../src/core/record.ts'
import { openNodeFs } from '../../../src/fs/node.ts'
import { allRecords, at, commit, hashOf, makeDirectory, plant, write } from '../../../src/testing/setup.ts'
import { newFolder, problemsOf } from './scenarios.ts'

let folder: ReturnType<typeof newFolder>
let root: string
let fs: FileSystem

beforeEach(async () => {
  folder = newFolder()
  root = folder.root
  writeFileSync(join(root, 'old'), 'there before anybody looked')
  mkdirSync(join(root, '.git'))
  fs = await openNodeFs({ root, durability: 'process' })
})

afterEach(async () => {
  await fs.close()
  folder.remove()
})

const observe = (...paths: string[]): Promise<JournalRecord | null> => {
  if (!fs.observe) throw new Error('nothing observes')
  return fs.observe(paths.length === 0 ? undefined : paths.map(at))
}
const shell = (script: string): unknown => execFileSync('sh', ['-ec', script], { cwd: root })
/** What a record says, in short. */
const told = (record: JournalRecord | null): string[] | undefined =>
  record?.changes?.map(({ kind, path, before, kept }) => `${kind} ${path}${before ? ' instead' : ''}${kept ? '' : ', not kept'}`)

describe('observe', () => {
  it('records nothing before there is a journal, and makes none', async () => {
    expect(await observe()).toBeNull()
    shell('echo new > new')
    expect(await observe()).toBeNull()
    expect(await observe('new')).toBeNull()
    expect(readdirSync(root)).not.toContain('.filewright')
  })

  it('records what others changed, removed and made', async () => {
    await plant(fs, { a: 'a', b: 'b', c: 'c', d: null, 'd/e': null, 'd/e/f': 'f', l: { link: 'a' } })
    expect(await observe()).toBeNull()
    shell('echo other > a; rm b; chmod 600 c; rm -r d; ln -sf c l; mkdir n; echo new > n/m; echo x > .git/x; echo x > zz')
    const record = await observe()
    expect(record).toMatchObject({ kind: 'external', subject: 'unknown' })
    expect(told(record)).toEqual([
      'remove d/e/f instead, not kept',
      'remove d/e instead',
      'remove d instead',
      'remove b instead, not kept',
      'write a instead, not kept',
      'write c instead',
      'link l instead',
      'makeDirectory n',
      'write n/m',
      'write zz',
    ])
    expect(await observe()).toBeNull()
    expect(await problemsOf(fs, root)).toEqual([])
    const after = await commit(fs, write(fs, 'zz', 'ours', hashOf(fs, 'x\n')))
    expect([after.sequence, after.kind]).toEqual([3, 'call'])
  })

  it('keeps what history has', async () => {
    await plant(fs, { a: 'a' })
    await commit(fs, write(fs, 'a', 'b', hashOf(fs, 'a')))
    await commit(fs, write(fs, 'a', 'a', hashOf(fs, 'b')))
    shell('printf other > a')
    // The content that was destroyed stands in history since it was replaced once.
    expect(told(await observe('a'))).toEqual(['write a instead'])
  })

  it('takes what was there at the first look for old, and what comes later for new', async () => {
    await plant(fs, { a: 'a' })
    for (let i = 0; i < 300; i++) writeFileSync(join(root, `many${i}`), `${i}`)
    expect(await observe()).toBeNull()
    shell('echo new > new; echo changed > many7; echo changed > old; touch many8')
    expect(told(await observe())).toEqual(['write many7, not kept', 'write many8, not kept', 'write new', 'write old, not kept'])
    expect(await observe()).toBeNull()
  })

  it('looks at named paths and what is in them only, also before any look at everything', async () => {
    await plant(fs, { a: 'a', d: null, 'd/b': 'b' })
    shell('echo x > a; echo x > d/b; echo x > d/new; mkdir e; echo x > e/f')
    expect(told(await observe('d', 'e/f', 'nothing', '.git/x'))).toEqual([
      'write d/b instead, not kept',
      'write d/new, not kept',
      'write e/f, not kept',
    ])
    expect(told(await observe('a'))).toEqual(['write a instead, not kept'])
  })

  it('does not follow what became a link, and tells it', async () => {
    await plant(fs, { d: null, 'd/a': 'a' })
    const outside = `${root}.outside`
    mkdirSync(outside)
    writeFileSync(join(outside, 'a'), 'secret')
    rmSync(join(root, 'd'), { recursive: true })
    symlinkSync(outside, join(root, 'd'))
    const record = await observe()
    expect(told(record)).toEqual(['remove d/a instead, not kept', 'link d instead'])
    expect(JSON.stringify(record)).not.toContain(hashOf(fs, 'secret').hash)
  })

  it('tells apart what another Filewright did', async () => {
    await plant(fs, { a: 'a' })
    const other = await openNodeFs({ root, durability: 'process' })
    await commit(other, write(other, 'a', 'b', hashOf(other, 'a')), write(other, 'n', 'n'))
    await other.close()
    expect(await observe()).toBeNull()
    expect((await allRecords(fs)).map(({ kind }) => kind)).toEqual(['call', 'call'])
  })

  it('passes over what it may not read, and special files', async () => {
    await plant(fs, { a: 'a' })
    await observe()
    shell('mkfifo fifo; echo x > ok; mkdir locked; echo x > locked/x')
    chmodSync(join(root, 'locked'), 0)
    const paths = told(await observe())
    expect(paths).toEqual(expect.arrayContaining(['makeDirectory locked', 'write ok']))
    expect(paths).not.toContain('write fifo')
  })
})

describe('watch', () => {
  const controller = () => new AbortController()

  /** Collects what is told until `isEnough`, while `act` goes on. */
  async function watching(act: () => Promise<unknown> | unknown, isEnough: (paths: Set<string>) => boolean): Promise<Set<string>> {
    const stop = controller()
    const paths = new Set<string>()
    if (!fs.watch) throw new Error('nothing watches')
    const timer = setTimeout(() => stop.abort(), 8000)
    const pages = fs.watch(stop.signal)[Symbol.asyncIterator]()
    const next = pages.next()
    // It has begun when the first look is over.
    await new Promise((resolve) => setTimeout(resolve, 300))
    await act()
    for (let page = await next; !page.done; page = await pages.next()) {
      for (const path of page.value) paths.add(path)
      if (isEnough(paths)) stop.abort()
    }
    clearTimeout(timer)
    return paths
  }
  const has =
    (...wanted: string[]) =>
    (paths: Set<string>) =>
      wanted.every((path) => paths.has(path))

  it('tells writes, renames over, removals, and new directories with what is in them', async () => {
    await plant(fs, { a: 'a', b: 'b', c: 'c', d: null, 'd/e': 'e' })
    const paths = await watching(
      () => shell('echo x > a; echo y > tmp; mv tmp b; rm c; mkdir -p n/o; echo z > n/o/p; mv d moved; echo x > .git/x'),
      has('a', 'b', 'c', 'd', 'moved', 'moved/e', 'n', 'n/o', 'n/o/p'),
    )
    expect([...paths].filter((path) => path.startsWith('.'))).toEqual([])
    const record = await observe(...paths)
    expect(told(record)).toEqual(
      expect.arrayContaining([
        'write a instead, not kept',
        'remove c instead, not kept',
        'makeDirectory n',
        'write n/o/p',
        'write moved/e',
      ]),
    )
    expect(await observe()).toBeNull()
  })

  it('goes on telling what happens in what was moved or made', async () => {
    await plant(fs, { d: null })
    const paths = await watching(
      async () => {
        shell('mv d e; mkdir f')
        await new Promise((resolve) => setTimeout(resolve, 700))
        shell('echo x > e/one; echo x > f/two')
      },
      has('e/one', 'f/two'),
    )
    expect([...paths]).toEqual(expect.arrayContaining(['d', 'e', 'e/one', 'f', 'f/two']))
    expect(paths.has('d/one')).toBe(false)
  })

  it('does not tell what was committed here', async () => {
    await plant(fs, { a: 'a' })
    const paths = await watching(async () => {
      await commit(fs, write(fs, 'a', 'b', hashOf(fs, 'a')), makeDirectory('d'), write(fs, 'd/n', 'n'))
      await new Promise((resolve) => setTimeout(resolve, 300))
      shell('echo x > last')
    }, has('last'))
    expect([...paths]).toEqual(['last'])
  })

  it('tells a burst whole', async () => {
    await plant(fs, { d: null })
    const names = Array.from({ length: 2000 }, (_, i) => `d/f${i}`)
    const paths = await watching(
      () => shell('i=0; while [ $i -lt 2000 ]; do : > d/f$i; i=$((i+1)); done'),
      (found) => found.size >= 2000,
    )
    expect([...paths]).toEqual(expect.arrayContaining(names))
  })

  it('does not look through a directory that was swapped for a link', async () => {
    await plant(fs, { d: null, 'd/a': 'a' })
    const outside = `${root}.outside`
    mkdirSync(outside)
    const paths = await watching(async () => {
      renameSync(join(root, 'd'), `${root}.away`)
      symlinkSync(outside, join(root, 'd'))
      await new Promise((resolve) => setTimeout(resolve, 700))
      writeFileSync(join(outside, 'secret'), 'x')
      writeFileSync(`${root}.away/secret`, 'x')
      await new Promise((resolve) => setTimeout(resolve, 300))
      writeFileSync(join(root, 'last'), 'x')
    }, has('last'))
    expect([...paths].sort()).toEqual(['d', 'last'])
    unlinkSync(join(root, 'd'))
  })

  it('ends with its signal, and with the storage', async () => {
    if (!fs.watch) throw new Error('nothing watches')
    const stop = controller()
    const ended = (async () => {
      for await (const _ of fs.watch?.(stop.signal) ?? []);
    })()
    stop.abort()
    await ended
    const closed = (async () => {
      for await (const _ of fs.watch?.(controller().signal) ?? []);
    })()
    await fs.close()
    await closed
    fs = await openNodeFs({ root, durability: 'process' })
  })
})
