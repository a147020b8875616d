/** Characters that look like ASCII, and byte strings with them replaced, whose places can be told in the original (P-54). */
import { allocate } from '../../core/bytes.ts'

/** Look-alikes by the ASCII character they stand for. One character for one, so that texts stay aligned. */
const LOOK_ALIKES: { readonly [ascii: string]: string } = {
  "'": '‘’‚‛′',
  '"': '“”„‟″',
  '-': '‐‑‒–—―−',
  ' ': '\u00a0\u2007\u202f\u3000',
}
const FULL_WIDTH = '！＂＃％＆＇（）＊＋，－．／：；＜＝＞？［］＿｛｜｝'
/** U+FF01 is `!`, and so on in the order of ASCII. */
const FULL_WIDTH_SHIFT = 0xfee0

const folds: ReadonlyMap<number, number> = new Map([
  ...Object.entries(LOOK_ALIKES).flatMap(([ascii, alikes]) => [...alikes].map((char) => [codeOf(char), codeOf(ascii)] as const)),
  ...[...FULL_WIDTH].map((char) => [codeOf(char), codeOf(char) - FULL_WIDTH_SHIFT] as const),
])

function codeOf(char: string): number {
  return char.codePointAt(0) as number
}

/** UTF-8 with every look-alike replaced; everything else, bad bytes too, stays. */
export function foldBytes(bytes: Uint8Array): Uint8Array {
  const folded = allocate(bytes.length)
  let to = 0
  for (let from = 0; from < bytes.length; ) {
    const fold = (bytes[from] as number) < FIRST_LEAD ? undefined : foldAt(bytes, from)
    folded[to++] = fold?.ascii ?? (bytes[from] as number)
    from += fold?.length ?? 1
  }
  return folded.subarray(0, to)
}

/** Where offsets in the folded bytes, in ascending order, lie in the original ones. */
export function unfoldOffsets(bytes: Uint8Array, offsets: Int32Array): Int32Array {
  let [from, to] = [0, 0]
  return offsets.map((offset) => {
    for (; to < offset; to++) from += (bytes[from] as number) < FIRST_LEAD ? 1 : (foldAt(bytes, from)?.length ?? 1)
    return from
  })
}

/** The least byte that begins a look-alike. */
const FIRST_LEAD = 0xc2

/** The look-alike that begins at `at`, if one does. */
function foldAt(bytes: Uint8Array, at: number): { readonly length: number; readonly ascii: number } | undefined {
  const lead = bytes[at]
  const length = lead === 0xc2 ? 2 : lead === 0xe2 || lead === 0xe3 || lead === 0xef ? 3 : 1
  for (let i = 1; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return undefined
  const ascii = length === 1 ? undefined : folds.get(codeAt(bytes, at, length))
  return ascii === undefined ? undefined : { length, ascii }
}

function codeAt(bytes: Uint8Array, at: number, length: number): number {
  const [a, b, c] = [bytes[at] as number, bytes[at + 1] as number, bytes[at + 2] as number]
  return length === 2 ? ((a & 0x1f) << 6) | (b & 0x3f) : ((a & 0x0f) << 12) | ((b & 0x3f) << 6) | (c & 0x3f)
}

/** As {@link foldBytes}, for text. */
export function foldText(text: string): string {
  return text.replace(ALIKE, (char) => String.fromCharCode(folds.get(codeOf(char)) as number))
}

const ALIKE = new RegExp(`[${[...folds.keys()].map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')}]`, 'g')
