/** Packs that come in: as git index-pack takes them, or not at all. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { initNodeGitDirectory } from '../../../src/fs/git/node_directory.ts'
import { createSqliteGitFiles } from '../../../src/fs/git/sqlite_files.ts'
import { openNodeSql } from '../../../src/fs/sqlite/node_sqlite.ts'
import { createBrowserGitPlatform } from '../../../src/git/browser_platform.ts'
import type { GitDirectory } from '../../../src/git/directory.ts'
import { platformGit } from '../../../src/git/host_platform.ts'
import { takePack } from '../../../src/git/incoming/incoming_pack.ts'
import { createMemoryGitFiles } from '../../../src/git/memory_files.ts'
import { initGitDirectory } from '../../../src/git/open.ts'
import { copyOut } from '../copied.ts'
import { temporaryFolder } from '../folder.ts'
import { fsck, git, gitBytes, numbers, tempDir, tryGit } from '../real_git.ts'
import { packSource, sent } from './packs.ts'

const source = packSource()
afterAll(() => source.remove())
/** What git makes of a pack: the names of the files and what is in them. */
function indexed(pack: Uint8Array, ...options: string[]): { readonly name: string; readonly index: Buffer } {
  const dir = temporaryFolder()
  git(dir, 'init', '-q', '--bare')
  const said = gitBytes(dir, ['index-pack', '--stdin', ...options], { input: pack }).toString()
  const name = `pack-${said.trim().split('\t').at(-1)}`
  return { name, index: readFileSync(join(dir, `objects/pack/${name}.idx`)) }
}

const packNames = async ({ files }: GitDirectory): Promise<string[]> => [...(await files.list('objects/pack'))].sort()
const nothingRead = (): never => {
  throw new Error('Nothing is read.')
}

const codeOf = (action: Promise<unknown>): Promise<string> =>
  action.then(
    () => 'none',
    (error: { code: string }) => error.code,
  )

