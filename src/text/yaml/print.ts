/** Values as YAML text: scalars in the style that fits, containers in brackets or on lines. */
import { FilewrightError } from '../../core/errors.ts'
import { isArray, isFilled, type JsonValue } from '../json/print.ts'
import type { ScalarStyle } from './tree.ts'

/** How a document writes YAML. */
export interface YamlStyle {
  readonly eol: string
  /** Columns of one step of indentation. */
  readonly step: number
  /** Columns that a sequence in a map is indented by; 0 where its dashes stand below the key. */
  readonly dashStep: number
}

/** Longest key on the line of its colon, in UTF-16 units: beyond 1,024 characters a key needs another form. */
const MAX_KEY = 1000

/** A value on one line, as it may stand in brackets too when `flow`. Strings take `prefer` as their style where it can hold them. */
export function printFlow(value: JsonValue, flow: boolean, prefer: ScalarStyle | null = null): string {
  if (typeof value === 'string') return printString(value, flow, prefer)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isArray(value)) return `[${value.map((item) => printFlow(item, true)).join(', ')}]`
  const members = Object.entries(value).map(([key, member]) => `${printKey(key, true)}: ${printFlow(member, true)}`)
  return `{${members.join(', ')}}`
}

/** A key on the line of its colon. Throws `unsupported` when it is too long for that. */
export function printKey(key: string, flow: boolean): string {
  const text = printString(key, flow, null)
  if (text.length > MAX_KEY) throw new FilewrightError('unsupported', `a key of ${key.length} characters cannot be written here`)
  return text
}

/** Lines of a container with something in it; the first is to stand at `column` already. */
export function printBlock(value: JsonValue, column: number, style: YamlStyle): string {
  const line = style.eol + ' '.repeat(column)
  if (isArray(value)) return value.map((item) => `-${printAfterDash(item, column, style)}`).join(line)
  return Object.entries(value as object)
    .map(([key, member]) => `${printKey(key, false)}:${printAfterColon(member, column, style)}`)
    .join(line)
}

/** What follows `key:` of a member at `column`: a blank and a value, or lines of their own. */
export function printAfterColon(value: JsonValue, column: number, style: YamlStyle): string {
  const literal = printLiteral(value, column + style.step, style.eol)
  if (literal !== null) return ` ${literal}`
  if (!isFilled(value)) return ` ${printFlow(value, false)}`
  const inner = column + (isArray(value) ? style.dashStep : style.step)
  return style.eol + ' '.repeat(inner) + printBlock(value, inner, style)
}

/** What follows the `-` of an item at `column`; a container begins on the same line. */
export function printAfterDash(value: JsonValue, column: number, style: YamlStyle): string {
  const literal = printLiteral(value, column + 2, style.eol)
  if (literal !== null) return ` ${literal}`
  return ` ${isFilled(value) ? printBlock(value, column + 2, style) : printFlow(value, false)}`
}

/** A text of several lines as a literal block, its lines at `column`; null for what is better written otherwise. */
export function printLiteral(value: JsonValue, column: number, eol: string): string | null {
  if (typeof value !== 'string' || !/^[^\s].*\n/.test(value) || !isPrintable(value.replaceAll('\n', ''))) return null
  const lines = value.split('\n')
  const closing = value.endsWith('\n\n') ? '+' : value.endsWith('\n') ? '' : '-'
  if (closing !== '-') lines.pop()
  // Lines of blanks alone would not keep them.
  if (lines.some((text) => /^\s+$/.test(text))) return null
  return `|${closing}${lines.map((text) => (text === '' ? eol : eol + ' '.repeat(column) + text)).join('')}`
}

function printString(text: string, flow: boolean, prefer: ScalarStyle | null): string {
  if (prefer === 'single' && isPrintable(text)) return `'${text.replaceAll("'", "''")}'`
  if (prefer === 'double' || !isPlain(text, flow)) return printDouble(text)
  return text
}

/** In double quotes: JSON's escapes are YAML's too, and what is not printable is escaped as well. */
function printDouble(text: string): string {
  return JSON.stringify(text).replace(UNPRINTABLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g

/** One line without characters that need an escape. */
function isPrintable(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return !/[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/.test(text)
}

/** Whether a text without quotes is read as the same text, also by readers of YAML 1.1. */
function isPlain(text: string, flow: boolean): boolean {
  if (!isPrintable(text) || text !== text.trim() || text === '') return false
  if (/^(?:[-?:](?:\s|$)|[,[\]{}#&*!|>'"%@`]|---|\.\.\.)/.test(text)) return false
  if (/:(?:\s|$)|\s#/.test(text) || (flow && /[,[\]{}]|^[-?:]/.test(text))) return false
  if (/^[-+.]*[0-9][0-9a-fxob_,:.+-]*$/i.test(text)) return false
  return !/^(?:~|null|true|false|yes|no|on|off|y|n|[-+]?\.(?:inf|nan)|=|<<)$/i.test(text)
}
