/** Text that a person decides on: what cannot be seen, or reorders what is seen, stands as a mark (security.md H22). */

/** Controls but line feed and tab, format characters, odd blanks, what fonts leave out, lone surrogates; and what begins a mark. */
const HIDDEN = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u27e6]/gu
/** Letters that look like Latin ones. */
const LOOK_ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\uff21-\uff3a\uff41-\uff5a]/u
const WORD = /[\p{L}\p{N}_]+/gu
const LATIN = /[A-Za-z]/

/** Most words and kinds of characters that are listed. */
const MOST_LISTED = 5

/** A text with its marks. */
export interface MarkedText {
  /** Each hidden character stands as `⟦U+202E⟧`. No other text looks like that: the bracket itself is marked, too. */
  readonly text: string
  /** What a reader could be deceived by, in words; empty when there is nothing. */
  readonly warnings: readonly string[]
}

/** Marks the hidden characters of a text, and tells of words that mix Latin letters with look-alikes of other scripts. */
export function markHidden(text: string): MarkedText {
  const hidden = new Map<string, number>()
  const marked = text.replace(HIDDEN, (character) => {
    const name = codeName(character)
    hidden.set(name, (hidden.get(name) ?? 0) + 1)
    return `⟦${name}⟧`
  })
  return { text: marked, warnings: [...hiddenWarning(hidden), ...mixedWarning(text)] }
}

function hiddenWarning(hidden: ReadonlyMap<string, number>): string[] {
  // A carriage return ends lines, and is marked without further words.
  const told = [...hidden].filter(([name]) => name !== 'U+000D' && name !== 'U+27E6')
  if (told.length === 0) return []
  const kinds = told.slice(0, MOST_LISTED).map(([name, count]) => (count === 1 ? name : `${name} ×${count}`))
  return [`Hidden or reordering characters: ${listed(kinds, told.length)}`]
}

function mixedWarning(text: string): string[] {
  const mixed = new Set<string>()
  for (const [word] of text.matchAll(WORD)) {
    if (!LATIN.test(word) || !LOOK_ALIKE.test(word)) continue
    mixed.add(
      `${word} (${[...word]
        .filter((letter) => LOOK_ALIKE.test(letter))
        .map(codeName)
        .join(', ')})`,
    )
  }
  return mixed.size === 0 ? [] : [`Words with look-alike letters: ${listed([...mixed].slice(0, MOST_LISTED), mixed.size)}`]
}

function listed(shown: readonly string[], all: number): string {
  return `${shown.join(', ')}${all > shown.length ? ` and ${all - shown.length} more` : ''}.`
}

function codeName(character: string): string {
  return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
}
