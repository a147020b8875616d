/** Text that could deceive, made visible: direction changes, invisible characters, controls (security.md H21, H22). */
import type { ComponentChildren, VNode } from 'preact'

const DECEIVING = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** A hidden character in a text that the server has marked, where nothing else looks like that. */
const MARK = /⟦(U\+[0-9A-F]{4,6})⟧/gu

/** The text with every deceiving character shown as its code. */
export function visible(text: string): ComponentChildren {
  return withMarks(text, DECEIVING, (character) => {
    return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
  })
}

/** A text of a preview, which the server has marked: the same marks stand out in it. */
export function marked(text: string): ComponentChildren {
  return withMarks(text, MARK, (mark) => mark.slice(1, -1))
}

function withMarks(text: string, pattern: RegExp, nameOf: (found: string) => string): ComponentChildren {
  const parts: ComponentChildren[] = []
  let at = 0
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const end = index + found.length
    parts.push(text.slice(at, index), <Mark name={nameOf(found)} isLast={end === text.length || text[end] === '\n'} />)
    at = end
  }
  return parts.length === 0 ? text : [...parts, text.slice(at)]
}

/** A carriage return at the end of a line is what many files have there: it is told, but deceives nobody. */
function Mark({ name, isLast }: { readonly name: string; readonly isLast: boolean }): VNode {
  if (name === 'U+000D' && isLast) {
    return (
      <span class="line-end" title="The line ends with a carriage return">
        CR
      </span>
    )
  }
  return (
    <mark class="hidden-character" title="A character that cannot be seen">
      {name}
    </mark>
  )
}
