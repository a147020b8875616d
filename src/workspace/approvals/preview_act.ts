/** What a person is shown before an act on the repository: what a commit takes, path by path. Other acts are told by their title. */
import type { FileSystem } from '../../core/file_system.ts'
import type { Repository } from '../../core/repository.ts'
import { diffOfPath } from '../../tools/git/file_diff.ts'
import type { RepositoryAct } from '../../tools/tool.ts'
import { boundedPreview, type DescribedChange, MOST_CHANGES } from './preview_bounds.ts'
import type { ApprovalPreview } from './request.ts'

/** The preview of an act. */
export async function previewAct(fs: FileSystem, act: RepositoryAct): Promise<ApprovalPreview> {
  const repository = fs.repository as Repository
  const changes = act.kind === 'commit' ? act.changes : []
  const shown = changes.slice(0, MOST_CHANGES).flatMap(({ before, after }) => [before, after])
  await repository.prefetch(shown.flatMap((entry) => (entry && entry.mode !== '160000' ? [entry.oid] : [])))
  async function* described(): AsyncGenerator<DescribedChange> {
    for (const change of changes) {
      const { text, note, bytesBefore, bytesAfter } = await diffOfPath(repository, change)
      const kind = change.after === null ? 'remove' : change.after.mode === '120000' ? 'link' : 'write'
      // What a commit replaces stays in the commit before it.
      yield { kind, path: change.path, diff: text === '' ? null : text, note, bytesBefore, bytesAfter, kept: true }
    }
  }
  return boundedPreview(changes.length, described())
}
