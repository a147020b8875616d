/** Encodings by name (B-5). */
import { expect, test } from 'vitest'
import { isFilewrightError } from '../../src/core/errors.ts'
import { encodingNamed } from '../../src/text/encodings.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const failing = (code: string) => expect.toSatisfy((error) => isFilewrightError(error) && error.code === code)

test.each([
  ['UTF_8', '\ufeffé', 'efbbbfc3a9'],
  ['utf-8-sig', 'é', 'efbbbfc3a9'],
  ['US-ASCII', 'a\x7f', '617f'],
  ['ISO-8859-1', 'é\x80\x9f', 'e9809f'],
  ['windows-1252', '€Ÿÿ', '809fff'],
  ['utf-16', 'é😀', 'fffee9003dd800de'],
  ['UTF-16LE', '\ufeffé', 'fffee900'],
  ['utf_16_be', 'é😀', '00e9d83dde00'],
])('%s is read as it is written', (name, text, written) => {
  const encoding = encodingNamed(name)
  expect(hex(encoding.encode(text))).toBe(written)
  expect(encoding.decode(bytes(written), 'f')).toBe(text)
})

test('utf-16 follows its BOM, and is little-endian without one', () => {
  expect(encodingNamed('utf-16').decode(bytes('feff00e9'), 'f')).toBe('é')
  expect(encodingNamed('utf-16').decode(bytes('e900'), 'f')).toBe('é')
})

test.each([
  ['utf-8', '41c328', 1],
  ['ascii', '4180', 1],
  ['cp1252', '414281', 2],
  ['utf-16-le', '410000d84100', 2],
  ['utf-16', 'fffe41', 2],
])('%s does not take %s, from byte %i on', (name, written, offset) => {
  expect(() => encodingNamed(name).decode(bytes(written), 'f')).toThrow(
    expect.toSatisfy((error) => isFilewrightError(error, 'invalid_utf8') && error.details?.offset === offset),
  )
})

test.each([
  ['ascii', 'é'],
  ['latin-1', '€'],
  ['cp1252', '\x81'],
  ['cp1252', '😀'],
])('%s has no %s', (name, text) => {
  expect(() => encodingNamed(name).encode(text)).toThrow(failing('invalid_argument'))
})

test('what the platform decodes is read only, and what nobody knows is refused', () => {
  expect(encodingNamed('shift_jis').decode(bytes('82a0'), 'f')).toBe('あ')
  expect(() => encodingNamed('shift_jis').decode(bytes('82'), 'f')).toThrow(failing('invalid_utf8'))
  expect(() => encodingNamed('euc-kr').encode('a')).toThrow(failing('unsupported'))
  for (const name of ['nope', '', '__proto__']) expect(() => encodingNamed(name)).toThrow(failing('unsupported'))
})

test('large texts are decoded in parts', () => {
  const text = 'é'.repeat(100_000)
  expect(encodingNamed('latin-1').decode(encodingNamed('latin-1').encode(text), 'f')).toBe(text)
})
