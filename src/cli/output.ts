/** Where a command's answer goes: text for people or one JSON document on standard output, everything else on standard error. */
import type { FilewrightError } from '../core/errors.ts'
import { type Paint, paintFor, visible, visibleJson } from './terminal.ts'

/** Standard output and error of one command. */
export interface Output {
  readonly json: boolean
  /** Whether standard output is a terminal. */
  readonly terminal: boolean
  /** Colors for standard output. */
  readonly paint: Paint
  /** The answer: `value` as the one JSON document, or `text` for people, which must be safe already. A command calls it once. */
  answer(value: unknown, text: () => string): void
  /** A note on standard error that is not the answer. */
  note(text: string): void
  /** A failure: JSON on standard output with `--json`, else a line on standard error. */
  fail(error: FilewrightError): void
  /** A line on standard error that replaces itself; nothing where that is not a terminal. An empty text clears it. */
  progress(text: string): void
}

/** Where a command writes: the streams of its process, or others in a test. */
export interface Streams {
  readonly stdout: TextStream
  readonly stderr: TextStream
  /** Where a person answers. */
  readonly stdin?: NodeJS.ReadableStream & { readonly isTTY?: boolean }
}

/** The part of a stream that is used. */
export interface TextStream {
  readonly isTTY?: boolean
  readonly destroyed?: boolean
  /** Answers false when the stream wants to be waited for. */
  write(text: string | Uint8Array): unknown
  once?(event: string, listener: () => void): unknown
  off?(event: string, listener: () => void): unknown
}

/** An output on two streams. */
export function createOutput({ stdout, stderr }: Streams, json: boolean): Output {
  let shown = false
  return {
    json,
    terminal: stdout.isTTY === true,
    paint: paintFor(stdout),
    answer(value, text) {
      const lines = json ? visibleJson(value, stdout.isTTY ? 2 : 0) : text()
      stdout.write(lines.endsWith('\n') || lines === '' ? lines : `${lines}\n`)
    },
    note: (text) => void stderr.write(`${visible(text)}\n`),
    fail(error) {
      const { code, message, field, details } = error
      if (json) return this.answer({ error: message, code, ...(field !== undefined && { field }), ...details }, () => '')
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
