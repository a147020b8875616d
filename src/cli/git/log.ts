/** `filewright git log`: commits, newest first. */
import type { Commit, Oid, Repository } from '../../core/repository.ts'
import type { Words } from '../command_builder.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'
import { visibleName } from '../terminal.ts'
import { commitJson, commitLine, commitText } from './printed.ts'
import { revisionsOf } from './revisions.ts'
import { withRepository } from './session.ts'

/** Which commits, and how they are printed. */
export interface LogFlags {
  readonly words: Words
  readonly oneline: boolean
  readonly limit: number
  readonly skip: number
  readonly firstParent: boolean
}

/** Prints commits. */
export async function log(settings: Settings, output: Output, flags: LogFlags): Promise<void> {
  const { oneline, limit, skip, firstParent } = flags
  const { commits, names } = await withRepository(settings, output, async (repository, workspace) => {
    const { commits: from, except, paths } = await revisionsOf(workspace, flags.words, 2)
    const commits = await repository.log({
      limit,
      skip,
      firstParent,
      ...(from[0] !== undefined && { from: from[0] }),
      ...(except !== null && { except: [except] }),
      ...(paths.length > 0 && { paths }),
    })
    return { commits, names: output.terminal && !output.json ? await namesOf(repository) : new Map<Oid, string[]>() }
  })
  const text = (commit: Commit): string => {
    const here = names.get(commit.oid)?.join(', ')
    const told = here === undefined ? '' : output.paint.yellow(`(${here}) `)
    return oneline ? commitLine(commit, output.paint, told) : commitText(commit, output, told)
  }
  output.answer({ commits: commits.map(commitJson) }, () => commits.map(text).join('\n') || 'No commits.')
}

/** Branches and tags by what they name. */
async function namesOf(repository: Repository): Promise<Map<Oid, string[]>> {
  const names = new Map<Oid, string[]>()
  const add = (oid: Oid, name: string): void => void names.set(oid, [...(names.get(oid) ?? []), visibleName(name)])
  for (const { oid, name, current } of await repository.branches()) add(oid, current ? `workspace -> ${name}` : name)
  for (const { oid, name } of await repository.tags()) add(oid, `tag: ${name}`)
  return names
}
