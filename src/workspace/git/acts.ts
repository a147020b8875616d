/** Acts on the repository, done: the one place where a call moves a reference. */
import type { RecordDraft } from '../../core/record.ts'
import type { Repository, Signature } from '../../core/repository.ts'
import type { ActDone, Identity, RepositoryAct } from '../../tools/tool.ts'

/** Who does an act, and when in milliseconds since 1970. */
export interface Actor {
  /** Named as the committer. */
  readonly committer: Identity
  readonly now: number
}

/** Does an act. Throws what the repository throws. */
export async function performAct(repository: Repository, act: RepositoryAct, draft: RecordDraft, actor: Actor): Promise<ActDone> {
  const signed = ({ name, email }: Identity): Signature => ({ name, email, timeMs: actor.now, offsetMinutes: 0 })
  switch (act.kind) {
    case 'commit': {
      const { message, author, changes } = act
      const { commit, record } = await repository.makeCommit(
        {
          message,
          author: signed(author),
          committer: signed(actor.committer),
          paths: changes.map(({ path }) => path),
          expect: changes,
          allowEmpty: act.allowEmpty,
        },
        draft,
      )
      return { record, commit: commit.oid }
    }
    case 'create-branch':
      return { record: await repository.createBranch(act.name, act.at, draft), commit: null }
    case 'delete-branch':
      return { record: await repository.deleteBranch(act.name, draft, act.at), commit: null }
    case 'create-tag': {
      const annotation = act.message === undefined ? undefined : { message: act.message, tagger: signed(act.author) }
      return { record: await repository.createTag(act.name, act.at, draft, annotation), commit: null }
    }
  }
}

/** An act without what is new each time: what an approval of it is bound to. */
export function essenceOfAct(act: RepositoryAct): object {
  if (act.kind !== 'commit') return act
  const { ignored, ...rest } = act
  return { ...rest, ignored: [...ignored].sort() }
}
