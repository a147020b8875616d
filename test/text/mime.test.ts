/** MIME types by name and content (P-105). */
import { expect, it } from 'vitest'
import { extensionOf, mimeType } from '../../src/text/mime.ts'

it.each([
  ['m.rs', false, 'text/x-rust'],
  ['x.json', false, 'application/json'],
  ['a.txt', false, 'text/plain'],
  ['x.unknownext', false, 'text/plain'],
  ['noextension', false, 'text/plain'],
  ['n.unknownext', true, 'application/octet-stream'],
  ['n.dat', true, 'application/octet-stream'],
  ['n.dat', false, 'text/plain'],
  ['a.PNG', true, 'image/png'],
  ['a.tar.gz', true, 'application/gzip'],
  ['a.ts', false, 'text/x-typescript'],
  ['a.ts', true, 'application/octet-stream'],
  ['Makefile', false, 'text/x-makefile'],
  ['.rs', false, 'text/plain'],
  ['json', false, 'text/plain'],
  ['constructor', false, 'text/plain'],
])('%s, binary %s, is %s', (name, binary, type) => {
  expect(mimeType(name, binary)).toBe(type)
})

it.each([
  ['a.b.TS', 'ts'],
  ['.gitignore', ''],
  ['a.', ''],
  ['a', ''],
])('the extension of %j is %j', (name, extension) => {
  expect(extensionOf(name)).toBe(extension)
})
