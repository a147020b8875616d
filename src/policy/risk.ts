/** Which changes are small and reversible, and which a person must approve (contract P-159). */
import type { Change } from '../core/change.ts'

/** What is asked about. */
export interface RiskQuestion {
  /** The tool can lose what was there before. */
  readonly destructive: boolean
  readonly allowances: { readonly ignored: boolean; readonly sensitive: boolean }
  readonly changes: readonly Change[]
}

/** Why a person must approve the changes, or null when they are small and reversible. */
export function riskOf(question: RiskQuestion): string | null {
  const destroys = question.changes.filter((change) => 'expect' in change && change.expect !== 'absent')
  if (question.allowances.sensitive) return 'it changes a sensitive file'
  if (question.allowances.ignored) return 'it changes an ignored file'
  if (destroys.some((change) => 'keep' in change && change.keep === false)) return 'it keeps no backup'
  if (question.destructive && destroys.length > 0) return 'it replaces or removes what is there'
  return destroys.length > 1 ? 'it changes several files' : null
}
