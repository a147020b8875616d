/** The guards as a workspace asks them: on what a call names, before it runs, and on what it would change, before the commit. */
import type { Change, MoveChange } from '../core/change.ts'
import { FilewrightError } from '../core/errors.ts'
import { isWithin, joinPath, nameOf, namesOf, type Path, parentOf, parsePath } from '../core/path.ts'
import type { View } from '../core/view.ts'
import { type GuardOptions, guardPath } from '../policy/guard.ts'
import { checkProtected } from '../policy/protected.ts'
import type { Refusal } from '../policy/refusal.ts'
import { type IgnoreRules, isRuleFile } from '../text/glob/ignore.ts'
import { isBackupName } from '../tools/backup_folder.ts'
import type { Allowances, RepositoryAct, Target } from '../tools/tool.ts'
import type { OperatorSettings } from './workspace.ts'

/** What guards of one call share. */
export interface CallGuards {
  readonly view: View
  /** What the paths of the call are relative to. */
  readonly root: Path
  readonly ignore: IgnoreRules
  readonly settings: OperatorSettings
  readonly allowances: Allowances
  /** Whether ignored and sensitive paths are refused at all. */
  readonly guarded: boolean
}

/** What the guards let a call change: paths, and folders for its backups. */
export interface Cleared {
  readonly paths: ReadonlySet<Path>
  readonly backups: readonly Path[]
}

/** Checks the paths that a call names as targets of a change. Throws a refusal, or what resolving the path throws. */
export async function guardTargets(guards: CallGuards, targets: readonly Target[]): Promise<Cleared> {
  const paths = new Set<Path>()
  const backups: Path[] = []
  for (const { path, as, field, use } of targets) {
    if (use === 'read') continue
    const { parts, given } = parsePath(path, guards.view.traits, field)
    const told = as ?? given
    const keepsLink = use === 'change-entry'
    const resolved = await guards.view.resolve(path, { last: keepsLink ? 'keep' : 'follow', field, as: told, hidden: use === 'backups' })
    // The names as written count too: a link may hide what the caller said.
    const written = [...namesOf(guards.root), ...parts.filter((part) => part !== '..')].join('/') as Path
    const spellings = new Set([written, ...resolved.links, resolved.path])
    if (use === 'backups') {
      // The folder, and what is to be in it: some places are sensitive for all that is below them.
      await guardPath(told, [...spellings, joinPath(resolved.path, 'backup')], backupOptions(guards))
      backups.push(resolved.path)
    } else {
      await guardPath(told, [...spellings], guardOptions(guards))
      paths.add(resolved.path)
    }
  }
  return { paths, backups }
}

/** Checks the resolved paths of staged changes, `cleared` being what {@link guardTargets} returned. Throws a refusal. */
export async function guardChanges(guards: CallGuards, changes: readonly Change[], { paths, backups }: Cleared): Promise<void> {
  const [only] = changes
  // The usual case was judged a moment ago. With more changes, or a rule file changed, what is staged may judge otherwise.
  if (only?.kind === 'write' && changes.length === 1 && paths.has(only.path) && !isRuleFile(only.path)) return
  const entries = guardOptions(guards)
  const directories = guardOptions(guards, true)
  const { view } = guards
  // Backups are found where they were made.
  const moves = { ...directories, isHidden: (path: Path) => view.isHidden(path) || view.holdsHidden(path) }
  for (const change of changes) {
    if (change.kind === 'snapshot' || backups.some((folder) => isForBackups(change, folder))) continue
    const isMove = change.kind === 'move'
    // Rules that end in a slash are for directories only.
    const options = isMove && change.expect === 'directory' ? moves : change.kind === 'makeDirectory' ? directories : entries
    await guardPath(view.display(change.path), isMove ? [change.path, change.to] : [change.path], options)
    if (isMove && options === moves && !options.allowSensitive) await guardCarried(view, change, options)
  }
}

/** Checks what a commit would take, as a change of it is checked. What git knows already is not ignored. Throws a refusal. */
export async function guardAct(guards: CallGuards, act: RepositoryAct): Promise<void> {
  if (act.kind !== 'commit') return
  const options = guardOptions(guards)
  const known = { ...options, allowIgnored: true }
  for (const { path } of act.changes) await guardPath(guards.view.display(path), [path], act.ignored.has(path) ? options : known)
}

/** A directory takes along what is in it: a sensitive file there is judged at both ends, as one of a copied tree is. */
async function guardCarried(view: View, { path: from, to }: MoveChange, options: GuardOptions): Promise<void> {
  const sensitiveOnly = { ...options, allowIgnored: true, allowGitInternals: true, isHidden: () => false }
  for await (const page of view.scan(to)) {
    for (const { path } of page) {
      const before = (from + path.slice(to.length)) as Path
      await guardPath(view.display(before), [before, path], sensitiveOnly)
    }
  }
}

/** A backup in the folder, or a directory on the way to it. */
function isForBackups({ kind, path }: Change, folder: Path): boolean {
  if (kind === 'makeDirectory') return isWithin(folder, path)
  return parentOf(path) === folder && isBackupName(nameOf(path))
}

/** Backups may lie where files are ignored, and in a folder that holds backups already. */
function backupOptions(guards: CallGuards): GuardOptions {
  return { ...guardOptions(guards), allowIgnored: true, isHidden: () => false }
}

function guardOptions({ view, ignore, settings, allowances, guarded }: CallGuards, isDirectory = false): GuardOptions {
  return {
    allowGitInternals: settings.allowGitInternals ?? false,
    allowIgnored: !guarded || allowances.ignored,
    allowSensitive: !guarded || allowances.sensitive,
    isHidden: (path) => view.isHidden(path),
    ignored: (path) => ignoredRefusal(ignore, path, isDirectory),
  }
}

async function ignoredRefusal(ignore: IgnoreRules, path: Path, isDirectory: boolean): Promise<Refusal | null> {
  if (namesOf(path).length === 0) return null
  const verdict = await ignore.check(path, isDirectory)
  if (!verdict.ignored) return null
  const source = verdict.source === null ? 'the ignore rules' : `${verdict.source}:${verdict.line}`
  return { code: 'ignored_path', rule: verdict.pattern ?? '', source }
}

/**
 * Checks what an undo or redo would put back. The journal of a folder that came from elsewhere is not to be trusted with git's
 * files: it could plant a hook. Taking away what an import brought is allowed. Throws `protected_path`.
 */
export function guardRestored(changes: readonly Change[], settings: OperatorSettings): void {
  const allowGitInternals = settings.allowGitInternals ?? false
  for (const change of changes) {
    const path = change.kind === 'move' ? change.to : change.path
    const puts = change.kind !== 'remove' && change.kind !== 'makeDirectory' && change.kind !== 'snapshot'
    if (!puts || !checkProtected(path, { allowGitInternals })) continue
    throw new FilewrightError('protected_path', `${path} is protected: an undo or redo writes it only if the operator lifts that.`)
  }
}
