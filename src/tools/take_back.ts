/** Staging the inverse of a record's changes, for tools that take one back. */
import type { Change } from '../core/change.ts'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { History } from '../core/history.ts'
import type { View } from '../core/view.ts'

/** Throws `unsupported` when history does not hold any more what would be put back; `which` names the record. */
export async function requireKept(history: History, inverse: readonly Change[], which: string, field: string): Promise<void> {
  for (const change of inverse) {
    if (change.kind !== 'write') continue
    try {
      await (await history.object(change.content.hash)).close()
    } catch (error) {
      if (!isFilewrightError(error, 'not_found')) throw error
      throw new FilewrightError('unsupported', `What ${change.path} held before ${which} is not kept any more.`, { field })
    }
  }
}

/** Stages one change of an inverse. Links stand for themselves. */
export async function stageInverse(view: View, change: Change): Promise<void> {
  const target = await view.resolve(view.display(change.path), { last: 'keep' })
  const keep = 'keep' in change && change.keep !== undefined ? { keep: change.keep } : {}
  switch (change.kind) {
    case 'write':
      return view.write(target, change.content, { expect: change.expect, ...keep, ...(change.mode !== undefined && { mode: change.mode }) })
    case 'remove':
      return view.remove(target, { expect: change.expect, ...keep })
    case 'link':
      return view.link(target, change.target, { expect: change.expect, ...keep })
    case 'makeDirectory':
      return view.makeDirectory(target, change.mode === undefined ? {} : { mode: change.mode })
    case 'move':
      return view.move(target, await view.resolve(view.display(change.to), { last: 'keep' }), { expect: change.expect })
    default:
      throw new FilewrightError('unsupported', `A ${change.kind} takes nothing back.`)
  }
}
