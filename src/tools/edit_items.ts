/** The replacements of an edit: a list, one object, or JSON text of either, checked item by item. */
import { z } from 'zod'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import { type EditDiagnostic, explainInvalid } from '../text/edit/diagnostics.ts'
import type { EditItem } from '../text/edit/edit.ts'
import { boolean, checkValue, content, givenArguments, integer } from './arguments.ts'

const item = z.strictObject({
  old_content: content('Text in the file, copied exactly, with enough of it to be unique.'),
  new_content: content('Text to put in its place.'),
  replace_all: boolean('Replace every occurrence.').optional(),
  require_unique_match: boolean('Refuse more than one occurrence.').optional(),
  start_line: integer('The match must not begin before this line.', { min: 1 }).optional(),
  end_line: integer('The match must not end after this line.', { min: 1 }).optional(),
})

// One item and JSON text are told in words: their members a second time would only make the list of tools longer.
const accepted = z.union([z.array(item), z.looseObject({}).describe('One item.'), z.string().describe('The same as JSON text.')])
const { $schema: _, ...published } = z.toJSONSchema(accepted, { io: 'input' })

/** Published as what it should be and accepted as anything, since {@link readItems} says better what is wrong with an item. */
export const replacements: z.ZodOptional<z.ZodUnknown> = z
  .unknown()
  .meta({ ...published, description: 'What to replace by what. Applied in order, each to the result of the one before; all or none.' })
  .optional()

/** A replacement, and where the caller wrote it (`replacements[1]`). */
export interface PlacedItem extends EditItem {
  readonly at: string
}

/** The arguments that say what to replace. */
export interface ItemArguments {
  readonly replacements?: unknown
  readonly replacements_json?: string | undefined
  readonly replace_all?: boolean | undefined
  readonly require_unique_match: boolean
}

/**
 * The items of a call (P-50, P-57). Throws `missing_argument` or `invalid_argument` with the member as `field`; for an item,
 * `details.diagnostics` tells its index and whether it is an `invalid_item` or has `empty_old_content`.
 */
export function readItems(args: ItemArguments): PlacedItem[] {
  const field = args.replacements_json === undefined ? 'replacements' : 'replacements_json'
  const given = args.replacements_json ?? args.replacements
  if (given === undefined) throw new FilewrightError('missing_argument', 'replacements is required.', { field })
  const value = typeof given === 'string' ? parseJson(given, field) : given
  if (!Array.isArray(value)) return [readItem(value, 0, field, args)]
  if (value.length === 0) throw new FilewrightError('invalid_argument', `${field} must hold at least one item.`, { field })
  return value.map((one, index) => readItem(one, index, `${field}[${index}]`, args))
}

function parseJson(text: string, field: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'it cannot be parsed'
    throw new FilewrightError('invalid_argument', `${field} is not valid JSON: ${reason}.`, { field })
  }
}

function readItem(value: unknown, index: number, at: string, args: ItemArguments): PlacedItem {
  const { old_content, new_content, replace_all, require_unique_match, start_line, end_line } = checkItem(value, index, at)
  if (old_content === '') throw itemError(index, 'empty_old_content', `${at}.old_content`, `${at}.old_content must not be empty.`)
  if (start_line !== undefined && end_line !== undefined && end_line < start_line) {
    throw itemError(index, 'invalid_item', `${at}.end_line`, `${at}.end_line ${end_line} is before start_line ${start_line}.`)
  }
  return {
    at,
    oldText: old_content,
    newText: new_content,
    replaceAll: replace_all ?? args.replace_all ?? false,
    requireUnique: require_unique_match ?? args.require_unique_match,
    startLine: start_line,
    endLine: end_line,
  }
}

function checkItem(value: unknown, index: number, at: string): z.output<typeof item> {
  try {
    // Null members count as not given, as everywhere; what is no object is left to the schema to refuse.
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return checkValue(item, isObject ? givenArguments(value) : value, at)
  } catch (error) {
    if (!isFilewrightError(error)) throw error
    throw new FilewrightError(error.code, error.message, { field: error.field ?? at, details: diagnose(index, 'invalid_item') })
  }
}

function itemError(index: number, reason: 'empty_old_content' | 'invalid_item', field: string, message: string): FilewrightError {
  return new FilewrightError('invalid_argument', message, { field, details: diagnose(index, reason) })
}

function diagnose(index: number, reason: 'empty_old_content' | 'invalid_item'): { readonly diagnostics: readonly EditDiagnostic[] } {
  return { diagnostics: [explainInvalid(index, reason)] }
}
