/** JSON on bytes: a strict check that says where it fails, and quick steps over text that passed it. Loops only: depth costs no stack. */
import { decodeLossy } from '../utf8.ts'

/** Where a text is not what its format asks for, and why. */
export interface TextProblem {
  /** Offset of the first wrong byte; the length of the text when something is missing at its end. */
  readonly offset: number
  readonly message: string
}

/** Told of every object and key, in order. */
export interface KeyListener {
  open(): void
  /** A key without its quotes. */
  key(start: number, end: number): void
  close(): void
}

export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const COMMA = 0x2c
export const OPEN_ARRAY = 0x5b
export const CLOSE_ARRAY = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d
const COLON = 0x3a
const SLASH = 0x2f
const STAR = 0x2a
const LF = 0x0a

/**
 * Checks that bytes, from `from` on, are one JSON text by RFC 8259, with comments and trailing commas when `relaxed` (P-65). The
 * bytes must be valid UTF-8. Null when they are.
 */
export function checkJson(bytes: Uint8Array, from: number, relaxed: boolean, listener?: KeyListener): TextProblem | null {
  // One byte for each open container: 1 for an object.
  let objects = new Uint8Array(64)
  let depth = 0
  let at = skipSpace(bytes, from, relaxed)
  for (;;) {
    const code = bytes[at]
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (depth === objects.length) objects = doubled(objects)
      const isObject = code === OPEN_OBJECT
      objects[depth++] = isObject ? 1 : 0
      if (isObject) listener?.open()
      at = skipSpace(bytes, at + 1, relaxed)
      if (bytes[at] !== (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
        if (!isObject) continue
        const value = passKey(bytes, at, relaxed, listener)
        if (value < 0) return keyProblem(bytes, at, ~value, relaxed)
        at = value
        continue
      }
    } else {
      const end = passScalar(bytes, at)
      if (end < 0) return scalarProblem(bytes, at, ~end, 'a value', relaxed)
      at = skipSpace(bytes, end, relaxed)
    }
    // After a value, or at the end of an empty container: close what ends here, up to the next comma.
    for (;;) {
      const next = bytes[at]
      if (depth === 0) return at === bytes.length ? null : problemAt(bytes, at, 'nothing after the value', relaxed)
      const isObject = objects[depth - 1] === 1
      const close = isObject ? CLOSE_OBJECT : CLOSE_ARRAY
      if (next === COMMA) {
        at = skipSpace(bytes, at + 1, relaxed)
        if (!(relaxed && bytes[at] === close)) {
          if (isObject) {
            const value = passKey(bytes, at, relaxed, listener)
            if (value < 0) return keyProblem(bytes, at, ~value, relaxed)
            at = value
          }
          break
        }
      } else if (next !== close) return problemAt(bytes, at, isObject ? '"," or "}"' : '"," or "]"', relaxed)
      if (isObject) listener?.close()
      depth--
      at = skipSpace(bytes, at + 1, relaxed)
    }
  }
}

function doubled(stack: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * stack.length)
  larger.set(stack)
  return larger
}

/** Passes a key with its colon and the space around; negative (`~offset`) where it fails. */
function passKey(bytes: Uint8Array, at: number, relaxed: boolean, listener: KeyListener | undefined): number {
  if (bytes[at] !== QUOTE) return ~at
  const end = passString(bytes, at + 1)
  if (end < 0) return end
  listener?.key(at + 1, end - 1)
  const colon = skipSpace(bytes, end, relaxed)
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1, relaxed) : ~colon
}

/** Passes a string, number or word; negative where it fails. */
function passScalar(bytes: Uint8Array, at: number): number {
  switch (bytes[at]) {
    case QUOTE:
      return passString(bytes, at + 1)
    case 0x74:
      return passWord(bytes, at, 'true')
    case 0x66:
      return passWord(bytes, at, 'false')
    case 0x6e:
      return passWord(bytes, at, 'null')
    default:
      return passNumber(bytes, at)
  }
}

/** Passes a string whose opening quote is behind `from`. */
function passString(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; ) {
    const code = bytes[at] as number
    if (code === QUOTE) return at + 1
    if (code < 0x20) return ~at
    if (code !== BACKSLASH) at++
    else {
      const next = at + 1 < bytes.length ? (bytes[at + 1] as number) : -1
      if (next === 0x75) {
        for (let i = at + 2; i < at + 6; i++) if (!isHex(bytes[i])) return ~Math.min(i, bytes.length)
        at += 6
      } else if (ESCAPED.has(next)) at += 2
      else return ~(at + 1)
    }
  }
  return ~bytes.length
}

const ESCAPED: ReadonlySet<number> = new Set([...'"\\/bfnrt'].map((char) => char.charCodeAt(0)))

function isHex(code: number | undefined): boolean {
  return code !== undefined && (isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66))
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= 0x30 && code <= 0x39
}

