/** A refusal names the argument as it was sent, and no tool that the profile does not have. */
import { expect, test } from 'vitest'
import { profileWith } from './setup.ts'

const MEMBERLESS = 'an argument of a tool that takes none'

const CALLS: readonly (readonly [what: string, profile: string, tool: string, args: object, field: string | undefined, unnamed: RegExp])[] =
  [
    ['one glob', 'mcp-filesystem', 'search_files', { path: '.', pattern: '[' }, 'pattern', /pattern\[0\]/],
    [
      'a glob of a list',
      'mcp-filesystem',
      'search_files',
      { path: '.', pattern: '*', excludePatterns: ['a', '['] },
      'excludePatterns[1]',
      /\]\[/,
    ],
    ['one glob of a path', 'builtin', 'builtin/file-list', { path: '.', pattern: 'd/[' }, 'pattern', /pattern\[0\]/],
    [MEMBERLESS, 'mcp-filesystem', 'list_allowed_directories', { x: 1 }, 'x', /nearest is/],
    ['an operation that there is not', 'fsproc', 'batch_edit', { operations: [{ op: 'zap' }] }, 'operations[0].op', /must be an object/],
    ['an operation that is none', 'fsproc', 'batch_edit', { operations: ['zap'] }, 'operations[0]', /one of/],
    [
      'a directory to delete',
      'apply-patch',
      'apply_patch',
      { input: '*** Begin Patch\n*** Delete File: d\n*** End Patch' },
      undefined,
      /delete_file/,
    ],
    ['a directory to delete', 'builtin', 'builtin/file-delete', { path: 'd' }, undefined, /delete_file/],
    ['a directory to delete', 'fsproc', 'batch_edit', { operations: [{ op: 'delete', file: 'd' }] }, 'operations[0]', /delete_file/],
  ]

test.each(CALLS)('%s: %s', async (_, profile, tool, args, field, unnamed) => {
  const { workspace } = await profileWith(profile, { 'd/f': 'x' })
  const { error } = await workspace.call(tool, args)
  expect(error?.field).toBe(field)
  expect(error?.message).not.toMatch(unnamed)
})
