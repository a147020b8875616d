/** Objects written and read back on every host, where no git is to be asked. */
import { expect } from 'vitest'
import type { Oid } from '../../src/core/repository.ts'
import { listTree } from '../../src/git/list_tree.ts'
import { createMemoryGitFiles } from '../../src/git/memory_files.ts'
import { createObjectDatabase } from '../../src/git/object_database.ts'
import { newObject } from '../../src/git/objects.ts'
import type { GitPlatform } from '../../src/git/platform.ts'
import { formatTree } from '../../src/git/tree.ts'

interface Runner {
  describe(name: string, body: () => void): void
  it(name: string, body: () => Promise<void>): void
}

/** Registers the suite. */
export function registerObjects(name: string, create: () => Promise<GitPlatform>, { describe, it }: Runner): void {
  describe(`git objects: ${name}`, () => {
    it('are read as they were written, loose and packed', async () => {
      for (const count of [5, 500]) {
        const objects = createObjectDatabase(createMemoryGitFiles(), await create())
        const blobs = Array.from({ length: count }, (_, at) =>
          newObject(objects, 'blob', new TextEncoder().encode(`line ${at}\n`.repeat(at))),
        )
        const entries = blobs.map(({ oid }, at) => ({ name: `file${at}\udcff`, mode: '100644' as const, oid }))
        const inner = newObject(objects, 'tree', formatTree(entries))
        const root = newObject(objects, 'tree', formatTree([{ name: 'ä', mode: '040000', oid: inner.oid }]))
        await objects.write([...blobs, inner, root])
        for (const { oid, type, bytes } of blobs) {
          expect(await objects.header(oid)).toEqual({ type, size: bytes.length })
          expect((await objects.read(oid)).bytes).toEqual(bytes)
        }
        const listed = new Map<string, Oid>()
        await listTree(objects, root.oid, (path, _, oid) => {
          listed.set(path, oid)
          return true
        })
        expect(listed.size).toBe(count + 1)
        for (const { name, oid } of entries) expect(listed.get(`ä/${name}`)).toBe(oid)
      }
    })
  })
}
