/** The edits of a call: texts for texts, or lines, or patches; checked one by one. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { PatchOperation } from '../../text/document/patch.ts'
import type { EditItem } from '../../text/edit/edit.ts'
import { boolean, content, integer } from '../arguments.ts'
import { readPatches } from '../patch_operations.ts'
import type { LineAddress } from './line_edits.ts'

/** One edit as a caller gives it. */
export const givenEdit: z.ZodType<GivenEdit> = z.strictObject({
  old: content('').optional(),
  new: content(''),
  all: boolean('').optional(),
  start_line: integer('', { min: 1 }).optional(),
  end_line: integer('', { min: 1 }).optional(),
  insert_line: integer('', { min: 0 }).optional(),
})

/** The values of {@link givenEdit}. */
export interface GivenEdit {
  readonly old?: string | undefined
  readonly new: string
  readonly all?: boolean | undefined
  readonly start_line?: number | undefined
  readonly end_line?: number | undefined
  readonly insert_line?: number | undefined
}

/** A replacement of text, and where the caller wrote it. */
export interface PlacedEdit extends EditItem {
  readonly at: string
}

/** What is to be done. */
export type ReadEdits =
  | { readonly kind: 'texts'; readonly items: readonly PlacedEdit[]; readonly patches?: undefined }
  | { readonly kind: 'lines'; readonly addresses: readonly LineAddress[]; readonly patches?: undefined }
  | { readonly kind: 'patches'; readonly patches: readonly PatchOperation[] }

/** The arguments that say what to edit. */
interface EditArguments {
  readonly old?: string | undefined
  readonly new?: string | undefined
  readonly all?: boolean | undefined
  readonly edits?: readonly GivenEdit[] | undefined
  readonly patches?: readonly unknown[] | undefined
}

/** Reads the edits. Throws `missing_argument` and `invalid_argument` with the place of what is wrong as `field`. */
export function readEdits(args: EditArguments): ReadEdits {
  const { patches } = args
  const given = givenEdits(args)
  if (patches !== undefined) {
    if (given.length > 0) throw wrong('patches', 'patches and other edits are both given: use one of them')
    return { kind: 'patches', patches: readPatches(patches) }
  }
  if (given.length === 0) throw new FilewrightError('missing_argument', 'old and new are required, or edits.', { field: 'old' })
  const addresses = given.flatMap(({ edit, at }) => addressOf(edit, at) ?? [])
  if (addresses.length === 0) return { kind: 'texts', items: given.map(({ edit, at }) => itemOf(edit, at, args.all ?? false)) }
  if (addresses.length < given.length) {
    throw wrong('edits', 'edits by old and edits by lines are mixed, and the first would move the lines: send them in two calls')
  }
  return { kind: 'lines', addresses }
}

interface Placed {
  readonly edit: GivenEdit
  /** What stands before a member's name in the caller's notation. */
  readonly at: string
}

function givenEdits({ old, new: replacement, edits = [], ...rest }: EditArguments): Placed[] {
  const items = edits.map((edit, index) => ({ edit, at: `edits[${index}].` }))
  if (old === undefined && replacement === undefined) return items
  if (items.length > 0) throw wrong('edits', 'old and new are given beside edits: put them among these')
  if (old === undefined) throw new FilewrightError('missing_argument', 'old is required beside new.', { field: 'old' })
  if (replacement === undefined) throw new FilewrightError('missing_argument', 'new is required beside old; "" deletes.', { field: 'new' })
  return [{ edit: { old, new: replacement, all: rest.all }, at: '' }]
}

/** The lines that an edit without a text names; null for one with a text. */
function addressOf(edit: GivenEdit, at: string): LineAddress | null {
  const { old, start_line: start, end_line: end, insert_line: insert, new: text } = edit
  if (insert !== undefined) {
    if (old !== undefined || start !== undefined || end !== undefined)
      throw wrong(`${at}insert_line`, 'insert_line takes only new beside it')
    return { start: insert + 1, end: insert, text, at: `${at}insert_line` }
  }
  requireOrder(start, end, at)
  if (old !== undefined) return null
  if (start === undefined) throw new FilewrightError('missing_argument', `${at}old is required, or start_line.`, { field: `${at}old` })
  return { start, end: end ?? start, text, at: `${at}start_line` }
}

function itemOf({ old = '', new: newText, all, start_line, end_line }: GivenEdit, at: string, allOfThem: boolean): PlacedEdit {
  if (old === '') throw wrong(`${at}old`, `${at}old must not be empty; to insert use insert_line`)
  return {
    at: `${at}old`,
    oldText: old,
    newText,
    replaceAll: all ?? allOfThem,
    requireUnique: true,
    startLine: start_line,
    endLine: end_line,
  }
}

function requireOrder(start: number | undefined, end: number | undefined, at: string): void {
  if (start !== undefined && end !== undefined && end < start)
    throw wrong(`${at}end_line`, `${at}end_line ${end} is before start_line ${start}`)
}

function wrong(field: string, problem: string): FilewrightError {
  return new FilewrightError('invalid_argument', `${problem}.`, { field })
}
