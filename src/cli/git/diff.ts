/** `filewright git diff`: what changed, as a patch. */
import type { Oid, Repository, TreeChange } from '../../core/repository.ts'
import { diffOfPath, POINTER } from '../../tools/git/file_diff.ts'
import type { Words } from '../command_builder.ts'
import { counted } from '../counted.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'
import { paintDiff, visible } from '../terminal.ts'
import { pathText } from './printed.ts'
import { revisionsOf } from './revisions.ts'
import { withRepository } from './session.ts'
import { ignoredPaths } from './status.ts'

/** Most signs in the column of `--stat`. */
const SIGNS = 40

/** One path, with its patch. */
export interface FilePatch extends TreeChange {
  readonly added: number
  readonly removed: number
  /** Empty where no patch in text can hold it. */
  readonly diff: string
  readonly note: string | null
}

/** Prints what differs between commits, or between one and the files as they are. */
export async function diff(
  settings: Settings,
  output: Output,
  words: Words,
  { stat, all }: { readonly stat: boolean; readonly all: boolean },
): Promise<void> {
  const files = await withRepository(settings, output, async (repository, workspace) => {
    const { commits, except, paths } = await revisionsOf(workspace, words, 2)
    const [first, second] = except === null ? commits : [except, commits[0]]
    const from = first ?? (await repository.status({ paths: [] })).base
    const changes = await repository.diff(from, second ?? 'workspace', paths.length > 0 ? { paths } : {})
    if (second !== undefined || all) return patchesOf(repository, changes)
    const ignored = await ignoredPaths(workspace)
    return patchesOf(
      repository,
      changes.filter(({ before, path }) => before !== null || !ignored.has(path)),
    )
  })
  tellPatches(files, output, stat)
}

/** The patches of changes. Of a partial clone, what they need comes in one piece. */
export async function patchesOf(repository: Repository, changes: readonly TreeChange[]): Promise<FilePatch[]> {
  const sides = changes.flatMap(({ before, after }) => [before, after])
  await repository.prefetch(sides.flatMap((side): Oid[] => (side && side.mode !== '160000' ? [side.oid] : [])))
  const files: FilePatch[] = []
  for (const change of changes) {
    const { text, note, added, removed } = await diffOfPath(repository, change)
    files.push({ ...change, added, removed, diff: text, note })
  }
  return files
}

/** Prints patches, or with `stat` how much each changes; `above` stands before them. */
export function tellPatches(
  files: readonly FilePatch[],
  output: Output,
  stat: boolean,
  above: { readonly text?: string; readonly json?: object } = {},
): void {
  output.answer({ ...above.json, files: stat ? files.map(({ diff: _, ...file }) => file) : files }, () => {
    const text = stat ? statText(files, output) : files.map((file) => patchText(file, output)).join('')
    return above.text === undefined ? text : `${above.text}${text === '' ? '' : `\n${text}`}`
  })
  if (output.json) return
  // Beside the patch, which stays one.
  for (const { path, note, diff } of files) if (diff !== '' && note?.includes(POINTER)) output.note(`${pathText(path)}: ${note}`)
}

function patchText({ path, diff, note, before, after }: FilePatch, output: Output): string {
  if (diff === '') {
    const [from, to] = [before ? `a/${path}` : '/dev/null', after ? `b/${path}` : '/dev/null']
    return `${output.paint.bold(`diff --git ${pathText(`a/${path}`)} ${pathText(`b/${path}`)}`)}\nFiles ${pathText(from)} and ${pathText(to)} differ${note === null ? '' : ` (${note})`}\n`
  }
  // A diff that goes to another program must stay the bytes that it is.
  return output.terminal ? paintDiff(visible(diff), output.paint) : diff
}

function statText(files: readonly FilePatch[], { paint }: Output): string {
  if (files.length === 0) return ''
  const width = Math.max(...files.map(({ path }) => pathText(path).length))
  const most = Math.max(...files.map(({ added, removed }) => added + removed), 1)
  const scaled = (count: number): number => (most <= SIGNS ? count : Math.ceil((count * SIGNS) / most))
  const lines = files.map(({ path, added, removed, diff, note }) => {
    const bar = `${paint.green('+'.repeat(scaled(added)))}${paint.red('-'.repeat(scaled(removed)))}`
    return ` ${pathText(path).padEnd(width)} | ${diff === '' ? (note ?? 'differs') : `${added + removed} ${bar}`.trimEnd()}`
  })
  const [added, removed] = [sum(files.map((file) => file.added)), sum(files.map((file) => file.removed))]
  const parts = [`${counted(files.length, 'file')} changed`]
  if (added > 0 || removed === 0) parts.push(`${counted(added, 'insertion')}(+)`)
  if (removed > 0 || added === 0) parts.push(`${counted(removed, 'deletion')}(-)`)
  return `${lines.join('\n')}\n ${parts.join(', ')}`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
