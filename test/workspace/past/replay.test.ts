/** Records of one workspace made again in another: the same trees, or the first record that does not fit. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { createMemoryFs } from '../../../src/fs/memory.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'
import { commitWishes, wishes } from '../random_changes.ts'
import { STORAGES, treeOf } from '../storages.ts'

const RUNS = Number(process.env.PAST_RUNS ?? 20)

async function linesOf(workspace: Workspace, range = {}): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = []
  for await (const part of workspace.exportRecords(range)) parts.push(part)
  return parts
}

/** The same bytes, cut elsewhere. */
async function* recut(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  const all = Buffer.concat(parts)
  for (let at = 0; at < all.length; at += 777) yield all.subarray(at, at + 777)
}

const text = (body: string): AsyncGenerator<Uint8Array> => recut([Buffer.from(body)])
const failureOf = (work: Promise<unknown>): Promise<{ code?: string; details?: { sequence?: number } }> =>
  work.then(
    () => ({}),
    (error) => error,
  )

describe.each(STORAGES)('on %s', (name, open) => {
  const runs = name === 'memory' ? 5 * RUNS : RUNS

  it('a random past gives the same tree again', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(wishes, async (groups) => {
        const from = createMemoryFs()
        const source = await openWorkspace({ profile: 'fileops', fs: from })
        for (const group of groups) await commitWishes(from, group)
        fc.pre((await from.records({ limit: 1 })).length > 0)
        const lines = await linesOf(source)
        const to = await open()
        const target = await openWorkspace({ profile: 'fileops', fs: to, subject: 'ana' })
        const records = (await from.records({ limit: 1000 })).length
        expect(await target.replay(recut(lines), { dryRun: true })).toEqual({ records, skipped: 0 })
        expect(await treeOf(to)).toEqual({})
        expect(await target.replay(recut(lines))).toEqual({ records, skipped: 0 })
        expect(await treeOf(to)).toEqual(await treeOf(from))
        expect((await target.verify()).records).toBe(records)
        await target.close()
      }),
      { numRuns: runs },
    )
  })

  it('a dry run stops where the replay stops', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(wishes, wishes, async (groups, others) => {
        const from = createMemoryFs()
        for (const group of groups) await commitWishes(from, group)
        fc.pre((await from.records({ limit: 1 })).length > 0)
        const lines = await linesOf(await openWorkspace({ profile: 'fileops', fs: from }))
        const to = await open()
        for (const group of others.slice(0, 2)) await commitWishes(to, group)
        const target = await openWorkspace({ profile: 'fileops', fs: to })
        const tree = await treeOf(to)
        const rehearsed = await failureOf(target.replay(recut(lines), { dryRun: true }))
        expect(await treeOf(to)).toEqual(tree)
        const real = await failureOf(target.replay(recut(lines)))
        expect(rehearsed.details?.sequence).toBe(real.details?.sequence)
        expect(rehearsed.code).toBe(real.code)
        await target.close()
      }),
      { numRuns: runs },
    )
  })
})

describe('replay', () => {
  const write = async (workspace: Workspace, file_path: string, content: string): Promise<void> => {
    expect((await workspace.call('write_file', { file_path, content, force_overwrite: true })).error).toBeNull()
  }
  const start = async (): Promise<{ fs: FileSystem; workspace: Workspace }> => {
    const fs = createMemoryFs()
    return { fs, workspace: await openWorkspace({ profile: 'fileops', fs, subject: 'ana' }) }
  }

  it('names the record that does not fit, and keeps those before it', async () => {
    const { workspace: source } = await start()
    await write(source, 'a', 'one')
    await write(source, 'b', 'two')
    await write(source, 'a', 'three')
    const { fs, workspace: target } = await start()
    await write(target, 'b', 'other')
    await expect(target.replay(recut(await linesOf(source)))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^Change 2 does not fit here: .*Replayed before it: 1\.$/),
      details: { sequence: 2, replayed: 1, path: 'b' },
    })
    expect(await treeOf(fs)).toEqual({ a: 'one', b: 'other' })
    expect(await target.replay(recut(await linesOf(source, { from: 3 })))).toEqual({ records: 1, skipped: 0 })
    expect((await target.log())[0]?.record).toMatchObject({ subject: 'ana', tool: 'write_file', note: 'Replay of change 3' })
  })

  it('needs no content that only came and went in the source, and tells when some is lost', async () => {
    const { workspace: source } = await start()
    await write(source, 'a', 'one')
    await write(source, 'a', 'two')
    await source.purge({ path: 'a' })
    const { workspace: target } = await start()
    await expect(target.replay(recut(await linesOf(source)))).rejects.toMatchObject({ code: 'unsupported', details: { sequence: 1 } })
    const { fs, workspace: holding } = await start()
    await fs.stage(new TextEncoder().encode('one'))
    expect(await holding.replay(recut(await linesOf(source)))).toEqual({ records: 2, skipped: 1 })
    await write(target, 'a', 'one')
    expect(await target.replay(recut(await linesOf(source, { from: 2 })))).toEqual({ records: 1, skipped: 1 })
  })

  it("does not write git's files, nor where nothing may be written", async () => {
    const { workspace: source } = await start()
    const content = await source.stage(new TextEncoder().encode('x'))
    await source.importFiles([{ path: '.git/hooks/pre-commit', content, mode: 0o755 }], { operator: true })
    const { fs, workspace: target } = await start()
    await expect(target.replay(recut(await linesOf(source)))).rejects.toMatchObject({ code: 'protected_path' })
    expect(await treeOf(fs)).toEqual({})
    const closed = await openWorkspace({ profile: 'fileops', fs, settings: { readOnly: true } })
    await expect(closed.replay(recut(await linesOf(source)))).rejects.toMatchObject({ code: 'read_only' })
  })

  it('refuses lines that are not sound', async () => {
    const { workspace: source } = await start()
    await write(source, 'a', 'one')
    await write(source, 'b', 'two')
    const sound = Buffer.concat(await linesOf(source)).toString()
    const { fs, workspace: target } = await start()
    const unsound: { readonly [what: string]: string } = {
      nothing: '',
      'no JSON': 'x\n',
      'no header': sound.replace(/^.*\n/, ''),
      'another path': sound.replace('"path":"a"', '"path":"c"'),
      'a path that leads out': sound.replaceAll('"path":"a"', '"path":"../a"'),
      'another content': sound.replace(Buffer.from('one').toString('base64'), Buffer.from('ONE').toString('base64')),
      'a longer content': sound.replace(Buffer.from('one').toString('base64'), Buffer.from('ones').toString('base64')),
      'no first record': sound.replace(/\{"record":.*\n/, ''),
      'no last record': sound.replace(/\{"record":[^\n]*\n$/, ''),
      'cut content': `${sound.split('\n').slice(0, 2).join('\n')}\n`,
    }
    for (const [what, lines] of Object.entries(unsound)) {
      const failure = await failureOf(target.replay(text(lines), { dryRun: true }))
      expect([what, failure.code]).toEqual([what, 'corrupt'])
    }
    await expect(target.replay(text(sound.replace('"version":1', '"version":2')))).rejects.toMatchObject({ code: 'unsupported' })
    expect(await treeOf(fs)).toEqual({})
  })
})
