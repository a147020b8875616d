/** T-X-04: whatever was done to files, rolling back in reverse order brings every file back. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Fixture, workspaceWith } from './setup.ts'

const RUNS = Number(process.env.FUZZ_RUNS ?? 60)
const FILES = { a: 'alpha\n', b: 'beta\n', 'd/c': 'gamma\n', 'd/e': '' } as const
const NAMES = Object.keys(FILES) as (keyof typeof FILES)[]

const name = fc.constantFrom(...NAMES)
const folder = fc.constantFrom(undefined, undefined, 'bk')

/** One change; a move is preceded by a backup of its source, since it makes none of its own. */
const step = fc.oneof(
  fc.record({ tool: fc.constant('write_file'), file_path: name, content: fc.string({ maxLength: 8 }), backup_root: folder }),
  fc.record({ tool: fc.constant('append'), file_path: name, content: fc.string({ maxLength: 8 }), backup_root: folder }),
  fc.record({ tool: fc.constant('edit_file'), file_path: name, backup_root: folder }),
  fc.record({ tool: fc.constant('delete_file'), file_path: name, backup_root: folder }),
  fc.record({ tool: fc.constant('copy_file'), source_path: name, destination_path: name, backup_root: folder }),
  fc.record({ tool: fc.constant('move_file'), source_path: name, destination_path: name, backup_root: folder }),
)

interface Kept {
  readonly file_path: string
  readonly backup_id: string
  readonly backup_root: string | undefined
}

async function take(fixture: Fixture, { tool, backup_root, ...args }: { tool: string; backup_root: string | undefined }): Promise<Kept[]> {
  const paths = args as { file_path?: string; source_path?: string; destination_path?: string }
  const kept: Kept[] = []
  const keep = (file_path: string | undefined, id: unknown) =>
    typeof id === 'string' && id !== '' && file_path !== undefined && kept.push({ file_path, backup_id: id, backup_root })
  if (tool === 'move_file') {
    const { result } = await fixture.call('backup_file', { file_path: paths.source_path, backup_root })
    keep(paths.source_path, result.backup_id)
  }
  const more = {
    write_file: { force_overwrite: true },
    append: { append: true },
    edit_file: { replacements: [{ old_content: 'a', new_content: 'A', replace_all: true }] },
    copy_file: { overwrite: true },
    move_file: { overwrite: true },
  }
  const call = { ...args, backup_root, ...more[tool as keyof typeof more] }
  const { result } = await fixture.call(tool === 'append' ? 'write_file' : tool, call)
  keep(paths.file_path ?? paths.destination_path, result.backup_id)
  return kept
}

test('T-X-04', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const fixture = await workspaceWith(FILES)
      const kept: Kept[] = []
      for (const one of steps) kept.push(...(await take(fixture, one)))
      for (const backup of kept.reverse()) expect((await fixture.call('rollback_file', backup)).code).toBeNull()
      for (const path of NAMES) expect(await fixture.read(path)).toBe(FILES[path])
      await fixture.workspace.verify()
    }),
    { numRuns: RUNS },
  )
})
