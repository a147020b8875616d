/** Ignore rules of one view, compiled once and again only when staged changes may have changed them. */
import type { View } from '../core/view.ts'
import { createIgnoreRules, type IgnoreRules, isRuleFile } from '../text/glob/ignore.ts'

/** Gives the rules as they are with what is staged so far. */
export interface IgnoreKeeper {
  rules(): IgnoreRules
}

/** `whole` is the view of the whole workspace: the rules are the same for a narrowed one. */
export function createIgnoreKeeper(whole: View): IgnoreKeeper {
  let rules = createIgnoreRules(whole)
  let judged = 0
  return {
    rules() {
      const changes = whole.changes()
      // After a rewind there are fewer than were looked at.
      const fresh = changes.length < judged || changes.slice(judged).some(mayChangeRules)
      judged = changes.length
      if (fresh) rules = createIgnoreRules(whole)
      return rules
    },
  }
}

/** A moved directory takes its rule files along. */
function mayChangeRules(change: ReturnType<View['changes']>[number]): boolean {
  return change.kind === 'move' || (change.kind !== 'snapshot' && isRuleFile(change.path))
}
