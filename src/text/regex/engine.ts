/** The two engines behind one interface: the platform's RegExp, and re2js in linear time. */
import { FilewrightError } from '../../core/errors.ts'
import { platformSource, type RegexScope } from './source.ts'
import type { RegexNode } from './tree.ts'

/** A match: from `start` up to, not including, `end`, in UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A compiled pattern. */
export interface Finder {
  /** The leftmost match that starts at or after `from`. */
  find(text: string, from: number): Span | null
}

/** The platform's RegExp. Its time is not bounded. */
export function platformFinder(tree: RegexNode, scope: RegexScope, fold: boolean): Finder {
  const regex = new RegExp(platformSource(tree, scope), fold ? 'giu' : 'gu')
  return {
    find(text, from) {
      regex.lastIndex = from
      let found = regex.exec(text)
      // V8 also tries the middle of a surrogate pair, where nothing but an empty match can be.
      while (found && isInsidePair(text, found.index)) {
        regex.lastIndex = found.index + 1
        found = regex.exec(text)
      }
      return found && { start: found.index, end: found.index + found[0].length }
    },
  }
}

function isInsidePair(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code < 0xe000
}

/** re2js, loaded when it is first needed, from a source of `linearSource`. Throws `unsupported` for a pattern that is too large for it. */
export async function linearFinder(source: string, fold: boolean, field: string): Promise<Finder> {
  const { RE2JS } = await import('re2js')
  let compiled: InstanceType<typeof RE2JS>
  try {
    compiled = RE2JS.compile(source, RE2JS.LOOKBEHINDS)
  } catch (cause) {
    const message = 'This pattern could take exponential time, and is too large for the engine that could not: simplify it.'
    throw new FilewrightError('unsupported', message, { field, cause })
  }
  let [prepared, matcher] = ['', compiled.matcher('')]
  return {
    find(text, from) {
      if (prepared !== text) {
        prepared = text
        // Where case does not matter these two are word characters to the platform's \b; their folded forms are to both.
        matcher = compiled.matcher(fold ? text.replace(/[\u017f\u212a]/g, (char) => (char === '\u017f' ? 's' : 'k')) : text)
      }
      return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : null
    },
  }
}
