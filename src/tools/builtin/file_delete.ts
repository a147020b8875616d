/** `builtin/file-delete`: removes a file or a link, if it is there. */
import { z } from 'zod'
import { requireRemovable } from '../delete_file.ts'
import { expectationOf } from '../stored_state.ts'
import { defineTool, type Tool } from '../tool.ts'
import { filePath, sandboxOf, sandboxRoot, targetsOf } from './sandbox.ts'

const input = z.object({ path: filePath, sandbox_root: sandboxRoot })

const output = z.object({ path: z.string().describe('Absolute.'), existed: z.boolean() })

/** Deletes a file (B-40). */
export const fileDelete: Tool = defineTool({
  name: 'builtin/file-delete',
  title: 'Delete file',
  description: 'Deletes a file; one that is missing is no error. A symbolic link is removed itself. Directories are refused.',
  kind: 'write',
  idempotent: true,
  destructive: true,
  input,
  output,
  root: sandboxOf,
  targets: targetsOf('change-entry'),
  failed: () => ({}),
  async run({ view }, { path }) {
    const target = await view.resolve(path, { last: 'keep' })
    const result = { path: view.display(target.path), existed: target.entry !== null }
    if (target.entry) view.remove(target, { expect: await expectationOf(view, await requireRemovable(view, target)) })
    return { result }
  },
  text: ({ path, existed }) => (existed ? `Deleted ${path}.` : `${path} was not there.`),
})
