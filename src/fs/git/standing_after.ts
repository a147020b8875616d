/** How a change of files moves what the next commit begins with, in one act with them. */
import { FilewrightError } from '../../core/errors.ts'
import type { RecordDraft } from '../../core/record.ts'
import type { Oid } from '../../core/repository.ts'
import type { Standing } from './state.ts'

/** The standing after a change with this draft. Throws `conflict` when it is not what the change was planned on. */
export function standingAfter(standing: Standing, { basis }: RecordDraft): Standing {
  if (!basis) return standing
  const { before, after } = basis
  if (standing.base !== before.base || standing.merging !== before.merging) {
    throw new FilewrightError('conflict', 'The workspace was committed or merged meanwhile; look at its status again.')
  }
  return { ...standing, base: after.base as Oid | null, merging: after.merging as Oid | null }
}
