/** Values as JSON text, on one line or on many. */
import type { ListStyle } from '../document/comma_list.ts'

/** A value that JSON can hold. An object's keys are its own enumerable ones, whatever they are called. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/** How a document writes JSON. */
export interface JsonStyle extends ListStyle {
  /** Between a key and its value: `: ` or `:`. */
  readonly colon: string
}

/** Whether a value is an array or an object with something in it. */
export function isFilled(value: JsonValue): value is readonly JsonValue[] | { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/** A value on one line. */
export function printInline(value: JsonValue, style: Pick<JsonStyle, 'colon' | 'gap'>): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const separator = `,${style.gap}`
  if (isArray(value)) return `[${value.map((item) => printInline(item, style)).join(separator)}]`
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}${style.colon}${printInline(member, style)}`)
  return `{${members.join(separator)}}`
}

/** A value on lines of its own, of which the first has `indent`. */
export function printLines(value: JsonValue, indent: string, style: JsonStyle): string {
  if (!isFilled(value)) return printInline(value, style)
  const inner = indent + style.unit
  const lines = isArray(value)
    ? value.map((item) => printLines(item, inner, style))
    : Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}${style.colon}${printLines(member, inner, style)}`)
  const [open, close] = isArray(value) ? '[]' : '{}'
  const line = style.eol + inner
  return `${open}${line}${lines.join(`,${line}`)}${style.eol}${indent}${close}`
}

/** Whether a value is an array, also when its type says that it cannot be written to. */
export function isArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value)
}
