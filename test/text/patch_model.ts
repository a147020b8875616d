/** A model of patches on parsed values, and random documents and operations that try them. */
import fc from 'fast-check'
import { PATCH_OPERATIONS, type PatchOperation } from '../../src/text/document/patch.ts'
import type { JsonValue } from '../../src/text/json/print.ts'

/** A value that the model may change. */
type Mutable = null | boolean | number | string | Mutable[] | { [key: string]: Mutable }

/** The value after an operation, by the words of P-61; null when the operation is an error. */
export function applyToModel(value: unknown, { op, path, value: given = null }: PatchOperation): { readonly value: unknown } | null {
  const root = { value: structuredClone(value) as Mutable }
  const fresh = structuredClone(given) as Mutable
  let holder: Mutable = root
  const steps = ['value', ...path]
  const last = steps.pop() as string
  for (const [depth, step] of steps.entries()) {
    let next = childOf(holder, step)
    if (next === undefined && op === 'set' && isObject(holder) && depth > 0) {
      next = {}
      define(holder, step, next)
    }
    if (next === undefined) return null
    holder = next
  }
  const done = Array.isArray(holder)
    ? changeItem(holder, last, op, fresh)
    : isObject(holder) && changeMember(holder, last, op, fresh, path.length === 0)
  return done ? root : null
}

function changeItem(list: Mutable[], token: string, op: PatchOperation['op'], value: Mutable): boolean {
  const index = token === '-' && op !== 'remove' && op !== 'replace' ? list.length : /^(0|[1-9]\d*)$/.test(token) ? Number(token) : -1
  const there = index >= 0 && index < list.length
  if (op === 'append') {
    if (token === '-') list.push(value)
    else if (!there || !Array.isArray(list[index])) return false
    else list[index].push(value)
    return true
  }
  if (op === 'insert') {
    if (index < 0 || index > list.length) return false
    list.splice(index, 0, value)
    return true
  }
  if (op === 'remove') return there && list.splice(index, 1).length === 1
  if (there || (op === 'set' && index === list.length)) {
    list[index] = value
    return true
  }
  return false
}

function changeMember(object: { [key: string]: Mutable }, key: string, op: PatchOperation['op'], value: Mutable, isRoot: boolean): boolean {
  const there = childOf(object, key)
  if (op === 'insert' || (isRoot && op === 'remove') || (there === undefined && op !== 'set')) return false
  if (op === 'append') return Array.isArray(there) && there.push(value) > 0
  if (op === 'remove') return delete object[key]
  define(object, key, value)
  return true
}

function childOf(value: Mutable, step: string): Mutable | undefined {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

function isObject(value: Mutable): value is { [key: string]: Mutable } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function define(object: { [key: string]: Mutable }, key: string, value: Mutable): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Keys that are awkward somewhere. */
export const key: fc.Arbitrary<string> = fc.constantFrom(
  'a',
  'b',
  'c',
  'k 1',
  '',
  'no',
  '1',
  '-',
  'a/b',
  'é',
  '__proto__',
  'x: y',
  '#z',
  'constructor',
)

/** Texts that need care in one of the formats. */
const awkward: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'no',
    'null',
    '~',
    '1',
    '0x1F',
    '1e3',
    '2001-01-01',
    'a: b',
    'a:',
    ': a',
    '# x',
    'x # y',
    '- a',
    '-',
    '--- ',
    '...',
    '[x',
    '{',
    '}',
  ),
  fc.constantFrom(
    'l1\nl2',
    'l1\nl2\n',
    'l1\n\n',
    '\n',
    ' l1\nl2',
    'l1\n  l2\n',
    'l1\n \nl2',
    '"q"',
    "it's",
    '\t',
    'a\tb',
    'a\r\nb',
    '😀',
    '\u2028',
    '\u0085x',
    '<<',
    '*a',
    '&a',
    '!t',
    '%',
    '@',
    '`',
    '?',
    '? a',
    'a,b',
    '\\',
    '\ufeff',
  ),
  fc.string({ maxLength: 6 }),
)

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  { arbitrary: awkward, weight: 3 },
  fc.constantFrom(null, true, false, 0, 1, -1.5, 1e21, 1e-7, 2 ** 63),
)

/** Values to put in. */
export const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    { arbitrary: scalar, weight: 4 },
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map((members) => objectOf(members)),
  ),
})).value

/** An object with its own members, whatever they are called. */
export function objectOf(members: readonly (readonly [string, JsonValue])[]): JsonValue {
  const object: { [name: string]: JsonValue } = {}
  for (const [name, member] of members)
    Object.defineProperty(object, name, { value: member, writable: true, enumerable: true, configurable: true })
  return object
}

/** An operation that often fits a value: its path leads through what is there. */
export function operationOn(document: unknown): fc.Arbitrary<PatchOperation> {
  return fc
    .tuple(fc.constantFrom(...PATCH_OPERATIONS), fc.infiniteStream(fc.nat({ max: 999 })), fc.nat({ max: 4 }), key, value)
    .map(([op, choices, depth, extra, given]) => {
      const path: string[] = []
      let at = document
      const choose = (limit: number) => (choices.next().value as number) % limit
      for (let i = 0; i < depth && typeof at === 'object' && at !== null; i++) {
        const names = Array.isArray(at) ? [...at.keys(), '-', at.length].map(String) : [...Object.keys(at), extra]
        const name = names[choose(names.length)] as string
        path.push(name)
        at = Object.hasOwn(at, name) ? (at as { [name: string]: unknown })[name] : undefined
      }
      return op === 'remove' ? { op, path } : { op, path, value: given }
    })
}