function passWord(bytes: Uint8Array, at: number, word: string): number {
  for (let i = 1; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return ~(at + i)
  return at + word.length
}

function passNumber(bytes: Uint8Array, from: number): number {
  let at = from
  if (bytes[at] === 0x2d) at++
  if (bytes[at] === 0x30) at++
  else {
    const digits = passDigits(bytes, at)
    if (digits === at) return ~at
    at = digits
  }
  if (bytes[at] === 0x2e) {
    const digits = passDigits(bytes, at + 1)
    if (digits === at + 1) return ~digits
    at = digits
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at++
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++
    const digits = passDigits(bytes, at)
    if (digits === at) return ~at
    at = digits
  }
  return at
}

function passDigits(bytes: Uint8Array, from: number): number {
  let at = from
  while (isDigit(bytes[at])) at++
  return at
}

/** Offset of the first byte at or after `from` that is no white space, nor part of a comment when those are allowed. */
export function skipSpace(bytes: Uint8Array, from: number, relaxed: boolean): number {
  for (let at = from; ; ) {
    const code = at < bytes.length ? (bytes[at] as number) : 0
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) at++
    else {
      const end = relaxed && code === SLASH ? skipComment(bytes, at) : at
      if (end === at) return at
      at = end
    }
  }
}

/** Offset after the comment that begins at `at`; `at` itself when none does, or it has no end. */
export function skipComment(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== SLASH) return at
  if (bytes[at + 1] === SLASH) {
    const end = bytes.indexOf(LF, at)
    return end < 0 ? bytes.length : end
  }
  if (bytes[at + 1] !== STAR) return at
  for (let star = bytes.indexOf(STAR, at + 2); star >= 0; star = bytes.indexOf(STAR, star + 1))
    if (bytes[star + 1] === SLASH) return star + 2
  return at
}

/** Offset after the value at `at`, in text that {@link checkJson} passed. */
export function skipValue(bytes: Uint8Array, at: number, relaxed: boolean): number {
  const first = bytes[at] as number
  if (first === QUOTE) return skipString(bytes, at)
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return skipPlain(bytes, at)
  let depth = 0
  for (let i = at; i < bytes.length; ) {
    const code = bytes[i++] as number
    if (code === QUOTE) {
      // As in skipString: a call for each string would take as long as the rest.
      for (;;) {
        const inner = bytes[i++]
        if (inner === QUOTE || inner === undefined) break
        if (inner === BACKSLASH) i++
      }
    } else if (relaxed && code === SLASH) i = skipComment(bytes, i - 1)
    else {
      // A bracket and its brace differ in the bit that tells cases apart.
      const brace = code | 0x20
      if (brace === OPEN_OBJECT) depth++
      else if (brace === CLOSE_OBJECT && --depth === 0) return i
    }
  }
  return bytes.length
}

/** Offset after the string at `at`. */
export function skipString(bytes: Uint8Array, at: number): number {
  for (let i = at + 1; i < bytes.length; ) {
    const code = bytes[i++]
    if (code === QUOTE) return i
    if (code === BACKSLASH) i++
  }
  return bytes.length
}

function skipPlain(bytes: Uint8Array, at: number): number {
  let end = at
  while (end < bytes.length && !' \t\r\n,]}/'.includes(String.fromCharCode(bytes[end] as number))) end++
  return end
}

function problemAt(bytes: Uint8Array, offset: number, expected: string, relaxed: boolean): TextProblem {
  if (offset >= bytes.length) return { offset: bytes.length, message: `the text ends where ${expected} should be` }
  const code = bytes[offset] as number
  if (code === SLASH && !relaxed) return { offset, message: 'comments are not part of JSON' }
  if (code < 0x20) return { offset, message: `a control character (${code}) where ${expected} should be` }
  const char = [...decodeLossy(bytes.subarray(offset, offset + 4)).text][0]
  return { offset, message: `${JSON.stringify(char)} where ${expected} should be` }
}

/** What is wrong within a string, word or number that begins at `start`, or where one should begin. */
function scalarProblem(bytes: Uint8Array, start: number, offset: number, expected: string, relaxed: boolean): TextProblem {
  if (offset === start || bytes[start] === undefined) return problemAt(bytes, offset, expected, relaxed)
  if (bytes[start] !== QUOTE) return problemAt(bytes, offset, 'the rest of a number or word', relaxed)
  if (bytes[offset] === undefined) return { offset: bytes.length, message: 'a string without an end' }
  if ((bytes[offset] as number) < 0x20) return { offset, message: 'a string holds a control character: write it as an escape' }
  return { offset, message: 'a backslash in a string begins no escape that JSON has' }
}

function keyProblem(bytes: Uint8Array, start: number, offset: number, relaxed: boolean): TextProblem {
  const end = bytes[start] === QUOTE ? passString(bytes, start + 1) : -1
  if (end > 0) return problemAt(bytes, offset, '":"', relaxed)
  return scalarProblem(bytes, start, offset, 'a key in double quotes', relaxed)
}
