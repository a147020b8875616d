/** A workspace with its history goes from storage to storage and stays the same; what is wrong with an archive is refused whole. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { packTar, type TarEntry, unpackTar } from 'modern-tar'
import { describe, expect, it } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import type { Path } from '../../../src/core/path.ts'
import { createMemoryFs } from '../../../src/fs/memory.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'
import { commitWishes, wishes } from '../random_changes.ts'
import { heldHashes, STORAGES, temporaryFolder, treeOf } from '../storages.ts'

const RUNS = Number(process.env.PAST_RUNS ?? 15)

async function archiveOf(workspace: Workspace): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of workspace.archive()) parts.push(part)
  return Buffer.concat(parts)
}

/** A body in pieces that fit nothing. */
async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
}

async function write(workspace: Workspace, file_path: string, content: string): Promise<void> {
  expect((await workspace.call('write_file', { file_path, content, force_overwrite: true })).error).toBeNull()
}

/** Everything that makes a workspace what it is. */
async function stateOf(fs: FileSystem): Promise<unknown> {
  return { tree: await treeOf(fs), records: await fs.records({ limit: 1000 }), held: await heldHashes(fs) }
}

async function sample(): Promise<{ fs: FileSystem; workspace: Workspace; archive: Uint8Array }> {
  const fs = createMemoryFs()
  const workspace = await openWorkspace({ profile: 'fileops', fs })
  await write(workspace, 'src/a.txt', 'one\n')
  await write(workspace, 'src/a.txt', 'two\n')
  await write(workspace, 'src/a.txt', 'three\n')
  await write(workspace, 'b', 'secret')
  await write(workspace, 'b', 'clean')
  await workspace.purge({ path: 'b' })
  return { fs, workspace, archive: await archiveOf(workspace) }
}

