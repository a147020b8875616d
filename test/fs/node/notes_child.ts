/** Counts up a note: `ROOT TIMES`. */
import { openNodeFs } from '../../../src/fs/node.ts'

const [, , root, times] = process.argv as [string, string, string, string]
const fs = await openNodeFs({ root, durability: 'process' })
for (let done = 0; done < Number(times); ) {
  const [note] = await fs.notes.list('count/all')
  const next = String(Number(note?.value ?? 0) + 1)
  if (await fs.notes.swap('count/all', note?.value ?? null, next)) done++
}
await fs.close()
