/** Packages and folders as repositories in memory. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { finalDiff } from '../../src/testing/index.ts'
import { filesOfFolder, fromPackage } from '../../src/testing/node.ts'

const ROOT = join(import.meta.dirname, '../..')

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'filewright-from-package-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A small package with something that must not come along. */
function smallPackage(): string {
  const root = folder()
  writeFileSync(join(root, 'package.json'), '{"name":"small","version":"1.0.0","bin":"run","files":["run","lib"]}\n')
  writeFileSync(join(root, 'run'), '#!/bin/sh\n')
  chmodSync(join(root, 'run'), 0o700)
  mkdirSync(join(root, 'lib'))
  writeFileSync(join(root, 'lib/a.js'), 'export const a = 1\n')
  symlinkSync('a.js', join(root, 'lib/link.js'))
  mkdirSync(join(root, 'node_modules/other'), { recursive: true })
  writeFileSync(join(root, 'node_modules/other/x'), '')
  return root
}

describe('fromPackage', () => {
  test('one that is installed, as it is, and the disk stays as it is', async () => {
    const path = join(ROOT, 'node_modules/zod/package.json')
    const before = [readFileSync(path, 'utf8'), statSync(path).mtimeMs]
    const workspace = await fromPackage('zod', { from: import.meta.dirname })
    const names = (await (await workspace.view()).list('' as never)).map((entry) => entry.path)
    expect(names).toEqual(readdirSync(join(ROOT, 'node_modules/zod')).sort())
    await workspace.call('edit', { path: 'package.json', patches: [{ op: 'set', path: '/version', value: '0.0.0' }] })
    expect(await finalDiff(workspace)).toContain('+  "version": "0.0.0",')
    expect([readFileSync(path, 'utf8'), statSync(path).mtimeMs]).toEqual(before)
  })

  test('a folder, and what npm packs of it', async () => {
    const root = smallPackage()
    const workspace = await fromPackage(root)
    const view = await workspace.view()
    expect((await view.list('' as never)).map(({ path }) => path)).toEqual(['lib', 'package.json', 'run'])
    expect((await view.resolve('run')).entry?.mode).toBe(0o755)
    expect((await view.resolve('lib/link.js', { last: 'keep' })).entry?.target).toBe('a.js')
    const out = folder()
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], { cwd: root, stdio: 'pipe' })
    const packed = await fromPackage(join(out, 'small-1.0.0.tgz'))
    expect((await packed.call('read', { path: 'lib/a.js' })).text).toContain('export const a = 1')
    expect((await (await packed.view()).resolve('run')).entry?.mode).toBe(0o755)
    for (const [which, from] of [
      ['.', root],
      ['..', join(root, 'lib')],
      ['small-1.0.0.tgz', out],
    ] as const)
      expect((await (await fromPackage(which, { from })).call('read', { path: 'lib/a.js' })).error).toBeNull()
    writeFileSync(join(out, 'text.tgz'), 'text')
    await expect(fromPackage('text.tgz', { from: out })).rejects.toMatchObject({ code: 'corrupt' })
  })

  test.each(['none-of-this-name', './none', './none.tgz', 'none.tgz'])('%s is not found', async (which) => {
    await expect(fromPackage(which, { from: folder() })).rejects.toMatchObject({ code: 'not_found' })
  })
})

test('a folder that is not there', () => {
  expect(() => filesOfFolder('/none/of/these')).toThrow(expect.objectContaining({ code: 'not_found' }))
})
