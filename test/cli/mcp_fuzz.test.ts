/** Broken frames, at the real process. FUZZ_SEEDS and FUZZ_FRAMES make it longer. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { fuzz } from '../mcp/fuzz.ts'
import { start } from './command.ts'

const SEEDS = Number(process.env.FUZZ_SEEDS ?? 3)
const FRAMES = Number(process.env.FUZZ_FRAMES ?? 40)

test.each(Array.from({ length: SEEDS }, (_, i) => i + 100))(
  'protocol and nothing else, and an end in order (seed %i)',
  { timeout: 180_000 },
  async (seed) => {
    const child = start(['mcp', '--fs', 'memory', '--profile', 'fileops'])
    const exited = once(child, 'exit')
    let written = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      written += text
    })
    child.stderr.resume()
    await fuzz({ write: (bytes) => child.stdin.write(bytes), read: () => written.slice(0, written.lastIndexOf('\n') + 1) }, seed, FRAMES)
    child.stdin.end()
    expect(await exited).toEqual([0, null])
  },
)

test('what a library prints goes to standard error', { timeout: 60_000 }, async () => {
  const noise = 'process.on("SIGUSR2", () => { console.log("noise"); console.info("noise"); process.stdout.write("noise\\n") })'
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(noise)}`
  const child = start(['mcp', '--fs', 'memory'], { env: { NODE_OPTIONS } })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const exited = once(child, 'exit')
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  await expect.poll(() => out, { timeout: 30_000 }).toContain('"id":1')
  child.kill('SIGUSR2')
  await expect.poll(() => err, { timeout: 30_000 }).toContain('noise\nnoise\nnoise\n')
  child.stdin.end()
  await exited
  expect(out).toBe('{"result":{},"jsonrpc":"2.0","id":1}\n')
})
