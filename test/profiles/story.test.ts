/** One story through every profile: read, edit, fail, correct, undo. It ends with the same bytes, and the journal can prove it. */
import { describe, expect, it, test } from 'vitest'
import type { Path } from '../../src/core/path.ts'
import { readAll } from '../../src/core/read.ts'
import { PROFILE_NAMES } from '../../src/profiles/index.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { plant } from '../tools/setup.ts'
import { STORAGES } from '../tools/storages.ts'

/** Where every profile may write. */
const PATH = 'sessions/story.txt'
const BEGINNING = 'one\r\ntwo\r\nthree\n'
const CORRECTED = 'one\r\nzwei\r\nthree\n'
const ENDING = 'one\r\n2\r\nthree\n'

/** A tool and its arguments. */
type Call = readonly [tool: string, args: object]

/** How a profile tells the story. */
interface Telling {
  /** Null for a profile that cannot read. */
  readonly read: Call | null
  edit(from: string, to: string): Call
  /** Null where there is no way back but the workspace's own. */
  readonly undo: Call | null
}

const editor = (command: string, options: object = {}): Call => ['str_replace_based_edit_tool', { command, path: PATH, ...options }]

const TELLINGS: { readonly [profile: string]: Telling } = {
  native: {
    read: ['read', { path: PATH }],
    edit: (from, to) => ['edit', { path: PATH, old: from, new: to }],
    undo: ['batch', { operations: [{ op: 'undo' }] }],
  },
  fileops: {
    read: ['view_file', { file_path: PATH }],
    edit: (from, to) => ['edit_file', { file_path: PATH, replacements: [{ old_content: from, new_content: to }] }],
    undo: ['rollback_file', { file_path: PATH, backup_id: 'last' }],
  },
  fsproc: {
    read: ['read_file', { file: PATH }],
    edit: (from, to) => ['edit_file', { file: PATH, old: from, new: to }],
    undo: null,
  },
  sessions: {
    read: ['read_file', { path: PATH }],
    edit: (from, to) => ['edit_file', { path: PATH, old_text: from, new_text: to }],
    undo: null,
  },
  builtin: {
    read: ['builtin/file-read', { path: PATH }],
    edit: (from, to) => ['builtin/file-edit', { path: PATH, old_text: from, new_text: to }],
    undo: null,
  },
  'mcp-filesystem': {
    read: ['read_text_file', { path: PATH }],
    edit: (from, to) => ['edit_file', { path: PATH, edits: [{ oldText: from, newText: to }] }],
    undo: null,
  },
  'text-editor': {
    read: editor('view'),
    edit: (from, to) => editor('str_replace', { old_str: from, new_str: to }),
    undo: editor('undo_edit'),
  },
  'apply-patch': {
    read: null,
    edit: (from, to) => ['apply_patch', { input: `*** Begin Patch\n*** Update File: ${PATH}\n@@\n-${from}\n+${to}\n*** End Patch` }],
    undo: null,
  },
}

test('every profile with tools for files tells the story', () => {
  expect(Object.keys(TELLINGS).sort()).toEqual(PROFILE_NAMES.filter((name) => name !== 'git').sort())
})

describe.each(STORAGES.filter(([name]) => name === 'memory' || name === 'node'))('on %s', (_, open) => {
  it.each(Object.entries(TELLINGS))('%s', async (profile, { read, edit, undo }) => {
    const fs = await open()
    await plant(fs, { [PATH]: BEGINNING })
    const workspace = await openWorkspace({ fs, profile })
    const held = async (): Promise<string> => new TextDecoder().decode(await readAll(await fs.open(PATH as Path), 1000, PATH))
    const call = async ([tool, args]: Call) => workspace.call(tool, args)

    if (read) {
      const { text, error } = await call(read)
      expect(error).toBeNull()
      expect(text).toContain('two')
    } else expect(workspace.tools().every(({ tool }) => tool.kind === 'write')).toBe(true)
    expect((await call(edit('two', '2'))).error).toBeNull()
    const before = await workspace.log()
    // What the model remembers is not there any more: nothing changes, and the answer says so.
    const failed = await call(edit('two', 'zwei'))
    expect(failed.error).not.toBeNull()
    expect(failed.text).not.toBe('')
    expect(await held()).toBe(ENDING)
    expect(await workspace.log()).toEqual(before)
    expect((await call(edit('2', 'zwei'))).error).toBeNull()
    expect(await held()).toBe(CORRECTED)
    if (undo) expect((await call(undo)).error).toBeNull()
    else await workspace.undo('last')
    expect(await held()).toBe(ENDING)
    const { records } = await workspace.verify()
    expect((await workspace.log()).length).toBe(records)
  })
})
