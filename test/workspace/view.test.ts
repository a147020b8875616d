/** A view shows what is stored under what the call has staged, and stages nothing by itself. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { FileSystem } from '../../src/core/file_system.ts'
import { type Path, ROOT } from '../../src/core/path.ts'
import type { View } from '../../src/core/view.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { createView } from '../../src/workspace/view.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (data: Uint8Array): string => new TextDecoder().decode(data)

let fs: FileSystem
let view: View

async function write(name: string, content: string): Promise<void> {
  const target = await view.resolve(name)
  view.write(target, await view.content(bytes(content)), { expect: target.entry ? { version: target.entry.version as never } : 'absent' })
}

async function names(dir: Path = ROOT): Promise<string[]> {
  const found: string[] = []
  for await (const page of view.scan(dir)) found.push(...page.map((entry) => entry.path))
  return found
}

beforeEach(async () => {
  fs = createMemoryFs()
  const seed = createView(fs)
  view = seed
  await write('src/a.txt', 'one\n')
  await write('src/b.txt', 'two\n')
  await fs.commit(view.changes(), {
    id: '20260101T000000000Z-00000000',
    time: '2026-01-01T00:00:00.000Z',
    kind: 'call',
    subject: 's',
    tool: 't',
    call: null,
  })
  view = createView(fs)
})

describe('staged changes', () => {
  it('are seen by every read of the same view, and not in the storage', async () => {
    await write('src/new/c.txt', 'three\n')
    await write('src/a.txt', 'ONE\n')
    const target = await view.resolve('src/b.txt')
    view.remove(target, { expect: { version: target.entry?.version as never } })
    expect(text((await view.readWhole(await view.resolve('src/new/c.txt'))).bytes)).toBe('three\n')
    expect(text((await view.readWhole(await view.resolve('src/a.txt'))).bytes)).toBe('ONE\n')
    expect((await view.resolve('src/b.txt')).entry).toBeNull()
    expect(await names()).toEqual(['src', 'src/a.txt', 'src/new', 'src/new/c.txt'])
    expect((await view.list('src' as Path)).map((entry) => entry.path)).toEqual(['src/a.txt', 'src/new'])
    expect((await fs.list('src' as Path)).map((entry) => entry.path)).toEqual(['src/a.txt', 'src/b.txt'])
  })

  it('are scanned in the order of paths, in which a directory ends in a slash', async () => {
    await write('src.txt', '')
    await write('src-a', '')
    expect(await names()).toEqual(['src-a', 'src.txt', 'src', 'src/a.txt', 'src/b.txt'])
    expect((await view.list(ROOT)).map((entry) => entry.path)).toEqual(['src', 'src-a', 'src.txt'])
  })

  it('stage missing parents once, outermost first', async () => {
    await write('x/y/one.txt', '1')
    await write('x/y/two.txt', '2')
    expect(view.changes().map((change) => `${change.kind} ${change.path}`)).toEqual([
      'makeDirectory x',
      'makeDirectory x/y',
      'write x/y/one.txt',
      'write x/y/two.txt',
    ])
  })

  it('are read by readEach', async () => {
    await write('src/c.txt', 'three\n')
    const seen: string[] = []
    await view.readEach(['src/a.txt', 'src/c.txt', 'src/none.txt'] as Path[], { maxBytes: 100 }, (path, data, problem) => {
      seen.push(`${path}:${data ? text(data) : problem?.code}`)
      return undefined
    })
    expect(seen).toEqual(['src/a.txt:one\n', 'src/c.txt:three\n', 'src/none.txt:not_found'])
  })
})

describe('names', () => {
  it.each(['a\nb', 'a\u001b[2J', 'a\u007f', 's\ud800'])('%j may not be created', async (name) => {
    await expect(write(name, 'x')).rejects.toMatchObject({ code: 'invalid_name' })
    await expect(write(`${name}/file`, 'x')).rejects.toMatchObject({ code: 'invalid_name' })
    expect(view.changes()).toEqual([])
  })
  it.each(['.', 'src/..', '/'])('%s is never a target', async (name) => {
    const root = await view.resolve(name)
    expect(() => view.remove(root, { expect: 'directory' })).toThrowError(expect.objectContaining({ code: 'invalid_argument' }))
  })
  it('a final slash names a directory', async () => {
    await expect(write('new/', 'x')).rejects.toMatchObject({ code: 'is_directory' })
    await expect(view.resolve('src/a.txt/')).rejects.toMatchObject({ code: 'not_directory' })
  })
})
