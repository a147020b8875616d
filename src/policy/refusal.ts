/** What a guard answers when a path may not be changed. */

/** Why a path may not be changed, with the rule that decided. */
export interface Refusal {
  readonly code: 'protected_path' | 'sensitive_path' | 'ignored_path'
  /** The rule or pattern, as written. */
  readonly rule: string
  /** Where it stands: a file and line, or a built-in list. */
  readonly source: string
}