describe('a pack that comes in', () => {
  for (const { name, pack } of source.whole) {
    for (const size of [37, 5000, 100_000]) {
      it(`${name}, in parts of ${size}: the index is git's, byte for byte`, async () => {
        const git = await initGitDirectory(createMemoryGitFiles())
        const wanted = indexed(pack)
        expect(await git.objects.addPack(sent(pack, size))).toBe(pack.readUInt32BE(8))
        expect(await packNames(git)).toEqual([`${wanted.name}.idx`, `${wanted.name}.pack`])
        const index = await git.files.read(`objects/pack/${wanted.name}.idx`)
        expect(Buffer.compare(index as Uint8Array, wanted.index)).toBe(0)
        expect(Buffer.compare((await git.files.read(`objects/pack/${wanted.name}.pack`)) as Uint8Array, pack)).toBe(0)
      })
    }

    it(`${name}: the same with hardly any memory for bases, and with a browser's engines`, async () => {
      const wanted = indexed(pack)
      for (const platform of [platformGit(), await createBrowserGitPlatform()]) {
        const files = createMemoryGitFiles()
        await takePack({ files, platform, read: nothingRead, cacheBytes: 3000 }, sent(pack))
        expect(Buffer.compare((await files.read(`objects/pack/${wanted.name}.idx`)) as Uint8Array, wanted.index)).toBe(0)
      }
    })
  }

  it('is what git reads, on every storage', async () => {
    const sql = openNodeSql(':memory:')
    onTestFinished(() => sql.close())
    const places = [
      await initNodeGitDirectory(temporaryFolder(), { bare: true }),
      await initGitDirectory(createMemoryGitFiles()),
      await initGitDirectory(createSqliteGitFiles(sql)),
    ]
    for (const place of places) {
      await place.objects.addPack(sent(source.whole[0]?.pack as Buffer))
      await place.refs.update({ name: 'refs/heads/main', from: null, to: source.tip as never })
      const dir = temporaryFolder()
      await copyOut(place.files, dir)
      fsck(dir)
      expect(git(dir, 'log', '--format=%H %s', '--stat', 'main')).toBe(git(source.dir, 'log', '--format=%H %s', '--stat'))
      await place.close()
    }
  })

  it('that is thin is completed from what is here, as git does it', async () => {
    const dir = temporaryFolder()
    git(dir, 'clone', '-q', '--bare', source.dir, '.')
    git(dir, 'update-ref', 'refs/heads/main', source.old)
    git(dir, 'repack', '-q', '-a', '-d')
    git(dir, 'prune')
    const theirs = temporaryFolder()
    git(theirs, 'clone', '-q', '--bare', dir, '.')
    const said = gitBytes(theirs, ['index-pack', '--stdin', '--fix-thin'], { input: source.thin.pack }).toString()
    const repository = await initNodeGitDirectory(dir, { bare: true })
    const before = await packNames(repository)
    expect(await repository.objects.addPack(sent(source.thin.pack))).toBe(source.thin.pack.readUInt32BE(8))
    const pack = (await packNames(repository)).find((name) => !before.includes(name) && name.endsWith('.pack')) as string
    const objectsOf = (index: string): string[] => {
      const lines = gitBytes(dir, ['show-index'], { input: readFileSync(index) })
        .toString()
        .trim()
        .split('\n')
      return lines.map((line) => line.split(' ')[1] as string).sort()
    }
    const their = join(theirs, 'objects/pack', `pack-${said.trim().split('\t').at(-1)}.idx`)
    expect(objectsOf(join(dir, 'objects/pack', pack.replace('.pack', '.idx')))).toEqual(objectsOf(their))
    git(dir, 'verify-pack', join('objects/pack', pack))
    await repository.refs.update({ name: 'refs/heads/main', from: source.old as never, to: source.tip as never })
    fsck(dir)
    expect(git(dir, 'rev-list', '--count', 'main')).toBe('40')
    // The pack alone has all that its differences are based on.
    const alone = temporaryFolder()
    git(alone, 'init', '-q', '--bare')
    gitBytes(alone, ['index-pack', '--stdin'], { input: readFileSync(join(dir, 'objects/pack', pack)) })
  })

  it('that is thin is refused where its bases are not', async () => {
    const repository = await initGitDirectory(createMemoryGitFiles())
    expect(await codeOf(repository.objects.addPack(sent(source.thin.pack)))).toBe('corrupt')
    expect(await packNames(repository)).toEqual([])
  })

  it('of a promisor is marked as such', async () => {
    const repository = await initGitDirectory(createMemoryGitFiles())
    await repository.objects.addPack(sent(source.whole[0]?.pack as Buffer), { promisor: true })
    expect((await packNames(repository)).map((name) => name.replace(/.*\./, ''))).toEqual(['idx', 'pack', 'promisor'])
  })

  it('that is there already stays', async () => {
    const repository = await initGitDirectory(createMemoryGitFiles())
    const pack = source.whole[0]?.pack as Buffer
    await repository.objects.addPack(sent(pack))
    await repository.objects.addPack(sent(pack))
    expect(await packNames(repository)).toHaveLength(2)
  })

  it('with objects too large to hold streams through', async () => {
    const dir = temporaryFolder()
    git(dir, 'init', '-q', '-b', 'main')
    const random = numbers(5)
    const large = Uint8Array.from({ length: 9_000_000 }, () => Math.floor(random() * 256))
    writeFileSync(join(dir, 'large'), large)
    writeFileSync(join(dir, 'zeros'), new Uint8Array(30_000_000))
    git(dir, 'add', '-A')
    git(dir, 'commit', '-q', '-m', 'large')
    const pack = gitBytes(dir, ['pack-objects', '--stdout', '--all', '--revs', '-q'], { input: '' })
    const wanted = indexed(pack)
    for (const platform of [platformGit(), await createBrowserGitPlatform()]) {
      const files = createMemoryGitFiles()
      await takePack({ files, platform, read: nothingRead }, sent(pack, 65_536))
      expect(Buffer.compare((await files.read(`objects/pack/${wanted.name}.idx`)) as Uint8Array, wanted.index)).toBe(0)
      const cut = takePack({ files: createMemoryGitFiles(), platform, read: nothingRead }, sent(pack.subarray(0, 5_000_000), 65_536))
      expect(await codeOf(cut)).toBe('corrupt')
    }
  })
})

