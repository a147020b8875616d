/** `undo_edit`: which change is the last of a file, and when it is not taken back. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Change } from '../../../src/core/change.ts'
import type { Path } from '../../../src/core/path.ts'
import { applyPatch } from '../../../src/tools/apply_patch/apply_patch.ts'
import { TOOLS } from '../../../src/tools/index.ts'
import { type ProfileFixture, profileWith } from '../../profiles/setup.ts'
import type { Planted } from '../setup.ts'

interface Editor extends ProfileFixture {
  edit(path: string, from: string, to: string): Promise<void>
  undo(path: string): Promise<{ readonly code: string | null; readonly text: string }>
}

async function editorWith(files: { readonly [path: string]: Planted }): Promise<Editor> {
  const fixture = await profileWith('text-editor', files)
  const call = (args: object) => fixture.call('str_replace_based_edit_tool', args)
  return {
    ...fixture,
    edit: async (path, old_str, new_str) =>
      expect(await call({ command: 'str_replace', path, old_str, new_str })).toMatchObject({ code: null }),
    undo: (path) => call({ command: 'undo_edit', path }),
  }
}

/** Writes as a program would that knows nothing of the workspace. */
async function writeOutside({ fs }: ProfileFixture, path: string, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text)
  const expectation = { hash: fs.hasher.hash(new TextEncoder().encode('2\n')) }
  const change: Change = {
    kind: 'write',
    path: path as Path,
    content: { hash: fs.hasher.hash(bytes), size: bytes.length, bytes },
    expect: expectation,
  }
  const facts = { id: '20250101T000000000Z-11111111', time: '2025-01-01T00:00:00.000Z', subject: 'other', tool: 'external', call: null }
  await fs.commit([change], { ...facts, kind: 'external' })
}

describe('what is undone', () => {
  test('is recorded as the undo of that change, and can be put back', async () => {
    const { edit, undo, read, workspace } = await editorWith({ a: '1\n' })
    await edit('a', '1', '2')
    expect(await undo('a')).toMatchObject({ code: null })
    const [newest, edited] = await workspace.log()
    expect(newest?.record).toMatchObject({ kind: 'undo', tool: 'undo_edit', target: edited?.record.id })
    expect(edited?.undone).toBe(true)
    await workspace.redo()
    expect(await read('a')).toBe('2\n')
    expect(await undo('a')).toMatchObject({ code: null })
    expect(await read('a')).toBe('1\n')
    expect(await workspace.verify()).toMatchObject({ records: 5 })
  })

  test('goes on from what was undone by hand', async () => {
    const { edit, undo, read, workspace } = await editorWith({ a: '1\n' })
    await edit('a', '1', '2')
    await edit('a', '2', '3')
    await workspace.undo('last')
    expect(await undo('a')).toMatchObject({ code: null })
    expect(await read('a')).toBe('1\n')
  })

  test('an edit that went back by hand is an edit', async () => {
    const { edit, undo, read } = await editorWith({ a: '1\n' })
    await edit('a', '1', '2')
    await edit('a', '2', '1')
    await undo('a')
    expect(await read('a')).toBe('2\n')
    await undo('a')
    expect(await read('a')).toBe('1\n')
  })

  test('a creation: the file goes, the directory that was made for it stays', async () => {
    const { call, undo, fs } = await editorWith({})
    await call('str_replace_based_edit_tool', { command: 'create', path: 'd/a', file_text: 'x' })
    await call('str_replace_based_edit_tool', { command: 'create', path: 'd/b', file_text: 'y' })
    expect(await undo('d/a')).toMatchObject({ code: null })
    expect((await fs.list('d' as Path)).map(({ path }) => path)).toEqual(['d/b'])
  })

  test('a deletion: the file is back, with its directory and mode', async () => {
    const { call, undo, read, fs } = await editorWith({ 'memories/d/a': { text: '1\n', mode: 0o700 } })
    await call('memory', { command: 'delete', path: '/memories/d/a' })
    await call('memory', { command: 'delete', path: '/memories/d' })
    expect(await undo('memories/d/a')).toMatchObject({ code: null })
    expect(await read('memories/d/a')).toBe('1\n')
    expect(await fs.stat('memories/d/a' as Path)).toMatchObject({ mode: 0o700 })
  })

  test('through a link, what it leads to', async () => {
    const { edit, undo, read } = await editorWith({ a: '1\n', l: { link: 'a' } })
    await edit('l', '1', '2')
    expect(await undo('l')).toMatchObject({ code: null })
    expect(await read('a')).toBe('1\n')
  })

  test('a file that is no text is told by its size', async () => {
    const { workspace, undo } = await editorWith({ a: new Uint8Array([0, 1, 2]) })
    await workspace.run(TOOLS.write_file, { file_path: 'a', content: 'text', force_overwrite: true })
    expect(await undo('a')).toMatchObject({ code: null, text: 'Last edit to a undone successfully. It has 3 bytes again.' })
  })
})

