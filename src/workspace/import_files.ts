/** Bringing many files in as one change. */
import type { Change, Expect } from '../core/change.ts'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { Entry, FileSystem } from '../core/file_system.ts'
import { checkNewName, joinPath, type Path, parsePath, ROOT } from '../core/path.ts'
import { checkProtected } from '../policy/protected.ts'
import type { ImportedFile } from './workspace.ts'

/** How an import treats what is there already. */
export interface ImportRules {
  /** Replace files that exist; otherwise they are `already_exists`. */
  readonly replace: boolean
  /** The operator's own import: git's files come along, under whatever names they have. */
  readonly operator: boolean
}

/** The changes that bring the files in, parents first. Throws before anything is committed, naming the first bad entry. */
export async function planImport(fs: FileSystem, files: readonly ImportedFile[], rules: ImportRules): Promise<Change[]> {
  const changes: Change[] = []
  const known = new Map<Path, Standing>()

  async function at(path: Path): Promise<Standing> {
    const seen = known.get(path)
    if (seen !== undefined) return seen
    const entry = await statOrNull(fs, path)
    known.set(path, entry)
    return entry
  }

  /** Makes the directory that the names lead to; `mode` is that of the last one, if it is new. */
  async function makeDirectories(names: readonly string[], given: string, mode?: number): Promise<void> {
    let dir: Path = ROOT
    for (const [depth, name] of names.entries()) {
      dir = joinPath(dir, name)
      const there = await at(dir)
      if (there === 'new file' || (there !== null && there !== 'new directory' && there.kind !== 'directory')) {
        throw new FilewrightError('not_directory', `${given}: ${dir} is not a directory.`)
      }
      if (there !== null) continue
      if (!rules.operator) checkNewName(name, given)
      const last = depth === names.length - 1
      changes.push({ kind: 'makeDirectory', path: dir, ...(last && mode !== undefined && { mode: mode & 0o777 }) })
      known.set(dir, 'new directory')
    }
  }

  for (const file of files) {
    const { parts } = parsePath(file.path, { root: '', aliases: [] })
    if (parts.length === 0 || parts.includes('..')) {
      throw new FilewrightError('outside_root', `${file.path} is not a path inside the import.`)
    }
    const path = parts.join('/') as Path
    if (checkProtected(path, { allowGitInternals: rules.operator })) {
      throw new FilewrightError('protected_path', `${file.path} is protected: leave it out of the import.`)
    }
    if (file.directory) {
      await makeDirectories(parts, file.path, file.mode)
      continue
    }
    await makeDirectories(parts.slice(0, -1), file.path)
    if (!rules.operator) checkNewName(parts[parts.length - 1] as string, file.path)
    const there = await at(path)
    if (there === 'new file' || there === 'new directory') {
      throw new FilewrightError('already_exists', `${file.path} comes twice, or is a file and a directory.`)
    }
    const expect = replaceable(there, file.path, rules)
    if (file.link !== undefined && !rules.operator) checkLink(file.link, parts, file.path)
    changes.push(writeOf(file, path, expect))
    known.set(path, 'new file')
  }
  return changes
}

/** What stands at a path: an entry of the workspace, nothing, or what this import puts there. */
type Standing = Entry | null | 'new file' | 'new directory'

function replaceable(there: Entry | null, given: string, rules: ImportRules): Expect {
  if (!there) return 'absent'
  if (there.kind === 'directory') throw new FilewrightError('is_directory', `${given} is a directory in the workspace.`)
  if (!rules.replace || there.kind !== 'file') throw new FilewrightError('already_exists', `${given} exists already.`)
  return there.hash ? { hash: there.hash } : { version: there.version as NonNullable<Entry['version']> }
}

/** A link that a caller brings in must stay inside by its text alone; one that the operator brings is judged when it is used. */
function checkLink(target: string, parts: readonly string[], given: string): void {
  let depth = parts.length - 1
  let inside = !target.startsWith('/')
  for (const name of target.split('/')) {
    if (name === '' || name === '.') continue
    depth += name === '..' ? -1 : 1
    inside &&= depth >= 0
  }
  if (!inside) throw new FilewrightError('outside_root', `${given} is a link that leads outside the workspace.`)
}

function writeOf(file: ImportedFile, path: Path, expect: Expect): Change {
  if (file.link !== undefined) return { kind: 'link', path, target: file.link, expect }
  if (!file.content) throw new FilewrightError('missing_argument', `${file.path} has no content.`)
  const { mode, mtimeMs } = file
  return {
    kind: 'write',
    path,
    content: file.content,
    expect,
    ...(mode === undefined ? {} : { mode: mode & 0o777 }),
    ...(mtimeMs === undefined ? {} : { mtimeMs }),
  }
}

async function statOrNull(fs: FileSystem, path: Path): Promise<Entry | null> {
  try {
    return await fs.stat(path)
  } catch (error) {
    if (isFilewrightError(error, 'not_found') || isFilewrightError(error, 'not_directory')) return null
    throw error
  }
}
