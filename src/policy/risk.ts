/** Which changes are small and reversible, and which a person must approve (contract P-159). */
import type { Change } from '../core/change.ts'
import type { Risk } from '../core/risk.ts'

/** What is asked about. */
export interface RiskQuestion {
  /** How much a person cares about the call, as its tool says. */
  readonly risk: Risk
  readonly allowances: { readonly ignored: boolean; readonly sensitive: boolean }
  readonly changes: readonly Change[]
}

/** Why a person must approve the changes, or null when they are small and reversible. */
export function riskOf({ risk, allowances, changes }: RiskQuestion): string | null {
  const destroys = changes.filter((change) => change.kind !== 'snapshot' && 'expect' in change && change.expect !== 'absent')
  if (allowances.sensitive) return 'it changes a sensitive file'
  if (allowances.ignored) return 'it changes an ignored file'
  if (destroys.some((change) => 'keep' in change && change.keep === false)) return 'it keeps no backup'
  if (risk === 'runs') return 'it runs a command'
  if (risk === 'lasting') return 'no undo takes it back'
  if (risk === 'always') return 'it deletes, moves or rolls back'
  if (risk === 'any') return 'it makes several changes at once'
  if (risk === 'replaces' && destroys.length > 0) return 'it replaces or removes what is there'
  return destroys.length > 1 ? 'it changes several files' : null
}
