/** What every match of a regular expression needs: literals that are looked for first, and an easier pattern. */
import { type AtomNode, type RegexNode, repeat, sequence } from './tree.ts'

/** Texts of which every match contains at least one. */
export type Clause = readonly string[]

/** Most texts of one clause: looking for more costs as much as the pattern itself. */
const MOST_TEXTS = 8
/** Most clauses. */
const MOST_CLAUSES = 3

/** What every match contains: one text of each clause. The most telling come first. No text holds a line terminator. */
export function requiredTexts(node: RegexNode): readonly Clause[] {
  const clauses: Clause[] = []
  let run = ''
  const end = (): void => {
    if (run !== '') clauses.push([run])
    run = ''
  }
  const read = (part: RegexNode): void => {
    switch (part.kind) {
      case 'atom': {
        const char = literalOf(part)
        if (char === null) end()
        else run += char
        break
      }
      case 'group':
        read(part.body)
        break
      case 'sequence':
        for (const item of part.items) read(item)
        break
      case 'repeat':
        if (part.min > 0) read(part.body)
        if (part.min !== 1 || part.max !== 1) end()
        break
      case 'choice': {
        end()
        const best = part.options.map((option) => requiredTexts(option)[0])
        if (best.every((clause) => clause !== undefined)) clauses.push(best.flat())
        break
      }
      case 'backreference':
        end()
        break
    }
  }
  read(node)
  end()
  // One short text in a clause makes it match nearly everywhere.
  const telling = (clause: Clause): number => Math.min(...clause.map((text) => text.length)) / clause.length
  const useful = clauses.filter((clause) => clause.length <= MOST_TEXTS)
  return useful.sort((a, b) => telling(b) - telling(a)).slice(0, MOST_CLAUSES)
}

/** The text that every match begins with; `''` when there is none. */
export function literalPrefix(node: RegexNode): string {
  let prefix = ''
  const read = (part: RegexNode): boolean => {
    if (part.kind === 'group') return read(part.body)
    if (part.kind === 'sequence') return part.items.every(read)
    if (part.kind === 'assert') return true
    const char = part.kind === 'atom' ? literalOf(part) : null
    prefix += char ?? ''
    return char !== null
  }
  read(node)
  return prefix
}

/** Whether a match can only begin where a line or the text begins. */
export function isAnchored(node: RegexNode): boolean {
  if (node.kind === 'assert') return node.what === 'start' || node.what === 'lineStart'
  if (node.kind === 'group') return isAnchored(node.body)
  if (node.kind === 'sequence') return node.items[0] !== undefined && isAnchored(node.items[0])
  return node.kind === 'choice' && node.options.every(isAnchored)
}

/**
 * A pattern that matches somewhere in a text whenever `node` does, and is quicker: repetitions at its ends stop at their minimum.
 * Null when nothing is gained.
 */
export function weaken(node: RegexNode): RegexNode | null {
  if (node.kind !== 'sequence' || hasBackreference(node)) return null
  const items = [...node.items]
  while (shorten(items, 0) || shorten(items, items.length - 1)) {}
  return items.length > 0 && !items.every((item, i) => item === node.items[i]) ? sequence(items) : null
}

/** The pattern with the repetitions of one character at its end stopped at their minimum. */
export function withoutTail(node: RegexNode): RegexNode {
  if (node.kind !== 'sequence') return node
  const items = [...node.items]
  for (let last = items.at(-1); last?.kind === 'repeat' && last.body.kind === 'atom'; last = items.at(-1)) {
    if (!shorten(items, items.length - 1)) break
  }
  return sequence(items)
}

/** Stops the repetition at a place at its minimum, and removes it where that is none; false when there is nothing to stop. */
function shorten(items: RegexNode[], at: number): boolean {
  const item = items[at]
  if (item?.kind !== 'repeat' || item.min === item.max) return false
  items.splice(at, 1, ...(item.min === 0 ? [] : [repeat(item.body, item.min, item.min, false)]))
  return true
}

function hasBackreference(node: RegexNode): boolean {
  switch (node.kind) {
    case 'backreference':
      return true
    case 'sequence':
      return node.items.some(hasBackreference)
    case 'choice':
      return node.options.some(hasBackreference)
    case 'group':
    case 'look':
    case 'repeat':
      return hasBackreference(node.body)
    default:
      return false
  }
}

/** The character that an atom stands for in every text; null when there are several, and for line terminators. */
function literalOf({ code, fold }: AtomNode): string | null {
  if (code === null || code === 10 || code === 13) return null
  const char = String.fromCodePoint(code)
  return fold && (code > 127 || /[a-z]/i.test(char)) ? null : char
}
