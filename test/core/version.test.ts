/** The version is told in one place only. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { VERSION } from '../../src/core/version.ts'

test('it is that of the package', () => {
  const manifest = JSON.parse(readFileSync(`${import.meta.dirname}/../../package.json`, 'utf8'))
  expect(VERSION).toBe(manifest.version)
})
