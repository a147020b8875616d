/** Patches of whole texts: JSON or YAML in bytes, operations in order, all or none (P-60). */
import { type FilewrightError, isFilewrightError } from '../../core/errors.ts'
import { openJson } from '../json/document.ts'
import { checkJson, type TextProblem } from '../json/scan.ts'
import { createPacer } from '../pause.ts'
import { bomLength, decodeStrict, encodeText, isUtf8 } from '../utf8.ts'
import { applyOperation, type PatchOperation } from './patch.ts'
import { invalid, invalidText, type Validation } from './validate.ts'

/** How a text is patched. */
export interface PatchOptions {
  readonly format: 'json' | 'yaml'
  /** Comments and trailing commas in JSON. */
  readonly relaxed: boolean
  readonly signal: AbortSignal
}

/** The text after the operations; or the text before is not well-formed; or an operation does not fit. */
export type PatchOutcome =
  | { readonly kind: 'patched'; readonly bytes: Uint8Array; readonly validation: Validation }
  | { readonly kind: 'malformed'; readonly validation: Validation }
  | { readonly kind: 'misfit'; readonly index: number; readonly error: FilewrightError }

const VALID: Validation = { valid: true, notes: [] }

/**
 * Applies operations to a text. Throws `invalid_utf8` naming `given`, `unsupported` for a stream of documents, `canceled`.
 */
export async function patchText(
  bytes: Uint8Array,
  given: string,
  operations: readonly PatchOperation[],
  options: PatchOptions,
): Promise<PatchOutcome> {
  if (!isUtf8(bytes)) decodeStrict(bytes, given)
  return options.format === 'json' ? patchJson(bytes, operations, options) : patchYaml(bytes, given, operations, options)
}

async function patchJson(bytes: Uint8Array, operations: readonly PatchOperation[], options: PatchOptions): Promise<PatchOutcome> {
  const problem = checkJson(bytes, bomLength(bytes), options.relaxed)
  if (problem) return { kind: 'malformed', validation: invalid(bytes, problem) }
  let document = openJson(bytes, options.relaxed)
  const misfit = await applyAll(operations, options.signal, (operation) => {
    document = applyOperation(document, operation)
  })
  if (misfit) return misfit
  const after = document.bytes
  const wrong = after === bytes ? null : checkJson(after, bomLength(after), options.relaxed)
  return { kind: 'patched', bytes: after, validation: wrong ? invalid(after, wrong) : VALID }
}

async function patchYaml(
  bytes: Uint8Array,
  given: string,
  operations: readonly PatchOperation[],
  options: PatchOptions,
): Promise<PatchOutcome> {
  const bom = bomLength(bytes)
  const text = decodeStrict(bytes.subarray(bom), given)
  // Loaded when it is needed: few calls do, and all of them would wait for it.
  const { createYamlPatcher } = await import('../yaml/patch.ts')
  const patcher = createYamlPatcher(text)
  const found: { problem: TextProblem | null } = { problem: null }
  const misfit = await applyAll(operations, options.signal, (operation) => {
    found.problem ??= patcher.apply(operation)
  })
  if (found.problem) return { kind: 'malformed', validation: invalidText(text, found.problem) }
  if (misfit) return misfit
  // Each change was read again when it was made.
  if (patcher.text === text) return { kind: 'patched', bytes, validation: VALID }
  return { kind: 'patched', bytes: encodeText((bom > 0 ? '\ufeff' : '') + patcher.text), validation: VALID }
}

/** Applies operations in order, up to the first that does not fit. Throws `canceled`. */
async function applyAll(
  operations: readonly PatchOperation[],
  signal: AbortSignal,
  apply: (operation: PatchOperation) => void,
): Promise<Extract<PatchOutcome, { kind: 'misfit' }> | null> {
  const pacer = createPacer(signal)
  for (const [index, operation] of operations.entries()) {
    if (pacer.isDue()) await pacer.pause()
    try {
      apply(operation)
    } catch (error) {
      if (!isFilewrightError(error)) throw error
      return { kind: 'misfit', index, error }
    }
  }
  return null
}
