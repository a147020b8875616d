/** Characters that look like ASCII, and byte strings with them replaced, whose places can be told in the original (P-54). */

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

/** Bytes with every look-alike replaced. */
export interface Folded {
  readonly bytes: Uint8Array
  /** The offset in the original of an offset in the folded bytes. */
  original(offset: number): number
}

/** Replaces look-alikes in UTF-8; everything else, bad bytes too, stays. Null when there is none. */
export function foldBytes(bytes: Uint8Array): Folded | null {
  const folded = new Uint8Array(bytes.length)
  // Where in the folded bytes the distance to the original grows, and to what.
  const places: number[] = []
  const distances: number[] = []
  let to = 0
  let from = 0
  while (from < bytes.length) {
    const byte = bytes[from] as number
    const length = byte < 0xc2 ? 1 : alikeLength(bytes, from)
    const fold = length === 1 ? undefined : folds.get(codeAt(bytes, from, length))
    if (fold === undefined) {
      folded[to++] = byte
      from++
      continue
    }
    folded[to++] = fold
    from += length
    places.push(to)
    distances.push(from - to)
  }
  if (places.length === 0) return null
  return {
    bytes: folded.subarray(0, to),
    original(offset) {
      let [low, high] = [0, places.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((places[middle] as number) <= offset) low = middle + 1
        else high = middle
      }
      return offset + (low === 0 ? 0 : (distances[low - 1] as number))
    },
  }
}

/** All look-alikes begin with one of four bytes; 1 for any other. */
function alikeLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]
  const length = lead === 0xc2 ? 2 : lead === 0xe2 || lead === 0xe3 || lead === 0xef ? 3 : 1
  for (let i = 1; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 1
  return length
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