describe('an archive', () => {
  it('goes memory -> sqlite -> node -> memory, and is the same workspace after each', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(wishes, async (groups) => {
        const first = createMemoryFs()
        for (const group of groups) await commitWishes(first, group)
        let workspace = await openWorkspace({ profile: 'fileops', fs: first })
        const state = await stateOf(first)
        for (const open of [...STORAGES.slice(1), STORAGES[0]].map((storage) => (storage as (typeof STORAGES)[number])[1])) {
          const archive = await archiveOf(workspace)
          const fs = await open()
          const next = await openWorkspace({ profile: 'fileops', fs })
          await next.restore(pieces(archive))
          expect(await stateOf(fs)).toEqual(state)
          await next.verify()
          await workspace.close()
          workspace = next
        }
        const newest = (await workspace.log({ limit: 1 }))[0]
        if (newest) await workspace.undo(newest.record.sequence).catch((error) => expect(error.code).toBe('unsupported'))
        await workspace.close()
      }),
      { numRuns: RUNS },
    )
  })

  it('brings modes, times, links, empty folders, large records and folders of backups along', async () => {
    const fs = createMemoryFs()
    const workspace = await openWorkspace({ profile: 'fileops', fs })
    const content = await workspace.stage(new TextEncoder().encode('same'))
    await workspace.importFiles([
      ...Array.from({ length: 800 }, (_, n) => ({ path: `many/${n}`, content })),
      { path: 'run', content, mode: 0o750, mtimeMs: 1_500_000_000_500 },
      { path: 'link', link: 'many/1' },
      { path: 'empty', directory: true, mode: 0o700 },
      { path: `deep/${'n'.repeat(200)}/${'ü'.repeat(100)}`, content },
    ])
    await fs.notes.swap('backup-folder/x', null, 'many')
    const copy = createMemoryFs()
    const restored = await openWorkspace({ profile: 'fileops', fs: copy })
    expect(await restored.restore(pieces(await archiveOf(workspace)))).toEqual({ records: 1, objects: 1, files: 802 })
    expect(await treeOf(copy)).toEqual(await treeOf(fs))
    expect(await copy.stat('run' as Path)).toMatchObject({ mode: 0o750, mtimeMs: 1_500_000_000_500 })
    expect((await copy.stat('empty' as Path)).mode).toBe(0o700)
    expect((await copy.notes.list('backup-folder/')).map(({ value }) => value)).toEqual(['many'])
    expect((await restored.verify()).records).toBe(1)
  })

  it('lets what was done be taken back, and says what was purged', async () => {
    const { archive } = await sample()
    const fs = createMemoryFs()
    const workspace = await openWorkspace({ profile: 'fileops', fs })
    expect(await workspace.restore(pieces(archive))).toEqual({ records: 6, objects: 2, files: 2 })
    await workspace.undo(3)
    expect(await treeOf(fs)).toMatchObject({ 'src/a.txt': 'two\n' })
    await expect(workspace.undo(5)).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining('purged') })
    await expect(workspace.restore(pieces(archive))).rejects.toMatchObject({ code: 'already_exists' })
  })

  it('is a tar that a stranger can look into', async () => {
    const { archive } = await sample()
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'w.tar'), archive)
    mkdirSync(join(folder, 'out'))
    execFileSync('tar', ['-xf', '../w.tar'], { cwd: join(folder, 'out') })
    expect(readFileSync(join(folder, 'out/files/src/a.txt'), 'utf8')).toBe('three\n')
    const [newest] = readFileSync(join(folder, 'out/journal.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .reverse()
    expect(JSON.parse(readFileSync(join(folder, 'out/filewright.json'), 'utf8'))).toMatchObject({
      version: 1,
      records: 6,
      head: newest.hash,
    })
    execFileSync('sha256sum', ['-c'], {
      cwd: join(folder, 'out/objects'),
      input: execFileSync('ls', { cwd: join(folder, 'out/objects'), encoding: 'utf8' }).replace(/^.+$/gm, (hash) => `${hash}  ${hash}`),
    })
  })

  it('fails when the workspace changes meanwhile', async () => {
    const { workspace } = await sample()
    const parts = workspace.archive()[Symbol.asyncIterator]()
    await parts.next()
    await write(workspace, 'c', 'new')
    const rest = async (): Promise<void> => {
      while (!(await parts.next()).done);
    }
    // A small archive is made whole before it is read, so that it may be one of before.
    await rest().catch((error) => expect(error.code).toBe('conflict'))
  })

  it('reports where the source of the bytes fails', async () => {
    const { archive } = await sample()
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield archive.subarray(0, 3000)
      throw Object.assign(new Error('the line is dead'), { code: 'ECONNRESET' })
    }
    const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
    await expect(workspace.restore(broken())).rejects.toMatchObject({ code: 'ECONNRESET' })
  })
})

