/** Changes and acts in words, the same wherever the page tells of them. */
import type { RecordKind } from '../../src/core/record.ts'
import type { ChangeGist, RecordSummary } from '../../src/http/routes.ts'

const VERBS: { readonly [kind in ChangeGist['kind']]: string } = {
  write: 'Write',
  remove: 'Delete',
  move: 'Move',
  copy: 'Copy',
  link: 'Link',
  makeDirectory: 'Make directory',
  snapshot: 'Back up',
}

/** What a change does. */
export function verbOf(kind: ChangeGist['kind']): string {
  return VERBS[kind]
}

/** The paths of a change. */
export interface Places {
  readonly path: string
  readonly to?: string
  readonly from?: string
}

/** Where a change is: `a → b` for what is moved or copied. */
export function placesOf({ path, to, from }: Places): string {
  if (to !== undefined) return `${path} → ${to}`
  return from === undefined ? path : `${from} → ${path}`
}

const ACTS: { readonly [kind in RecordKind]: string | null } = {
  call: null,
  import: null,
  undo: null,
  redo: null,
  external: 'changed outside Filewright',
  purge: 'taken out of history for good',
  git: 'in the repository',
}

/** What is special about the kind of act that a record tells of; null for a call. */
export function actOf({ kind }: Pick<RecordSummary, 'kind'>): string | null {
  return ACTS[kind]
}

/** Sizes before and after, where there are any. */
export function sizesOf(before: number | null, after: number | null): string {
  const [was, is] = [before?.toLocaleString(), after?.toLocaleString()]
  if (was !== undefined && is !== undefined) return was === is ? `${is} bytes` : `${was} → ${is} bytes`
  return was === undefined && is === undefined ? '' : `${is ?? was} bytes`
}
