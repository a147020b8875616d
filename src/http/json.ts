/** JSON from strangers: bounded in depth and keys, and only what every reader understands alike. */
import { FilewrightError } from '../core/errors.ts'

/** Deepest nesting of arrays and objects. */
export const JSON_DEPTH = 64
/** Most keys in one document. */
export const JSON_KEYS = 10_000

const NUMBER = /-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/y
const SURROGATE = /\\u[dD][89a-fA-F]/

/**
 * Parses JSON. Refuses as `invalid_argument`, before parsing, what a parser would take silently or choke on: nesting beyond
 * {@link JSON_DEPTH}, more than {@link JSON_KEYS} keys, a key twice in one object, an integer that a number cannot hold,
 * and texts that are not well-formed Unicode.
 */
export function parseJson(text: string): unknown {
  scan(text)
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text.
    throw refusal('is not valid JSON')
  }
}

/** Walks the tokens. Text that is not JSON may pass: the parser refuses it. */
function scan(text: string): void {
  /** The keys seen in each open object; null stands for an array. */
  const open: (Set<string> | null)[] = []
  let keys = 0
  let expectKey = false
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(text, at)
        const token = text.slice(at, end)
        const inside = open.at(-1)
        if (expectKey && inside) {
          const key = decode(token)
          if (inside.has(key)) throw refusal(`has the key ${JSON.stringify(key.slice(0, 100))} twice in one object`)
          inside.add(key)
          if (++keys > JSON_KEYS) throw refusal(`has more than ${JSON_KEYS} keys`)
          expectKey = false
        }
        if (SURROGATE.test(token) && !decode(token).isWellFormed()) throw refusal('holds a lone surrogate')
        at = end - 1
        break
      }
      case 0x7b: // {
      case 0x5b: // [
        expectKey = text[at] === '{'
        open.push(expectKey ? new Set() : null)
        if (open.length > JSON_DEPTH) throw refusal(`is nested deeper than ${JSON_DEPTH} levels`)
        break
      case 0x7d: // }
      case 0x5d: // ]
        open.pop()
        expectKey = false
        break
      case 0x2c: // ,
        expectKey = open.at(-1) instanceof Set
        break
      default: {
        NUMBER.lastIndex = at
        const number = NUMBER.exec(text)
        if (!number) break
        const whole = number[1] === undefined && number[2] === undefined
        if (whole && !Number.isSafeInteger(Number(number[0]))) throw refusal(`holds an integer beyond ${Number.MAX_SAFE_INTEGER}`)
        at += number[0].length - 1
      }
    }
  }
}

/** The place after the closing quote of the text that opens at `start`; the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return quote + 1
  }
  return text.length
}

function decode(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1)
  try {
    return JSON.parse(token)
  } catch {
    throw refusal('is not valid JSON')
  }
}

function refusal(what: string): FilewrightError {
  return new FilewrightError('invalid_argument', `The body ${what}.`)
}