describe('a pack that is no good', () => {
  const [byDistance, byName] = source.whole.map(({ pack }) => pack) as [Buffer, Buffer]

  const refused = async (pack: Uint8Array): Promise<string> => {
    const repository = await initGitDirectory(createMemoryGitFiles())
    const code = await codeOf(repository.objects.addPack(sent(pack, 3000)))
    expect(await packNames(repository)).toEqual([])
    return code
  }

  it('is refused wherever it is cut', async () => {
    const step = Number(process.env.FILEWRIGHT_LONG ? 97 : 9973)
    for (const pack of [byDistance, byName]) {
      for (let length = 0; length < pack.length; length += length < 40 ? 1 : step) {
        expect([length, await refused(pack.subarray(0, length))]).toEqual([length, 'corrupt'])
      }
      for (let less = 1; less < 30; less++) expect(await refused(pack.subarray(0, pack.length - less))).toBe('corrupt')
    }
  })

  it('is refused whatever bit is wrong, even when the hash at its end is right again', { timeout: 600_000 }, async () => {
    const random = numbers(11)
    const { sha1 } = platformGit()
    let accepted = 0
    const rounds = process.env.FILEWRIGHT_LONG ? 3000 : 60
    for (let round = 0; round < rounds; round++) {
      const pack = Buffer.from(round % 2 ? byName : byDistance)
      const at = Math.floor(random() * pack.length)
      pack[at] = (pack[at] as number) ^ (1 << Math.floor(random() * 8))
      expect(await refused(pack)).toMatch(/corrupt|unsupported|too_large/)
      pack.set(sha1.hash(pack.subarray(0, -20)), pack.length - 20)
      // Only what git would take as well: another base of the same content, for instance.
      const { dir, remove } = tempDir()
      git(dir, 'init', '-q', '--bare')
      const theirs = tryGit(dir, ['index-pack', '--stdin'], { input: pack }).status === 0
      remove()
      const repository = await initGitDirectory(createMemoryGitFiles())
      const ours = (await codeOf(repository.objects.addPack(sent(pack)))) === 'none'
      expect([round, at, ours]).toEqual([round, at, theirs])
      if (ours) accepted++
    }
    expect(accepted).toBeLessThan(rounds / 20)
  })

  it('is refused when something follows it, or its count is wrong, or it is of another version', async () => {
    const { sha1 } = platformGit()
    const signed = (change: (pack: Buffer) => void): Buffer => {
      const pack = Buffer.from(byDistance)
      change(pack)
      pack.set(sha1.hash(pack.subarray(0, -20)), pack.length - 20)
      return pack
    }
    expect(await refused(Buffer.concat([byDistance, Buffer.from('x')]))).toBe('corrupt')
    expect(await refused(signed((pack) => pack.writeUInt32BE(pack.readUInt32BE(8) + 1, 8)))).toBe('corrupt')
    expect(await refused(signed((pack) => pack.writeUInt32BE(pack.readUInt32BE(8) - 1, 8)))).toBe('corrupt')
    expect(await refused(signed((pack) => pack.writeUInt32BE(0xffffffff, 8)))).toBe('too_large')
    expect(await refused(signed((pack) => pack.writeUInt32BE(4, 4)))).toBe('unsupported')
    expect(await refused(Buffer.from('<html>not a pack at all</html>'))).toBe('corrupt')
    expect(await refused(Buffer.alloc(0))).toBe('corrupt')
  })

  it('or larger than allowed, or not wanted any more, leaves nothing behind', async () => {
    const dir = temporaryFolder()
    mkdirSync(join(dir, 'x'))
    const repository = await initNodeGitDirectory(join(dir, 'x'), { bare: true })
    expect(await codeOf(repository.objects.addPack(sent(byDistance), { maxBytes: 20_000 }))).toBe('too_large')
    const abort = new AbortController()
    let calls = 0
    const stopped = repository.objects.addPack(sent(byDistance, 4096), {
      signal: abort.signal,
      onProgress: () => {
        if (++calls === 3) abort.abort()
      },
    })
    expect(await codeOf(stopped)).toBe('canceled')
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield* sent(byDistance.subarray(0, 30_000))
      throw new Error('the connection is gone')
    }
    await expect(repository.objects.addPack(broken())).rejects.toThrow()
    expect(readdirSync(join(dir, 'x/objects/pack'))).toEqual([])
    expect(readdirSync(join(dir, 'x/objects')).sort()).toEqual(['info', 'pack'])
    fsck(join(dir, 'x'))
  })

  it('tells how far it has come', async () => {
    const repository = await initGitDirectory(createMemoryGitFiles())
    const told: [string, number, number | null][] = []
    await repository.objects.addPack(sent(byName), { onProgress: (...step) => told.push(step) })
    const count = byName.readUInt32BE(8)
    expect(told.filter(([phase]) => phase === 'receiving objects').at(-1)).toEqual(['receiving objects', count, count])
    const [, done, total] = told.at(-1) as [string, number, number]
    expect([told.at(-1)?.[0], done === total, total > 0]).toEqual(['resolving differences', true, true])
  })
})
