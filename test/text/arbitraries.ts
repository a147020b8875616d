/** Random bytes and texts that are rich in what text code gets wrong. */
import fc from 'fast-check'

/** Characters of every length in UTF-8, line ends, and look-alikes. */
export const char: fc.Arbitrary<string> = fc.constantFrom(
  'a',
  'b',
  ' ',
  '\t',
  '\n',
  '\n',
  '\r\n',
  '\r',
  'é',
  'e\u0301',
  '漢',
  '😀',
  '\ufeff',
  '\u2028',
  '\u00a0',
  '’',
  '\ufffd',
)

/** Well-formed text. */
export const text: fc.Arbitrary<string> = fc.array(char, { maxLength: 60 }).map((chars) => chars.join(''))

const piece: fc.Arbitrary<Uint8Array> = fc.oneof(
  char.map((part) => new TextEncoder().encode(part)),
  // Stray and cut sequences, overlong forms, surrogates, values above U+10FFFF.
  fc
    .constantFrom(
      [0x80],
      [0xc3],
      [0xc0, 0xaf],
      [0xe6, 0xbc],
      [0xed, 0xa0, 0x80],
      [0xf0, 0x9f],
      [0xf4, 0x90, 0x80, 0x80],
      [0xff],
      [0xe0, 0x80],
    )
    .map((bytes) => Uint8Array.from(bytes)),
)

/** Bytes that are mostly text and partly not. */
export const bytes: fc.Arbitrary<Uint8Array> = fc
  .array(piece, { maxLength: 40 })
  .map((pieces) => Uint8Array.from(pieces.flatMap((part) => [...part])))

/** Short texts of lines that repeat, with both line ends and without a last one. */
export const linesText: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', '', 'é漢', ' a'), fc.constantFrom('\n', '\n', '\n', '\r\n')), { maxLength: 14 }),
    fc.constantFrom('', 'a', 'end\r'),
  )
  .map(([lines, last]) => lines.map((line) => line.join('')).join('') + last)
