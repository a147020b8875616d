/** `apply_patch`: adds, changes, moves and deletes files by one patch, all or nothing. */
import { z } from 'zod'
import { type MatchPass, PASSES } from '../../text/line_table.ts'
import { parseEnvelope } from '../../text/patch/envelope.ts'
import { checkedTogether, content } from '../arguments.ts'
import { defineTool, type Target, type Tool } from '../tool.ts'
import { stagePatch } from './stage_patch.ts'

const input = checkedTogether(
  z.object({
    input: content(
      'The whole patch, from *** Begin Patch to *** End Patch. Between them, for each file: *** Add File: PATH and its lines, each after a +; *** Delete File: PATH; or *** Update File: PATH, *** Move to: PATH if it gets another name, and hunks. A hunk begins with @@ (and, if need be, a line of the file above the place); its lines begin with a blank (kept), - (taken out) or + (put in).',
    ),
  }),
  (args) => ({ ...args, operations: parseEnvelope(args.input) }),
)

const file = z.object({
  path: z.string().describe('As in the patch.'),
  action: z.enum(['added', 'modified', 'deleted', 'unchanged']),
  moved_from: z.string().optional(),
  match: z.enum(PASSES).optional().describe('How lines had to be compared for the hunks to be found.'),
})

const output = z.object({ files: z.array(file) })

type Result = z.output<typeof output>

/** Applies a patch in the envelope that Codex speaks. */
export const applyPatch: Tool = defineTool({
  name: 'apply_patch',
  title: 'Apply patch',
  description:
    'Edits files by one patch: adds, updates, moves and deletes, all of it or nothing. Show about three lines around each change, copied exactly: each hunk must fit in one place only. Paths are relative to the workspace. Nothing that is there is overwritten by an added or moved file.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input,
  output,
  targets: ({ operations }) => operations.flatMap(targetsOf),
  risk: ({ operations }) =>
    operations.some((one) => one.kind === 'delete' || (one.kind === 'update' && one.to !== null)) ? 'always' : 'small',
  failed: (): Result => ({ files: [] }),
  run: async (context, { operations }) => ({ result: { files: await stagePatch(context, operations) } }),
  text: ({ files }) => [...summary(files), ...notes(files)].join('\n'),
})

function targetsOf(operation: ReturnType<typeof parseEnvelope>[number]): readonly Target[] {
  const target = (path: string, use: Target['use']): Target => ({ path, field: 'input', use })
  if (operation.kind !== 'update') return [target(operation.path, operation.kind === 'add' ? 'change' : 'change-entry')]
  if (operation.to === null) return [target(operation.path, 'change')]
  return [target(operation.path, 'change-entry'), target(operation.to, 'change-entry')]
}

const LETTERS: readonly (readonly [action: Result['files'][number]['action'], letter: string])[] = [
  ['added', 'A'],
  ['modified', 'M'],
  ['deleted', 'D'],
]

/** As Codex tells it: what was added, then what was modified, then what was deleted. */
function summary(files: Result['files']): string[] {
  const lines = LETTERS.flatMap(([action, letter]) => files.filter((one) => one.action === action).map(({ path }) => `${letter} ${path}`))
  return lines.length === 0
    ? ['Success. The files are as the patch wants them already.']
    : ['Success. Updated the following files:', ...lines]
}

const LEFT_ASIDE: { readonly [pass in Exclude<MatchPass, 'exact'>]: string } = {
  trailing_white_space: 'blanks at the ends of lines',
  surrounding_white_space: 'indentation',
  punctuation: 'indentation and typographic characters',
}

/** What a caller should look at again. */
function notes(files: Result['files']): string[] {
  return files.flatMap(({ path, match }) =>
    match === undefined || match === 'exact'
      ? []
      : [`Note: in ${path}, lines were found only with ${LEFT_ASIDE[match]} left aside; what they hold was kept.`],
  )
}
