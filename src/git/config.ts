/** Git's configuration file, as far as a repository without a worktree needs it. */
import { FilewrightError } from '../core/errors.ts'
import { bytesOfText, textOfBytes } from '../core/name_bytes.ts'
import { type ConfigEntry, parseConfig } from './config_syntax.ts'

/** One file's settings. Sections and names are case-insensitive, subsections are not. */
export interface GitConfig {
  /** The last value of a key such as `remote.origin.url`; undefined when there is none. A name without a value says `true`. */
  get(key: string): string | undefined
  /** All values, first to last. */
  getAll(key: string): readonly string[]
  /** The last value as yes or no; undefined when there is none. Throws `corrupt` for anything else. */
  boolean(key: string): boolean | undefined
  /** Names of the subsections of a section: remotes, branches. */
  subsections(section: string): readonly string[]
  /** All keys with their values, in order; null is a name without a value. */
  readonly entries: readonly { readonly key: string; readonly value: string | null }[]
  /** What is not followed, for the user to know: included files. */
  readonly notes: readonly string[]
}

/** Reads settings; where there are several files, later ones win. Throws `corrupt` with the line that is wrong. */
export function readConfig(...files: readonly Uint8Array[]): GitConfig {
  const entries = files.flatMap((bytes) => parseConfig(binary(bytes))).map(named)
  const byKey = new Map<string, string[]>()
  for (const { key, value } of entries) {
    const values = byKey.get(key)
    if (values) values.push(value ?? 'true')
    else byKey.set(key, [value ?? 'true'])
  }
  const getAll = (key: string): readonly string[] => byKey.get(normalized(key)) ?? []
  return {
    entries,
    notes: entries
      .filter(({ key }) => key === 'include.path' || /^includeif\..*\.path$/s.test(key))
      .map(({ value }) => `The included file ${value} is not read.`),
    getAll,
    get: (key) => getAll(key).at(-1),
    boolean: (key) => {
      const value = getAll(key).at(-1)
      return value === undefined ? undefined : booleanOf(key, value)
    },
    subsections(section) {
      const prefix = `${section.toLowerCase()}.`
      const names = entries.flatMap(({ key }) => {
        const end = key.lastIndexOf('.')
        return key.startsWith(prefix) && end >= prefix.length ? [key.slice(prefix.length, end)] : []
      })
      return [...new Set(names)]
    },
  }
}

/** A setting to be made: a key and all its values; none removes it. */
export interface ConfigEdit {
  readonly key: string
  readonly values: readonly string[]
}

/** Makes settings in a file, which is otherwise kept byte for byte. Throws `corrupt`, and `invalid_argument` for a key that git refuses. */
export function editConfig(bytes: Uint8Array, edits: readonly ConfigEdit[]): Uint8Array {
  let text = binary(bytes)
  for (const edit of edits) text = edited(text, edit)
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}

function edited(text: string, { key, values }: ConfigEdit): string {
  const { section, subsection, name } = partsOf(key)
  const entries = parseConfig(text)
  const old = entries.filter((entry) => entry.name === name && isIn(entry, section, subsection))
  const lines = values.map((value) => `\t${name} = ${quoted(value)}\n`)
  if (old.length > 0) {
    // From the end, so that the places of those before stay true.
    let result = text
    for (const [at, entry] of [...old.entries()].reverse()) {
      const replacement = at === 0 ? lines.join('') : ''
      result = replaceEntry(result, entry, replacement)
    }
    return result
  }
  if (lines.length === 0) return text
  const last = entries.findLast((entry) => isIn(entry, section, subsection))
  const at = last ? last.lineEnd : text.length
  const before = text.slice(0, at)
  const head = last ? '' : headOf(section, subsection)
  return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${head}${lines.join('')}${text.slice(at)}`
}

/** Puts lines in the place of an entry, which may stand behind the head of its section. */
function replaceEntry(text: string, { start, lineStart, lineEnd }: ConfigEntry, lines: string): string {
  const alone = text.slice(lineStart, start).trim() === ''
  const before = alone ? text.slice(0, lineStart) : `${text.slice(0, start).trimEnd()}\n`
  return before + lines + text.slice(lineEnd)
}

function isIn(entry: ConfigEntry, section: string, subsection: string | null): boolean {
  return entry.section === section && entry.subsection === subsection
}

function headOf(section: string, subsection: string | null): string {
  return subsection === null ? `[${section}]\n` : `[${section} "${subsection.replace(/[\\"]/g, '\\$&')}"]\n`
}

/** A value as git writes it. */
function quoted(value: string): string {
  const escaped = binary(bytesOfText(value)).replace(/[\\"\n\t\b]/g, (char) => ESCAPES[char] as string)
  return /^[\s]|[\s]$|[;#\r]/.test(escaped) ? `"${escaped}"` : escaped
}

const ESCAPES: { readonly [char: string]: string } = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\t': '\\t', '\b': '\\b' }

/** A key in the notation of the file: section and name in lower case. Throws `invalid_argument`. */
function partsOf(key: string): { readonly section: string; readonly subsection: string | null; readonly name: string } {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
  const section = key.slice(0, first).toLowerCase()
  const name = key.slice(last + 1).toLowerCase()
  const subsection = last > first ? key.slice(first + 1, last) : null
  if (first < 0 || !/^[a-z0-9-]+$/.test(section) || !/^[a-z][a-z0-9-]*$/.test(name) || /[\n\0]/.test(subsection ?? '')) {
    throw new FilewrightError('invalid_argument', `${JSON.stringify(key)} is no key of git's settings.`)
  }
  return { section, name, subsection: subsection === null ? null : binary(bytesOfText(subsection)) }
}

function normalized(key: string): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
  return first < 0 ? key.toLowerCase() : key.slice(0, first).toLowerCase() + key.slice(first, last) + key.slice(last).toLowerCase()
}

function named({ section, subsection, name, value }: ConfigEntry): { readonly key: string; readonly value: string | null } {
  const key = [section, ...(subsection === null ? [] : [subsection]), name].filter((part) => part !== '').join('.')
  return { key: unbinary(key), value: value === null ? null : unbinary(value) }
}

function booleanOf(key: string, value: string): boolean {
  const lower = value.toLowerCase()
  if (['true', 'yes', 'on'].includes(lower)) return true
  if (['false', 'no', 'off', ''].includes(lower)) return false
  if (/^[-+]?\d+[kmg]?$/.test(lower)) return Number.parseInt(lower, 10) !== 0
  throw new FilewrightError('corrupt', `The setting ${key} of the repository is ${JSON.stringify(value)}; it must be true or false.`)
}

/** A character for each byte: the file is kept byte for byte, whatever its encoding. */
function binary(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return text
}

function unbinary(text: string): string {
  return textOfBytes(Uint8Array.from(text, (char) => char.charCodeAt(0)))
}
