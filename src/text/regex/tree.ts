/** Regular expressions as trees, with what the analyses ask of every node: can it match nothing, and which character may come first. */
import { FilewrightError } from '../../core/errors.ts'
import type { RegexFlags, RegexToken } from './dialect.ts'

/** A set of characters: exact for ASCII, and whether there may be others. */
export interface CharSet {
  /** Bit n stands for the character n. */
  readonly ascii: bigint
  readonly other: boolean
}

interface Facts {
  readonly nullable: boolean
  /** Characters that a match can begin with. */
  readonly first: CharSet
}

/** One character: a literal when `code` is not null, else a set. */
export interface AtomNode extends Facts {
  readonly kind: 'atom'
  /** JavaScript, with the `u` flag. */
  readonly source: string
  readonly code: number | null
  readonly fold: boolean
}

export interface AssertNode extends Facts {
  readonly kind: 'assert'
  /** `lineStart` and `lineEnd` are also what `^` and `$` mean where the text is one line. */
  readonly what: 'lineStart' | 'lineEnd' | 'start' | 'end' | 'b' | 'B'
}

export interface BackreferenceNode extends Facts {
  readonly kind: 'backreference'
  readonly source: string
}

export interface LookNode extends Facts {
  readonly kind: 'look'
  readonly ahead: boolean
  readonly negative: boolean
  readonly body: RegexNode
}

export interface GroupNode extends Facts {
  readonly kind: 'group'
  /** How it opens in JavaScript. */
  readonly open: string
  readonly capture: boolean
  readonly body: RegexNode
}

export interface SequenceNode extends Facts {
  readonly kind: 'sequence'
  readonly items: readonly RegexNode[]
}

export interface ChoiceNode extends Facts {
  readonly kind: 'choice'
  readonly options: readonly RegexNode[]
}

export interface RepeatNode extends Facts {
  readonly kind: 'repeat'
  readonly body: RegexNode
  readonly min: number
  readonly max: number
  readonly lazy: boolean
}

export type RegexNode = AtomNode | AssertNode | BackreferenceNode | LookNode | GroupNode | SequenceNode | ChoiceNode | RepeatNode

/** No character. */
export const NONE: CharSet = { ascii: 0n, other: false }
/** Every character. */
export const ALL: CharSet = { ascii: (1n << 128n) - 1n, other: true }

export function union(a: CharSet, b: CharSet): CharSet {
  return { ascii: a.ascii | b.ascii, other: a.other || b.other }
}

/** Whether no character is in both; false also when that is not known. */
export function disjoint(a: CharSet, b: CharSet): boolean {
  return (a.ascii & b.ascii) === 0n && !(a.other && b.other)
}

/** A sequence of nodes. */
export function sequence(items: readonly RegexNode[]): RegexNode {
  if (items.length === 1) return items[0] as RegexNode
  let first = NONE
  let nullable = true
  for (const item of items) {
    first = union(first, item.first)
    nullable = item.nullable
    if (!nullable) break
  }
  return { kind: 'sequence', items, nullable, first }
}

/** A repeated node. */
export function repeat(body: RegexNode, min: number, max: number, lazy: boolean): RepeatNode {
  return { kind: 'repeat', body, min, max, lazy, nullable: min === 0 || body.nullable, first: max === 0 ? NONE : body.first }
}

/** Deepest nesting of groups. */
const MAX_DEPTH = 200

