/** What a write needs before it may touch a file that exists: the decision table of P-40, its refusals and its preview. */
import { type ErrorCode, FilewrightError } from '../core/errors.ts'
import type { ExistingFile } from './existing_file.ts'

/** The arguments that decide. */
export interface WriteConsent {
  readonly append: boolean
  readonly overwrite: boolean
  readonly force_overwrite: boolean
  readonly expected_sha256?: string | undefined
  readonly dry_run: boolean
}

/** A reason not to write. */
export type WriteRefusal = Extract<ErrorCode, 'already_exists' | 'confirmation_required' | 'stale_expected_sha256'>

/** Why the call may not write, by the table of P-40. A dry run needs no consent, but a wrong hash is wrong there too (P-42). */
export function refusalCode(existing: ExistingFile | null, args: WriteConsent): WriteRefusal | null {
  const replaces = existing !== null && !args.append
  const asks = replaces && !args.force_overwrite && !args.dry_run
  if (asks && !args.overwrite) return 'already_exists'
  const checked = args.expected_sha256 !== undefined && !(replaces && args.force_overwrite)
  if (checked && args.expected_sha256 !== existing?.hash) return 'stale_expected_sha256'
  return asks && args.expected_sha256 === undefined ? 'confirmation_required' : null
}

/** The refusal, with what a second call needs: the current hash, and the diff where it was made. */
export function refusalError(code: WriteRefusal, given: string, existing: ExistingFile | null, diff?: string | null): FilewrightError {
  const details = { ...(existing && { current_sha256: existing.hash }), ...(diff !== undefined && { diff }) }
  if (code === 'already_exists') {
    const message = `${given} exists. To replace it, pass overwrite and expected_sha256; to change parts of it, use edit_file.`
    return new FilewrightError(code, message, { details })
  }
  if (code === 'confirmation_required') {
    const message = `${given} exists. Look at the diff, then send the call again with expected_sha256 ${existing?.hash}.`
    return new FilewrightError(code, message, { field: 'expected_sha256', details })
  }
  const message = existing
    ? `${given} is not what expected_sha256 says: its SHA-256 is ${existing.hash}. View it again.`
    : `${given} does not exist, but expected_sha256 says it does. Leave expected_sha256 out to create it.`
  return new FilewrightError(code, message, { field: 'expected_sha256', details })
}

/** What a dry run found, and which consent a real call still needs (P-42). */
export function previewSummary(given: string, existing: ExistingFile | null, args: WriteConsent): string {
  if (existing === null) return `Would create ${given}.`
  if (args.append) return `Would append to ${given}.`
  const needs = args.force_overwrite
    ? []
    : [...(args.overwrite ? [] : ['overwrite']), ...(args.expected_sha256 === undefined ? [`expected_sha256 ${existing.hash}`] : [])]
  const needed = needs.length === 0 ? '' : ` A real call needs ${needs.join(' and ')}.`
  return `Would replace ${given}.${needed}`
}
