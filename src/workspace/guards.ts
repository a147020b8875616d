/** The guards as a workspace asks them: on what a call names, before it runs, and on what it would change, before the commit. */
import type { Change } from '../core/change.ts'
import { FilewrightError } from '../core/errors.ts'
import { namesOf, type Path, parsePath } from '../core/path.ts'
import type { View } from '../core/view.ts'
import { type GuardOptions, guardPath } from '../policy/guard.ts'
import { checkProtected } from '../policy/protected.ts'
import type { Refusal } from '../policy/refusal.ts'
import { type IgnoreRules, isRuleFile } from '../text/ignore.ts'
import type { Allowances, Target } from '../tools/tool.ts'
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

/** Checks the paths that a call names as targets of a change. Throws a refusal, or what resolving the path throws. Returns those that may change. */
export async function guardTargets(guards: CallGuards, targets: readonly Target[]): Promise<ReadonlySet<Path>> {
  const cleared = new Set<Path>()
  for (const { path, field, use } of targets) {
    if (use === 'read') continue
    const { parts, given } = parsePath(path, guards.view.traits, field)
    const resolved = await guards.view.resolve(path, { last: use === 'change' ? 'follow' : 'keep', field })
    // The names as written count too: a link may hide what the caller said.
    const written = [...namesOf(guards.root), ...parts.filter((part) => part !== '..')].join('/') as Path
    const spellings = new Set([written, ...resolved.links, resolved.path])
    await guardPath(given, [...spellings], guardOptions(guards))
    cleared.add(resolved.path)
  }
  return cleared
}

/** Checks the resolved paths of staged changes, `cleared` being what {@link guardTargets} returned. Throws a refusal. */
export async function guardChanges(guards: CallGuards, changes: readonly Change[], cleared: ReadonlySet<Path>): Promise<void> {
  const [only] = changes
  // The usual case was judged a moment ago. With more changes, or a rule file changed, what is staged may judge otherwise.
  if (only?.kind === 'write' && changes.length === 1 && cleared.has(only.path) && !isRuleFile(only.path)) return
  const options = guardOptions(guards)
  for (const change of changes) {
    const paths = change.kind === 'move' ? [change.path, change.to] : [change.path]
    await guardPath(guards.view.display(change.path), paths, options)
  }
}

function guardOptions({ ignore, settings, allowances, guarded }: CallGuards): GuardOptions {
  return {
    allowGitInternals: settings.allowGitInternals ?? false,
    allowIgnored: !guarded || allowances.ignored,
    allowSensitive: !guarded || allowances.sensitive,
    ignored: (path) => ignoredRefusal(ignore, path),
  }
}

async function ignoredRefusal(ignore: IgnoreRules, path: Path): Promise<Refusal | null> {
  if (namesOf(path).length === 0) return null
  const verdict = await ignore.check(path, false)
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
    const puts = change.kind === 'write' || change.kind === 'link' || change.kind === 'move'
    if (!puts || !checkProtected(path, { allowGitInternals })) continue
    throw new FilewrightError('protected_path', `${path} is protected: an undo or redo writes it only if the operator lifts that.`)
  }
}
