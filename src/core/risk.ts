/** How much a person cares about a call. */

/**
 * (Contract P-159.) `small`: reversible although it replaces content, as long as a backup is kept. `replaces`: small unless it
 * replaces or removes what is there. `any`: whatever it changes. `runs`: it runs a command, and nobody can foresee what that changes.
 * `lasting`: no undo takes it back. `always`: so much that the hub asks even where approvals are off.
 */
export type Risk = 'small' | 'replaces' | 'any' | 'runs' | 'lasting' | 'always'
