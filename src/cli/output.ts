/** Where a command's answer goes: text for people or one JSON document on standard output, everything else on standard error. */
import type { FilewrightError } from '../core/errors.ts'
import { paintFor, visible, visibleJson } from './terminal.ts'

/** Standard output and error of one command. */
export interface Output {
  readonly json: boolean
  /** Whether standard output is a terminal. */
  readonly terminal: boolean
  /** The answer: `value` as the one JSON document, or `text` for people, which must be safe already. A command calls it once. */
  answer(value: unknown, text: () => string): void
  /** A note on standard error that is not the answer. */
  note(text: string): void
  /** A failure: JSON on standard output with `--json`, else a line on standard error. */
  fail(error: FilewrightError): void
  /** A line on standard error that replaces itself; nothing where that is not a terminal. An empty text clears it. */
  progress(text: string): void
}

/** The output of this process. A reader that goes away early ends it quietly. */
export function createOutput(options: { readonly json: boolean }): Output {
  const { stdout, stderr } = process
  let shown = false
  return {
    json: options.json,
    terminal: stdout.isTTY === true,
    answer(value, text) {
      const lines = options.json ? visibleJson(value, stdout.isTTY ? 2 : 0) : text()
      stdout.write(lines.endsWith('\n') || lines === '' ? lines : `${lines}\n`)
    },
    note: (text) => void stderr.write(`${visible(text)}\n`),
    fail(error) {
      const { code, message, field, details } = error
      if (options.json) return this.answer({ error: message, code, ...(field !== undefined && { field }), ...details }, () => '')
      const paint = paintFor(stderr)
      stderr.write(`${paint.red('error:')} ${visible(message)} ${paint.dim(`(${code})`)}\n`)
    },
    progress(text) {
      if (!stderr.isTTY || (text === '' && !shown)) return
      shown = text !== ''
      stderr.write(`\r\u001b[K${visible(text)}`)
    },
  }
}
