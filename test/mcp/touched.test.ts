/** What changes touch is told together, and not after the end. */
import { expect, test } from 'vitest'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { type Touched, type Watched, watchTouched } from '../../src/mcp/resources/touched.ts'
import { openWorkspace } from '../../src/workspace/open.ts'

const INTERVAL = 150

test('nothing is told that was being looked up when it ended', async () => {
  const workspace = await openWorkspace({ profile: 'fileops', fs: createMemoryFs() })
  const told: Touched[] = []
  const waiting: (() => void)[] = []
  // A storage that takes its time to tell what a record changed, which a long record's object must be read for.
  const slow: Watched = {
    subscribe: (listener) =>
      workspace.subscribe((event) => listener(event.type === 'change' ? { ...event, record: { ...event.record, changes: null } } : event)),
    fs: {
      ...workspace.fs,
      object: () => new Promise((_, reject) => waiting.push(() => reject(new Error('gone')))),
    },
  }
  const stop = watchTouched(slow, (touched) => told.push(touched))
  await workspace.call('write_file', { file_path: 'a.txt', content: 'x' })
  await expect.poll(() => waiting.length).toBe(1)
  stop()
  for (const go of waiting) go()
  await new Promise((wake) => setTimeout(wake, INTERVAL))
  expect(told).toEqual([])
  const end = watchTouched(workspace, (touched) => told.push(touched))
  await workspace.call('write_file', { file_path: 'b.txt', content: 'x' })
  await expect.poll(() => told.length).toBe(1)
  expect([...(told[0]?.files ?? [])]).toEqual(['b.txt'])
  end()
})