describe('what is not an archive', () => {
  type Parts = { [name: string]: string }
  const decode = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('latin1')

  /** The archive with its entries as texts, put together anew after a change. */
  async function altered(archive: Uint8Array, change: (parts: Parts) => void): Promise<Uint8Array> {
    const parts: Parts = {}
    for (const { header, data } of await unpackTar(archive)) if (header.type !== 'directory') parts[header.name] = decode(data)
    change(parts)
    return tarOf(Object.entries(parts).map(([name, body]) => ({ header: { name, size: body.length }, body: Buffer.from(body, 'latin1') })))
  }
  const tarOf = (entries: TarEntry[]): Promise<Uint8Array> => packTar(entries)

  const objectName = (parts: Parts): string => Object.keys(parts).find((name) => name.startsWith('objects/')) as string
  const edit = (name: string, from: string | RegExp, to: string) => (parts: Parts) => {
    expect(parts[name]).not.toBe(parts[name]?.replace(from, to))
    parts[name] = parts[name]?.replace(from, to) as string
  }
  const insert = (name: string, body: string) => (parts: Parts) => {
    const tree = parts['files.jsonl'] as string
    delete parts['files.jsonl']
    parts[name] = body
    parts['files.jsonl'] = tree
  }

  const ALTERED: { readonly [what: string]: (parts: Parts) => void } = {
    'another object': (parts) => {
      parts[objectName(parts)] += 'x'
    },
    'an object left out': (parts) => {
      delete parts[objectName(parts)]
    },
    'an object under a path': (parts) => insert('objects/../../x', 'x')(parts),
    'an entry of another kind': insert('etc/passwd', 'x'),
    'another file': edit('files/src/a.txt', 'three', 'THREE'),
    'a file more': insert('files/zzz', 'x'),
    'a file less': (parts) => {
      delete parts['files/b']
    },
    'a path that leads out': edit('files.jsonl', '"path":"src/a.txt"', '"path":"../a.txt"'),
    'an absolute path': edit('files.jsonl', '"path":"src/a.txt"', '"path":"/etc/a.txt"'),
    'a path twice': edit('files.jsonl', '"path":"src/a.txt"', '"path":"b"'),
    'a file without its directory': edit('files.jsonl', /^.*"path":"src",.*\n/m, ''),
    'another record': edit('journal.jsonl', '"subject":"local"', '"subject":"other"'),
    'another path in a record': edit('journal.jsonl', '"path":"src/a.txt"', '"path":"../../x"'),
    'a record less': edit('journal.jsonl', /\{[^\n]*\n$/, ''),
    'no records': edit('journal.jsonl', /[\s\S]*/, ''),
    'another header': edit('filewright.json', 'filewright-archive', 'other'),
    'another head': edit('filewright.json', /"head":"./, '"head":"x'),
    'no header': (parts) => {
      delete parts['filewright.json']
    },
    'no list of the lost': (parts) => {
      delete parts['lost.jsonl']
    },
    'a lost content that is not told of': edit('lost.jsonl', /[\s\S]*/, ''),
    'no tree': (parts) => {
      delete parts['files.jsonl']
    },
    'another order': (parts) => {
      const header = parts['filewright.json'] as string
      delete parts['filewright.json']
      parts['filewright.json'] = header
    },
    'lines that are no JSON': edit('files.jsonl', /^/, 'x\n'),
  }

  it.each(STORAGES)('is refused whole on %s', async (_, open) => {
    const { archive } = await sample()
    const fs = await open()
    const workspace = await openWorkspace({ profile: 'fileops', fs })
    const refused = async (bytes: Uint8Array): Promise<string> =>
      workspace.restore(pieces(bytes)).then(
        () => 'taken over',
        (error) => error.code,
      )
    const codes: { [what: string]: string } = {}
    for (const [what, change] of Object.entries(ALTERED)) codes[what] = await refused(await altered(archive, change))
    expect(codes).toEqual(Object.fromEntries(Object.keys(ALTERED).map((what) => [what, 'corrupt'])))
    const store = edit('files.jsonl', '"path":"b"', '"path":".filewright"')
    expect(await refused(await altered(archive, store))).toBe('protected_path')
    expect(await refused(await altered(archive, edit('filewright.json', '"version":1', '"version":2')))).toBe('unsupported')
    for (const length of [0, 100, 512, 2000, archive.length / 2, archive.length - 1024 - 600])
      expect(await refused(archive.subarray(0, length))).toBe('corrupt')
    expect(await treeOf(fs)).toEqual({})
    expect(await workspace.log()).toEqual([])
    await workspace.restore(pieces(await altered(archive, () => {})))
    expect((await workspace.verify()).records).toBe(6)
    await workspace.close()
  })

  it('has no links in the place of its parts', async () => {
    const { archive } = await sample()
    const entries = await unpackTar(archive)
    const links = entries.map(({ header, data }) =>
      header.name.startsWith('objects/')
        ? { header: { ...header, type: 'symlink' as const, linkname: '/etc/passwd', size: 0 } }
        : { header, body: data },
    )
    const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
    await expect(workspace.restore(pieces(await tarOf(links as TarEntry[])))).rejects.toMatchObject({ code: 'corrupt' })
  })

  it('is too large for a storage, and refused before it is read', async () => {
    const { archive } = await sample()
    const small = await openWorkspace({ profile: 'fileops', fs: createMemoryFs({ limits: { fileBytes: 5 } }) })
    await expect(small.restore(pieces(archive))).rejects.toMatchObject({ code: 'too_large' })
    const few = await openWorkspace({ profile: 'fileops', fs: createMemoryFs({ limits: { changes: 2 } }) })
    await expect(few.restore(pieces(archive))).rejects.toMatchObject({ code: 'too_large' })
  })
})