describe('what is not undone', () => {
  test('what nobody edited', async () => {
    const { undo } = await editorWith({ a: '1\n' })
    expect(await undo('a')).toMatchObject({ code: 'not_found', text: 'Error: No edit history found for a.' })
  })

  test('what another program changed since', async () => {
    const editor = await editorWith({ a: '1\n' })
    await editor.edit('a', '1', '2')
    await writeOutside(editor, 'a', 'other\n')
    expect(await editor.undo('a')).toMatchObject({ code: 'conflict' })
    expect(await editor.read('a')).toBe('other\n')
    await editor.edit('a', 'other', 'mine')
    expect(await editor.undo('a')).toMatchObject({ code: null })
    expect(await editor.undo('a')).toMatchObject({ code: 'conflict' })
    expect(await editor.read('a')).toBe('other\n')
  })

  test('a change of several files', async () => {
    const { workspace, undo, read } = await editorWith({ a: '1\n', b: '1\n' })
    const input = '*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** Update File: b\n@@\n-1\n+2\n*** End Patch'
    expect((await workspace.run(applyPatch, { input })).error).toBeNull()
    expect(await undo('a')).toMatchObject({ code: 'unsupported' })
    expect(await read('a')).toBe('2\n')
  })

  test('a move, of the file or of its directory', async () => {
    const { call, undo, edit } = await editorWith({ 'memories/a': '1\n', 'memories/d/b': '1\n' })
    await edit('memories/a', '1', '2')
    await edit('memories/d/b', '1', '2')
    await call('memory', { command: 'rename', old_path: '/memories/a', new_path: '/memories/c' })
    await call('memory', { command: 'rename', old_path: '/memories/d', new_path: '/memories/e' })
    for (const path of ['memories/a', 'memories/c', 'memories/d/b', 'memories/e/b'])
      expect(await undo(path)).toMatchObject({ code: 'unsupported' })
  })

  test('what was not kept', async () => {
    const { workspace, undo } = await editorWith({ a: '1\n' })
    await workspace.run(TOOLS.write_file, { file_path: 'a', content: '2\n', force_overwrite: true, create_backup: false })
    expect(await undo('a')).toMatchObject({ code: 'unsupported' })
  })

  test('what was purged', async () => {
    const { workspace, undo, edit, read } = await editorWith({ a: 'secret\n' })
    await edit('a', 'secret', 'none')
    await workspace.purge({ path: 'a' }, { containing: 'secret' })
    expect(await undo('a')).toMatchObject({ code: 'unsupported' })
    expect(await read('a')).toBe('none\n')
  })

  test('anything in a workspace that is read-only', async () => {
    const { call, read } = await profileWith('text-editor', { a: '1\n' }, { readOnly: true })
    expect(await call('str_replace_based_edit_tool', { command: 'undo_edit', path: 'a' })).toMatchObject({ code: 'read_only' })
    expect(await call('str_replace_based_edit_tool', { command: 'view', path: 'a' })).toMatchObject({ code: null })
    expect(await read('a')).toBe('1\n')
  })
})

test('any edits and undos of several files: each undo gives back what was there before the newest edit that stands', async () => {
  const step = fc.record({ path: fc.constantFrom('a', 'd/b'), act: fc.constantFrom('write', 'write', 'undo', 'undo', 'insert') })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const { call, undo, read } = await editorWith({})
      const states: { readonly [path: string]: (string | null)[] } = { a: [null], 'd/b': [null] }
      for (const [at, { path, act }] of steps.entries()) {
        const past = states[path] as (string | null)[]
        const now = past.at(-1) as string | null
        if (act === 'undo') {
          expect((await undo(path)).code).toBe(past.length === 1 ? 'not_found' : null)
          if (past.length > 1) past.pop()
        } else if (now === null) {
          await call('str_replace_based_edit_tool', { command: 'create', path, file_text: `${at}\n` })
          past.push(`${at}\n`)
        } else if (act === 'insert') {
          await call('str_replace_based_edit_tool', { command: 'insert', path, insert_line: 0, insert_text: `${at}\n` })
          past.push(`${at}\n${now}`)
        } else {
          await call('str_replace_based_edit_tool', { command: 'str_replace', path, old_str: now, new_str: `${at}\n` })
          past.push(`${at}\n`)
        }
        expect(await read(path)).toBe(past.at(-1))
      }
    }),
    { numRuns: 60 },
  )
})
