/** Processes are told from others that come to have their number, and from those that are over. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { processStart } from '../../src/host/process_start.ts'

test('a running process has one start, and none once it is over', async () => {
  expect(processStart(process.pid)).toBe(processStart(process.pid))
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
  await once(child, 'spawn')
  const pid = child.pid as number
  const start = processStart(pid)
  expect(start).toBeDefined()
  if (process.platform === 'linux') expect(start).toBeGreaterThan(processStart(process.pid) as number)
  child.stdin.end()
  await once(child, 'close')
  expect(processStart(pid)).toBeUndefined()
})

test.skipIf(process.platform !== 'linux')('one that nobody has taken leave of is over', async () => {
  // The shell never waits for its child, which ends at once and stays in the table of processes.
  const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'])
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  await expect.poll(() => processStart(Number(line.toString()))).toBeUndefined()
  const over = new Promise((resolve) => parent.once('close', resolve))
  parent.kill()
  await over
})
