/** Ignore rules (`.gitignore`, `.ignore`, `.git/info/exclude`), one engine for guards, tree and search (C-38). */
import { isFilewrightError } from '../../core/errors.ts'
import type { Entry, FileSystem, MaybePromise, Reader } from '../../core/file_system.ts'
import { joinPath, nameOf, namesOf, type Path, parentOf, ROOT } from '../../core/path.ts'
import { readAll } from '../../core/read.ts'
import { byteText, type IgnorePattern, type IgnoreRuleSet, parseRules } from './ignore_pattern.ts'

/** Why a path is ignored, or is not: the pattern that decided and where it stands. */
export interface IgnoreVerdict {
  readonly ignored: boolean
  /** The deciding pattern as written; null when no pattern matched. */
  readonly pattern: string | null
  /** The file that holds it. */
  readonly source: Path | null
  /** Its line, from 1. */
  readonly line: number | null
}

/** Whether an entry of one directory is ignored. */
export type IgnoreTest = (entry: Entry) => boolean

/** The rules along one walk of a tree. */
export interface IgnoreWalk {
  /**
   * The test for the children of a directory that the walk enters; directories are entered before what is in them. Answers at
   * once when the directory has no rule file of its own. The start of the walk counts as not ignored, whatever the rules say.
   */
  enter(dir: Path, children: readonly Entry[]): MaybePromise<IgnoreTest>
}

/** The rules of one workspace. */
export interface IgnoreRules {
  /** Judges one path by the rules of every directory above it. Below an ignored directory everything is ignored. */
  check(path: Path, isDirectory: boolean): Promise<IgnoreVerdict>
  /** Begins a walk at a directory. */
  walk(start: Path): Promise<IgnoreWalk>
}

/** What rules are read through. */
export type IgnoreSource = Pick<FileSystem, 'open' | 'traits'>

/** Largest rule file that is read; a larger one is `too_large`. */
export const MAX_RULE_BYTES: number = 1024 * 1024

const GITIGNORE = '.gitignore'
const IGNORE = '.ignore'
const EXCLUDE = '.git/info/exclude' as Path

/** Whether a file at this path holds rules, on a storage that may fold case. */
export function isRuleFile(path: Path): boolean {
  const name = nameOf(path).toLowerCase()
  return name === GITIGNORE || name === IGNORE || path.toLowerCase() === EXCLUDE
}

/** Rule files from the nearest to the farthest; the first that has a matching pattern decides. */
interface Chain {
  readonly source: Path
  /** Where paths begin for its patterns. */
  readonly skip: number
  readonly rules: IgnoreRuleSet
  readonly farther: Chain | null
}

/**
 * The ignore rules that `source` holds now, with git's semantics: rules of every directory from the root down, the nearest
 * file first, `.ignore` before the `.gitignore` beside it, and the repository's `info/exclude` last. Names are compared
 * as `traits.caseSensitive` says. A rule file is looked for once, when it is first needed: make new rules when files may have
 * changed.
 */
export function createIgnoreRules(source: IgnoreSource): IgnoreRules {
  const chains = new Map<Path, Promise<Chain | null>>()
  const foldCase = !source.traits.caseSensitive

  async function load(file: Path, base: Path, farther: Chain | null): Promise<Chain | null> {
    const reader = await openOrNull(source, file)
    if (!reader) return farther
    try {
      const rules = parseRules(await readAll(reader, MAX_RULE_BYTES, file), foldCase)
      return { source: file, skip: base === ROOT ? 0 : base.length + 1, rules, farther }
    } finally {
      await reader.close()
    }
  }

  /** The chain for the children of `dir`, given that for `dir` itself. */
  async function extend(dir: Path, farther: Chain | null, names: readonly string[]): Promise<Chain | null> {
    let chain = dir === ROOT ? await load(EXCLUDE, ROOT, farther) : farther
    for (const name of names) chain = await load(joinPath(dir, name), dir, chain)
    return chain
  }

  /** The chain for the children of a directory of which nothing is known but its path. */
  function chainOf(dir: Path): Promise<Chain | null> {
    let chain = chains.get(dir)
    if (!chain) {
      const above = dir === ROOT ? Promise.resolve(null) : chainOf(parentOf(dir))
      chain = above.then((farther) => extend(dir, farther, [GITIGNORE, IGNORE]))
      chains.set(dir, chain)
    }
    return chain
  }

  return {
    async check(path, isDirectory) {
      const names = namesOf(path)
      let [at, decided] = [ROOT, null as Found | null]
      for (const [depth, name] of names.entries()) {
        const chain = await chainOf(at)
        at = joinPath(at, name)
        decided = find(chain, at, isDirectory || depth < names.length - 1)
        if (decided && !decided.pattern.negated) break
      }
      if (!decided) return { ignored: false, pattern: null, source: null, line: null }
      const { pattern, source } = decided
      return { ignored: !pattern.negated, pattern: pattern.text, source, line: pattern.line }
    },
    async walk(start) {
      const above = start === ROOT ? null : await chainOf(parentOf(start))
      // Only directories that have rules of their own are remembered.
      const own = new Map<Path, Chain | null>()
      const nearest = (dir: Path): Chain | null => {
        for (let up = dir; ; up = parentOf(up)) {
          const known = own.get(up)
          if (known !== undefined) return known
          if (up === start || up === ROOT) return above
        }
      }
      return {
        enter(dir, children) {
          const inherited = nearest(dir)
          const names = ruleFilesIn(dir, children)
          if (names.length === 0 && dir !== ROOT) return testOf(inherited)
          return extend(dir, inherited, names).then((chain) => {
            own.set(dir, chain)
            return testOf(chain)
          })
        },
      }
    },
  }
}

/** Names of the rule files among the children of a directory, the farther one first. */
function ruleFilesIn(dir: Path, children: readonly Entry[]): string[] {
  const name = dir === ROOT ? 0 : dir.length + 1
  const files: string[] = []
  for (const { path } of children) {
    if (path.charCodeAt(name) !== DOT) continue
    const rest = path.slice(name)
    if (rest === GITIGNORE) files.unshift(rest)
    else if (rest === IGNORE) files.push(rest)
  }
  return files
}

const DOT = 46

interface Found {
  readonly pattern: IgnorePattern
  readonly source: Path
}

function testOf(chain: Chain | null): IgnoreTest {
  if (!chain) return () => false
  return (entry) => {
    const found = find(chain, entry.path, entry.kind === 'directory')
    return found !== null && !found.pattern.negated
  }
}

function find(chain: Chain | null, path: Path, directory: boolean): Found | null {
  if (!chain) return null
  const bytes = byteText(path)
  const name = bytes.lastIndexOf('/') + 1
  for (let link: Chain | null = chain; link; link = link.farther) {
    const below = bytes === path || link.skip === 0 ? link.skip : byteText(path.slice(0, link.skip)).length
    const pattern = link.rules.find(bytes, below, name, directory)
    if (pattern) return { pattern, source: link.source }
  }
  return null
}

/** Opens a rule file; null when there is none, or nothing that git would read as one. */
async function openOrNull(source: IgnoreSource, file: Path): Promise<Reader | null> {
  try {
    return await source.open(file)
  } catch (error) {
    const absent = ['not_found', 'not_directory', 'is_directory', 'not_regular', 'permission_denied'] as const
    if (absent.some((code) => isFilewrightError(error, code))) return null
    throw error
  }
}
