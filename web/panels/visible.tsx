/** Text that could deceive, made visible: direction changes, invisible characters, controls (security.md H21, H22). */
import type { ComponentChildren } from 'preact'

const DECEIVING = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** The text with every deceiving character shown as its code. */
export function visible(text: string): ComponentChildren {
  const parts: ComponentChildren[] = []
  let at = 0
  for (const match of text.matchAll(DECEIVING)) {
    const code = (match[0].codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
    parts.push(text.slice(at, match.index), <mark class="hidden-character" title="A character that cannot be seen">{`U+${code}`}</mark>)
    at = match.index + match[0].length
  }
  return parts.length === 0 ? text : [...parts, text.slice(at)]
}