/** The tree of a pattern that the engine accepted. Throws `invalid_regex` when it is nested too deeply. */
export function parseRegex(tokens: readonly RegexToken[], flags: RegexFlags, field: string): RegexNode {
  const charSets = createCharSets()
  let at = 0
  let depth = 0

  function choice(current: RegexFlags): RegexNode {
    const options = [items(current)]
    while (tokens[at]?.kind === 'or') {
      at++
      options.push(items(current))
    }
    if (options.length === 1) return options[0] as RegexNode
    const first = options.reduce((set, option) => union(set, option.first), NONE)
    return { kind: 'choice', options, nullable: options.some((option) => option.nullable), first }
  }

  function items(current: RegexFlags): RegexNode {
    const found: RegexNode[] = []
    for (let token = tokens[at]; token && token.kind !== 'or' && token.kind !== 'close'; token = tokens[at]) {
      at++
      const node = nodeOf(token, current)
      const next = tokens[at]
      if (next?.kind === 'repeat') {
        at++
        found.push(repeat(node, next.min, next.max, next.lazy))
      } else {
        found.push(node)
      }
    }
    return found.length === 0 ? { kind: 'sequence', items: [], nullable: true, first: NONE } : sequence(found)
  }

  function nodeOf(token: RegexToken, current: RegexFlags): RegexNode {
    switch (token.kind) {
      case 'char':
        return atom(literalSource(token.code), token.code, current.fold)
      case 'set':
        return atom(token.text, null, current.fold)
      case 'dot':
        return atom(current.dotAll ? '[^]' : '.', null, current.fold)
      case 'assert':
        return { kind: 'assert', what: assertion(token.what, current), nullable: true, first: NONE }
      case 'backreference':
        return { kind: 'backreference', source: token.text, nullable: true, first: ALL }
      case 'open':
        return group(token, current)
      default:
        throw new FilewrightError('invalid_regex', `Invalid regular expression: unexpected ${token.text}.`, { field })
    }
  }

  function group(token: RegexToken & { readonly kind: 'open' }, current: RegexFlags): RegexNode {
    if (++depth > MAX_DEPTH) {
      throw new FilewrightError('invalid_regex', `Invalid regular expression: groups are nested more than ${MAX_DEPTH} deep.`, { field })
    }
    const flags = token.group === 'flags' ? changed(current, token.text) : current
    const body = choice(flags)
    at++
    depth--
    const { nullable, first } = body
    switch (token.group) {
      case 'plain':
        return body.kind === 'choice' ? { kind: 'group', open: '(?:', capture: false, body, nullable, first } : body
      case 'capture':
        return { kind: 'group', open: token.text, capture: true, body, nullable, first }
      case 'flags': {
        const open = flags.fold === current.fold ? '(?:' : flags.fold ? '(?i:' : '(?-i:'
        return { kind: 'group', open, capture: false, body, nullable, first }
      }
      default: {
        const ahead = token.group === 'ahead' || token.group === 'notAhead'
        const negative = token.group === 'notAhead' || token.group === 'notBehind'
        return { kind: 'look', ahead, negative, body, nullable: true, first: NONE }
      }
    }
  }

  function atom(source: string, code: number | null, fold: boolean): AtomNode {
    return { kind: 'atom', source, code, fold, nullable: false, first: charSets(source, code, fold) }
  }

  return choice(flags)
}

function assertion(what: '^' | '$' | 'b' | 'B' | 'start' | 'end', flags: RegexFlags): AssertNode['what'] {
  if (what === '^') return flags.lines ? 'lineStart' : 'start'
  if (what === '$') return flags.lines ? 'lineEnd' : 'end'
  return what
}

function changed(flags: RegexFlags, open: string): RegexFlags {
  const [on = '', off = ''] = open.slice(2, -1).split('-')
  const flag = (letter: string, before: boolean) => (before || on.includes(letter)) && !off.includes(letter)
  return { fold: flag('i', flags.fold), lines: flag('m', flags.lines), dotAll: flag('s', flags.dotAll) }
}

/** A character as JavaScript. */
export function literalSource(code: number): string {
  return /[A-Za-z0-9_]/.test(String.fromCodePoint(code)) ? String.fromCodePoint(code) : `\\u{${code.toString(16)}}`
}

/** Sets of single-character sources, asked from the engine itself. */
function createCharSets(): (source: string, code: number | null, fold: boolean) => CharSet {
  const known = new Map<string, CharSet>()
  return (source, code, fold) => {
    const key = `${fold} ${source}`
    let set = known.get(key)
    if (!set) {
      const test = new RegExp(`^${source}$`, fold ? 'iu' : 'u')
      let ascii = 0n
      for (let i = 0; i < 128; i++) if (test.test(String.fromCharCode(i))) ascii |= 1n << BigInt(i)
      set = { ascii, other: mayMatchOther(source, code, fold, ascii) }
      known.set(key, set)
    }
    return set
  }
}

/** k and s, which fold to U+212A and U+017F. */
const FOLDED_OUT = (1n << 107n) | (1n << 115n)

function mayMatchOther(source: string, code: number | null, fold: boolean, ascii: bigint): boolean {
  if (fold && (ascii & FOLDED_OUT) !== 0n) return true
  if (code !== null) return code > 127
  // Only sets that list ASCII characters and ranges are known to hold no others.
  return !/^(?:\\[dw]|\[(?!\^)(?:[ -[\]^-~]|\\[dwnrtfv]|\\[^A-Za-z0-9])*\])$/.test(source)
}
