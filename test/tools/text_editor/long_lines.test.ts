/** An answer to an edit among very long lines stays short, and does not call the file empty. */
import { expect, test } from 'vitest'
import { profileWith } from '../../profiles/setup.ts'

const LONG = 'é'.repeat(150_000)

const EDITS: readonly (readonly [command: string, args: object, after: string])[] = [
  ['str_replace', { old_str: 'mark', new_str: 'new' }, `${LONG}\nnew\n`],
  ['insert', { insert_line: 1, insert_text: 'new' }, `${LONG}\nnew\nmark\n`],
]

test.each(EDITS)('%s', async (command, args, after) => {
  for (const [tool, path] of [['str_replace_based_edit_tool', 'f'] as const, ['memory', '/memories/f'] as const]) {
    const { call, read } = await profileWith('text-editor', { [path.replace(/^\//, '')]: `${LONG}\nmark\n` })
    const { code, text } = await call(tool, { command, path, ...args })
    expect(code).toBeNull()
    expect(text.length).toBeLessThan(1000)
    expect(text).not.toContain('[empty file]')
    expect(await read(path.replace(/^\//, ''))).toBe(after)
  }
})
