/** Patches of whole texts: JSON or YAML in bytes, operations in order, all or none (P-60). */
import { type FilewrightError, isFilewrightError } from '../core/errors.ts'
import { openJson } from './json_document.ts'
import { checkJson } from './json_scan.ts'
import { applyOperation, type Patchable, type PatchOperation } from './patch.ts'
import { createPacer } from './pause.ts'
import { bomLength, decodeStrict, encodeText, isUtf8 } from './utf8.ts'
import { invalid, invalidText, type Validation } from './validate.ts'
import { openYaml } from './yaml_document.ts'

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
  const applied = await applyAll(openJson(bytes, options.relaxed), operations, options.signal)
  if ('error' in applied) return { kind: 'misfit', ...applied }
  const after = applied.document.bytes
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
  const opened = openYaml(text)
  if ('problem' in opened) return { kind: 'malformed', validation: invalidText(text, opened.problem) }
  const applied = await applyAll(opened.document, operations, options.signal)
  if ('error' in applied) return { kind: 'misfit', ...applied }
  const after = applied.document.text
  // Each change was read again when it was made.
  if (after === text) return { kind: 'patched', bytes, validation: VALID }
  return { kind: 'patched', bytes: encodeText((bom > 0 ? '\ufeff' : '') + after), validation: VALID }
}

async function applyAll<Node, Self extends Patchable<Node, Self>>(
  document: Self & Patchable<Node, Self>,
  operations: readonly PatchOperation[],
  signal: AbortSignal,
): Promise<{ readonly document: Self } | { readonly index: number; readonly error: FilewrightError }> {
  const pacer = createPacer(signal)
  let current = document
  for (const [index, operation] of operations.entries()) {
    if (pacer.isDue()) await pacer.pause()
    try {
      current = applyOperation<Node, Self>(current, operation)
    } catch (error) {
      if (!isFilewrightError(error)) throw error
      return { index, error }
    }
  }
  return { document: current }
}
