/** A structured result for reading: facts as a list, lists of objects as tables. What is long stays in the JSON below it. */
import type { VNode } from 'preact'
import { visible } from './visible.tsx'

/** Most rows of a table, and characters of a cell. */
const MOST_ROWS = 50
const LONGEST = 200

interface Members {
  readonly [name: string]: unknown
}

/** Draws the members of a result, but for those that are shown otherwise. */
export function ResultView({ result, without }: { readonly result: Members; readonly without: ReadonlySet<string> }): VNode | null {
  const members = Object.entries(result).filter(([name, value]) => !without.has(name) && isWorthShowing(value))
  if (members.length === 0) return null
  return (
    <dl class="facts-list">
      {members.map(([name, value]) => (
        <div key={name} class={isObject(value) || isTable(value) ? 'wide' : ''}>
          <dt>{name.replaceAll('_', ' ')}</dt>
          <dd>
            {isTable(value) ? (
              <Table rows={value} />
            ) : isObject(value) ? (
              <ResultView result={value} without={without} />
            ) : (
              <Scalar value={value} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Table({ rows }: { readonly rows: readonly Members[] }): VNode {
  const shown = rows.slice(0, MOST_ROWS)
  const columns = [...new Set(shown.flatMap((row) => Object.keys(row).filter((name) => isWorthShowing(row[name]) && !isObject(row[name]))))]
  return (
    <div class="table">
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name}>{name.replaceAll('_', ' ')}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            <tr key={index}>
              {columns.map((name) => (
                <td key={name}>{cellOf(row[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown.length && <p class="quiet">{(rows.length - shown.length).toLocaleString()} more rows are in the JSON.</p>}
    </div>
  )
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTable(value: unknown): value is readonly Members[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject)
}

function isWorthShowing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== null && value !== undefined && value !== '' && !(isObject(value) && Object.keys(value).length === 0)
}

/** A cell says only what is: most flags of a receipt are false. */
function cellOf(value: unknown): VNode | string {
  if (isTable(value)) return String(value.length)
  return value === false || value === null || value === undefined ? '' : <Scalar value={value} />
}

const HASH = /^[0-9a-f]{64}$/

function Scalar({ value }: { readonly value: unknown }): VNode {
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>
  const text = Array.isArray(value) ? value.map(String).join(', ') : String(value)
  if (HASH.test(text)) {
    return (
      <span class="hash" title={text}>
        {text.slice(0, 12)}…
      </span>
    )
  }
  return <>{visible(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)}</>
}
