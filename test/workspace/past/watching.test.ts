/** What other programs do to a folder comes into the journal, at once or when it is asked for. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryFs } from '../../../src/fs/memory.ts'
import { openNodeFs } from '../../../src/fs/node.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'
import { temporaryFolder } from '../storages.ts'

let root: string
let workspace: Workspace

beforeEach(async () => {
  root = temporaryFolder()
  workspace = await openWorkspace({ profile: 'fileops', fs: await openNodeFs({ root, durability: 'process' }) })
  expect((await workspace.call('write_file', { file_path: 'a', content: 'one' })).error).toBeNull()
})

describe('observe', () => {
  it('records what changed as one record, and tells subscribers', async () => {
    expect(await workspace.observe()).toBeNull()
    writeFileSync(join(root, 'a'), 'two')
    const told: number[] = []
    workspace.subscribe((event) => event.type === 'change' && told.push(event.record.sequence))
    expect(await workspace.observe()).toMatchObject({ sequence: 2, kind: 'external', count: 1 })
    expect(await workspace.observe()).toBeNull()
    expect(told).toEqual([2])
    await workspace.close()
  })

  it('makes way for going back, which refuses what no record tells of', async () => {
    await workspace.call('write_file', { file_path: 'b', content: 'x' })
    rmSync(join(root, 'b'))
    await expect(workspace.revertTo(1)).rejects.toMatchObject({ code: 'conflict', details: { paths: ['b'] } })
    await workspace.observe()
    expect(await workspace.revertTo(1)).toMatchObject({ paths: [] })
    await workspace.close()
  })

  it('has nothing to do where no other program can change files', async () => {
    const alone = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
    expect(await alone.observe()).toBeNull()
    await expect(alone.watch(new AbortController().signal)).rejects.toMatchObject({ code: 'unsupported' })
  })

  it('is refused where nothing may be written', async () => {
    const closed = await openWorkspace({ profile: 'fileops', fs: workspace.fs, settings: { readOnly: true } })
    await expect(closed.observe()).rejects.toMatchObject({ code: 'read_only' })
    await expect(closed.watch(new AbortController().signal)).rejects.toMatchObject({ code: 'read_only' })
    await workspace.close()
  })
})

describe('watch', () => {
  it('records what happened before, what happens, and nothing that the workspace does itself', { timeout: 60_000 }, async () => {
    writeFileSync(join(root, 'a'), 'before')
    const kinds = new Map<string, string>()
    let arrived = () => {}
    workspace.subscribe((event) => {
      if (event.type !== 'change') return
      for (const { path } of event.record.changes ?? []) kinds.set(path, event.record.kind)
      arrived()
    })
    const until = async (path: string): Promise<void> => {
      while (!kinds.has(path)) {
        await new Promise<void>((resolve) => {
          arrived = resolve
        })
      }
    }
    const controller = new AbortController()
    const watching = workspace.watch(controller.signal)
    await until('a')
    mkdirSync(join(root, 'd'))
    writeFileSync(join(root, 'd/new'), 'x')
    await until('d/new')
    await workspace.call('write_file', { file_path: 'own', content: 'mine' })
    writeFileSync(join(root, 'last'), 'x')
    await until('last')
    controller.abort()
    await watching
    expect(Object.fromEntries(kinds)).toEqual({ a: 'external', d: 'external', 'd/new': 'external', own: 'call', last: 'external' })
    expect((await workspace.verify()).records).toBeGreaterThanOrEqual(4)
    await workspace.close()
  })
})
