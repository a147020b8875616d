/** Regular expressions for bytes that are not decoded. */
import type { RegexScope } from './source.ts'
import { type AtomNode, literalSource, NONE, type RegexNode, repeat, sequence, union } from './tree.ts'

const [LF, CR] = [1n << 10n, 1n << 13n]
const EMPTY: RegexNode = { kind: 'sequence', items: [], nullable: true, first: NONE }

/**
 * A pattern that matches in UTF-8, its bytes read as one character each, whenever `node` matches in the text: and also when that is
 * decoded, or its lines end in CRLF. It matches in other texts too: every byte of a character outside ASCII stands for all of them,
 * and most assertions are left out. Null for a pattern with a backreference.
 */
export function onBytes(node: RegexNode, scope: RegexScope): RegexNode | null {
  switch (node.kind) {
    case 'atom':
      return repeated(wide(node, scope), 1, 1)
    case 'assert':
      return node.what === 'start' || node.what === 'lineStart' ? node : EMPTY
    case 'look':
      return EMPTY
    case 'backreference':
      return null
    case 'group': {
      const body = onBytes(node.body, scope)
      return body && { kind: 'group', open: '(?:', capture: false, body, nullable: body.nullable, first: body.first }
    }
    case 'sequence': {
      const items = all(node.items, scope)
      return items && sequence(items.filter((item) => item !== EMPTY))
    }
    case 'choice': {
      const options = all(node.options, scope)
      const first = options?.reduce((set, option) => union(set, option.first), NONE)
      return options && first ? { kind: 'choice', options, nullable: options.some((option) => option.nullable), first } : null
    }
    case 'repeat': {
      if (node.body.kind === 'atom') return repeated(wide(node.body, scope), node.min, node.max)
      const body = onBytes(node.body, scope)
      return body && repeat(body, node.min, node.max, node.lazy)
    }
  }
}

function all(nodes: readonly RegexNode[], scope: RegexScope): RegexNode[] | null {
  const found = nodes.map((node) => onBytes(node, scope))
  return found.every((node) => node !== null) ? found : null
}

/** An atom for one byte, and how many of them a character may take. */
interface Wide {
  readonly atom: AtomNode
  readonly most: number
}

function repeated({ atom, most }: Wide, min: number, max: number): RegexNode {
  return max === 1 && min === 1 && most === 1 ? atom : repeat(atom, min, max * most, false)
}

function wide({ code, fold, first }: AtomNode, scope: RegexScope): Wide {
  const { ascii, other } = first
  if (code !== null && code < 128 && code !== 10 && !fold) {
    return { atom: { kind: 'atom', source: literalSource(code), code, fold, nullable: false, first }, most: 1 }
  }
  const feeds = scope === 'text' && (ascii & LF) !== 0n
  const bytes = feeds ? ascii | CR : scope === 'text' ? ascii : ascii & ~LF
  const source = `[${ranges(bytes)}${other ? '\\u{80}-\\u{10ffff}' : ''}]`
  return {
    atom: { kind: 'atom', source, code: null, fold: false, nullable: false, first: { ascii: bytes, other } },
    most: other ? 4 : feeds ? 2 : 1,
  }
}

/** The characters of a set, as a class has them. */
function ranges(ascii: bigint): string {
  let text = ''
  const has = (code: number): boolean => ((ascii >> BigInt(code)) & 1n) === 1n
  for (let code = 0; code < 128; code++) {
    if (!has(code)) continue
    const from = code
    while (code < 127 && has(code + 1)) code++
    text += from === code ? literalSource(from) : `${literalSource(from)}-${literalSource(code)}`
  }
  return text
}
