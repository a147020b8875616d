/** The patches of a call, checked one by one: operation, path and value (P-62, P-63). */
import { z } from 'zod'
import { type ErrorCode, FilewrightError, isFilewrightError } from '../core/errors.ts'
import { PATCH_OPERATIONS, type PatchOperation } from '../text/document/patch.ts'
import { MAX_DEPTH, parsePointer } from '../text/json/pointer.ts'
import type { JsonValue } from '../text/json/print.ts'
import { nearestName } from './nearest_name.ts'

const item = z.strictObject({
  op: z.enum(PATCH_OPERATIONS),
  path: z.string().describe('JSON Pointer: /key/0/key; "" is the whole document, /list/- the end of a list.'),
  value: z.unknown().describe('The new value, as JSON; required but for remove. null is a value.').optional(),
})
const { $schema: _, ...published } = z.toJSONSchema(z.array(item), { io: 'input' })

/** Published as what it should be and accepted as anything, since {@link readPatches} says better what is wrong with an item. */
export const patches: z.ZodOptional<z.ZodUnknown> = z
  .unknown()
  .meta({ ...published, description: 'What to change. Applied in order, each to the result of the one before; all or none.' })
  .optional()

/** Why a patch failed. */
export interface PatchErrorDetail {
  readonly patch_index: number
  readonly op: string
  readonly path: string
  readonly message: string
}

/**
 * The operations of a call. Throws `missing_argument` or `invalid_argument` with the member as `field`, and for an item
 * `details.error_details`.
 */
export function readPatches(given: unknown): PatchOperation[] {
  if (!Array.isArray(given)) throw new FilewrightError('invalid_argument', 'patches must be a list.', { field: 'patches' })
  if (given.length === 0) throw new FilewrightError('invalid_argument', 'patches must hold at least one patch.', { field: 'patches' })
  return given.map(readPatch)
}

/** The failure of one patch, told with its place among the others. */
export function patchError(
  code: ErrorCode,
  index: number,
  patch: { readonly op?: unknown; readonly path?: unknown },
  member: string,
  problem: string,
): FilewrightError {
  const [op, path] = [textOf(patch.op), textOf(patch.path)]
  const detail: PatchErrorDetail = { patch_index: index, op, path, message: problem }
  return new FilewrightError(code, `patches[${index}] (${op} ${JSON.stringify(path)}): ${problem}; nothing was changed.`, {
    field: `patches[${index}]${member}`,
    details: { error_details: [detail] },
  })
}

function readPatch(given: unknown, index: number): PatchOperation {
  const wrong = (code: ErrorCode, member: string, problem: string) => patchError(code, index, isRecord(given) ? given : {}, member, problem)
  if (!isRecord(given)) throw wrong('invalid_argument', '', 'it must be an object with op, path and value')
  const unknown = Object.keys(given).find((name) => !(name in item.shape))
  if (unknown !== undefined) {
    const near = nearestName(unknown, Object.keys(item.shape))
    throw wrong('invalid_argument', `.${unknown}`, `there is no member ${JSON.stringify(unknown.slice(0, 80))}; the nearest is ${near}`)
  }
  const operations = PATCH_OPERATIONS.join(', ')
  if (given.op === undefined || given.op === null) throw wrong('missing_argument', '.op', `op is required: one of ${operations}`)
  const op = PATCH_OPERATIONS.find((name) => name === given.op)
  if (!op) throw wrong('invalid_argument', '.op', `op must be one of ${operations}`)
  if (given.path === undefined || given.path === null) throw wrong('missing_argument', '.path', 'path is required')
  if (typeof given.path !== 'string') throw wrong('invalid_argument', '.path', 'path must be a text')
  if (!given.path.isWellFormed()) throw wrong('invalid_argument', '.path', 'path holds a lone surrogate')
  let path: string[]
  try {
    path = parsePointer(given.path)
  } catch (error) {
    throw isFilewrightError(error) ? wrong(error.code, '.path', `path ${error.message}`) : error
  }
  if (op === 'remove') return { op, path }
  if (given.value === undefined) throw wrong('missing_argument', '.value', 'value is required; null is a value')
  const problem = valueProblem(given.value, 0)
  if (problem !== null) throw wrong('invalid_argument', '.value', `value ${problem}`)
  return { op, path, value: given.value as JsonValue }
}

/** Why a value cannot be stored as JSON or YAML; null when it can. */
function valueProblem(value: unknown, depth: number): string | null {
  if (value === null || typeof value === 'boolean') return null
  if (typeof value === 'string') return value.isWellFormed() ? null : 'holds a lone surrogate'
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'holds a number that JSON does not have'
  if (typeof value !== 'object') return `holds a ${typeof value}, which JSON does not have`
  if (depth === MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`
  if (Array.isArray(value)) return firstProblem(value, depth)
  if (Object.keys(value).some((key) => !key.isWellFormed())) return 'has a key with a lone surrogate'
  return firstProblem(Object.values(value), depth)
}

function firstProblem(values: readonly unknown[], depth: number): string | null {
  for (const value of values) {
    const problem = valueProblem(value, depth + 1)
    if (problem !== null) return problem
  }
  return null
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value)?.slice(0, 80) ?? '')
}
