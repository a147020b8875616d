/** Comparing an answer with what a case expects of it: a part of it, with operators where the value is not known exactly. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { FileSpec } from './cases.ts'
import { bytesOf } from './trees.ts'

type Operator = (argument: never, got: unknown) => boolean

const OPERATORS: { readonly [name: string]: Operator } = {
  $any: (_: never, got) => got !== undefined && got !== null,
  $absent: (_: never, got) => got === undefined || got === null,
  $not: (want: never, got) => !holds(want, got),
  $type: (type: string, got) => (type === 'array' ? Array.isArray(got) : type === 'integer' ? Number.isInteger(got) : typeof got === type),
  $re: (pattern: string, got) => typeof got === 'string' && new RegExp(pattern, 's').test(got),
  $has: (want: never, got) => (typeof got === 'string' ? got.includes(want) : Array.isArray(got) && got.some((item) => holds(want, item))),
  $hasnt: (want: never, got) =>
    typeof got === 'string' ? !got.includes(want) : Array.isArray(got) && !got.some((item) => holds(want, item)),
  $len: (length: number, got) => lengthOf(got) === length,
  $maxlen: (length: number, got) => lengthOf(got) <= length,
  $gte: (least: number, got) => typeof got === 'number' && got >= least,
  $lte: (most: number, got) => typeof got === 'number' && got <= most,
  $oneof: (choices: readonly unknown[], got) => choices.some((choice) => holds(choice, got)),
  $sha256: (spec: FileSpec, got) => got === createHash('sha256').update(bytesOf(spec)).digest('hex'),
  $set: (wanted: readonly unknown[], got) =>
    Array.isArray(got) && got.length === wanted.length && wanted.every((want) => got.some((item) => holds(want, item))),
  $map: ([member, wanted]: readonly [string, readonly unknown[]], got) =>
    Array.isArray(got) && got.length === wanted.length && wanted.every((want, index) => holds(want, (got[index] as Members)?.[member])),
}

type Members = { readonly [name: string]: unknown }

/** What does not match, each with its place in the answer. */
export function mismatches(want: unknown, got: unknown, at: string): string[] {
  if (want === null || typeof want !== 'object') return want === got ? [] : [`${at} is ${shown(got)}, not ${shown(want)}`]
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length) return [`${at} is ${shown(got)}, not the list ${shown(want)}`]
    return want.flatMap((item, index) => mismatches(item, got[index], `${at}[${index}]`))
  }
  const members = Object.entries(want)
  const operators = members.filter(([name]) => name.startsWith('$'))
  if (operators.length > 0) {
    return operators.flatMap(([name, argument]) => {
      const operator = OPERATORS[name]
      if (!operator) return [`${at}: there is no operator ${name}`]
      return operator(argument as never, got) ? [] : [`${at} is ${shown(got)}, not ${name} ${shown(argument)}`]
    })
  }
  if (got === null || typeof got !== 'object') return [`${at} is ${shown(got)}, not ${shown(want)}`]
  return members.flatMap(([name, value]) => mismatches(value, (got as Members)[name], `${at}.${name}`))
}

function holds(want: unknown, got: unknown): boolean {
  return mismatches(want, got, '').length === 0
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : Number.NaN
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 300)
}

/** A value with its references to earlier results, its `{root}` and its long texts filled in. */
export function filledIn(value: unknown, results: readonly unknown[], root: string): unknown {
  if (typeof value === 'string') return value.replaceAll('{root}', () => root).replaceAll('{outside}', () => join(root, '../outside'))
  if (Array.isArray(value)) return value.map((item) => filledIn(item, results, root))
  if (value === null || typeof value !== 'object') return value
  const { $ref, $repeat } = value as { readonly $ref?: string; readonly $repeat?: readonly [string, number] }
  if ($ref !== undefined) return $ref.split('.').reduce<unknown>((at, name) => (at as Members | undefined)?.[name], results)
  if ($repeat) return $repeat[0].repeat($repeat[1])
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filledIn(member, results, root)]))
}
