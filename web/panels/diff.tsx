/** A unified diff, line by line. */
import type { VNode } from 'preact'
import { marked, visible } from './visible.tsx'

const MOST_LINES = 2000

type LineKind = 'added' | 'removed' | 'hunk' | 'header' | 'note' | 'same'

interface DiffLine {
  readonly kind: LineKind
  readonly text: string
  readonly before: number | null
  readonly after: number | null
}

/** What {@link Diff} needs. */
export interface DiffProps {
  readonly diff: string
  /** Every line of it, as the server has marked it: a person decides about it. */
  readonly exact?: boolean
}

/** Draws a diff; a very long one is cut, and says so. */
export function Diff({ diff, exact = false }: DiffProps): VNode {
  const lines = parse(diff)
  const most = exact ? lines.length : MOST_LINES
  return (
    <div class={exact ? 'diff exact' : 'diff'}>
      <table aria-label="Difference">
        <tbody>
          {lines.slice(0, most).map((line, index) => (
            <tr key={index} class={line.kind}>
              <td class="number">{line.before ?? ''}</td>
              <td class="number">{line.after ?? ''}</td>
              <td>
                <code>{exact ? marked(line.text) : visible(line.text)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > most && <p class="quiet">{(lines.length - most).toLocaleString()} more lines are not drawn.</p>}
    </div>
  )
}

/** All lines of a diff that a person decides about, as plain text: any number of them is drawn at once. */
export function PlainDiff({ diff }: Pick<DiffProps, 'diff'>): VNode {
  return (
    <pre class="diff exact plain">
      <code>{marked(diff)}</code>
    </pre>
  )
}

function parse(diff: string): DiffLine[] {
  let before = 0
  let after = 0
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((text): DiffLine => {
      const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)
      if (hunk) {
        before = Number(hunk[1])
        after = Number(hunk[2])
        return { kind: 'hunk', text, before: null, after: null }
      }
      if (before + after === 0) return { kind: 'header', text, before: null, after: null }
      if (text.startsWith('+')) return { kind: 'added', text, before: null, after: after++ }
      if (text.startsWith('-')) return { kind: 'removed', text, before: before++, after: null }
      if (text.startsWith('\\') || text.startsWith('…')) return { kind: 'note', text, before: null, after: null }
      return { kind: 'same', text, before: before++, after: after++ }
    })
}
