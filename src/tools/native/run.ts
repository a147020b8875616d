/** `run` of the `native` profile: a command, on the host's runner. */
import { z } from 'zod'
import type { RunOutput } from '../../core/runner.ts'
import { decodeLossy } from '../../text/utf8.ts'
import { content, text } from '../arguments.ts'
import { exitCodeOf, timeoutSeconds } from '../command.ts'
import { requireDirectory } from '../existing_directory.ts'
import { defineTool, type Tool } from '../tool.ts'

/** Bytes of each stream that are kept. */
const OUTPUT_BYTES = 1024 * 1024
/** Characters of each stream that are shown: the beginning, and the end, where most programs tell what went wrong. */
const HEAD = 4000
const TAIL = 16_000

const input = z.strictObject({
  command: content('Given to sh -c; its standard input is empty.').refine((command) => command.trim() !== '', 'must not be blank'),
  cwd: text('Directory to start in.').default('.'),
  timeout: timeoutSeconds.describe('Seconds.'),
})

const output = z.object({
  exit_code: z.int().describe('-N after the signal N, -1 when the time was up.'),
  timed_out: z.boolean(),
  truncated: z.boolean(),
  content: z.string(),
})

/** Runs a command; what it changes is recorded like any other change. */
export const run: Tool = defineTool({
  name: 'run',
  title: 'Run',
  description: 'Runs a shell command; what it changes in the workspace is recorded.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  needs: 'runner',
  input,
  output,
  targets: () => [],
  risk: () => 'runs',
  failed: () => ({}),
  async run({ view }, { command, cwd, timeout }) {
    const { path } = await requireDirectory(view, cwd, 'cwd')
    return {
      command: { argv: ['sh', '-c', command], cwd: path, timeoutMs: Math.ceil(timeout * 1000), outputBytes: OUTPUT_BYTES },
      title: command,
      conclude({ stdout, stderr, end }) {
        const [out, err] = [shown(stdout), shown(stderr)]
        const timedOut = end.reason === 'timeout'
        const lines = [
          ...(out.text === '' ? [] : [out.text]),
          ...(err.text === '' ? [] : [`[stderr]\n${err.text}`]),
          timedOut ? `[ended after ${timeout} s]` : `[exit code ${exitCodeOf(end)}]`,
        ]
        return { exit_code: exitCodeOf(end), timed_out: timedOut, truncated: out.cut || err.cut, content: lines.join('\n') }
      },
    }
  },
  text: ({ content: shownText }) => shownText,
})

function shown({ bytes, cut }: RunOutput): { readonly text: string; readonly cut: boolean } {
  const { text: whole } = decodeLossy(bytes)
  const plain = whole.replace(/\r?\n$/, '')
  if (plain.length <= HEAD + TAIL) return { text: cut ? `${plain}\n[more was printed and not kept]` : plain, cut }
  const [head, tail] = [plain.slice(0, HEAD).toWellFormed(), plain.slice(-TAIL).toWellFormed()]
  const left = plain.length - HEAD - TAIL
  return { text: `${head}\n[${left} characters left out${cut ? ', and more was printed and not kept' : ''}]\n${tail}`, cut: true }
}
