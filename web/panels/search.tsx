/** Search in all files, by the tool that agents use. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { WorkspaceClient } from '../api/client.ts'
import { messageOf } from '../api/transport.ts'
import { visible } from './visible.tsx'

interface Match {
  readonly file_path: string
  readonly line_number: number
  readonly line_content: string
}

interface Found {
  readonly matches: readonly Match[]
  readonly truncated: boolean
  readonly truncated_reason?: string
  readonly searched_files: number
}

/** A field, and the matching lines by file. */
export function Search({
  workspace,
  open,
}: {
  readonly workspace: WorkspaceClient
  readonly open: (path: string, line: number) => void
}): VNode {
  const [query, setQuery] = useState('')
  const [regex, setRegex] = useState(false)
  const [anyCase, setAnyCase] = useState(true)
  const [found, setFound] = useState<Found | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const search = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (query === '') return
    setBusy(true)
    try {
      const answer = await workspace.call('search_files', { search_path: '.', query, is_regex: regex, case_insensitive: anyCase })
      setError(answer.error?.message ?? null)
      setFound(answer.error ? null : (answer.result as unknown as Found))
    } catch (cause) {
      setError(messageOf(cause))
    }
    setBusy(false)
  }

  const files = Map.groupBy(found?.matches ?? [], (match) => match.file_path)
  return (
    <div class="search">
      <search>
        <form onSubmit={search}>
          <input
            type="search"
            aria-label="Search for"
            placeholder="Search in all files"
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
          <label>
            <input type="checkbox" checked={regex} onChange={(event) => setRegex(event.currentTarget.checked)} /> pattern
          </label>
          <label>
            <input type="checkbox" checked={anyCase} onChange={(event) => setAnyCase(event.currentTarget.checked)} /> any case
          </label>
          <button type="submit" disabled={busy}>
            Search
          </button>
        </form>
      </search>
      {error !== null && <p class="problem">{error}</p>}
      {found && (
        <p class="quiet" role="status">
          {found.matches.length} lines in {files.size} files{found.truncated && `, cut: ${found.truncated_reason ?? 'there are more'}`}
        </p>
      )}
      {[...files].map(([path, matches]) => (
        <details key={path} open>
          <summary>{visible(path)}</summary>
          <ul>
            {matches.map((match) => (
              <li key={match.line_number}>
                <button type="button" class="plain" onClick={() => open(path, match.line_number)}>
                  <span class="number">{match.line_number}</span> <code>{visible(match.line_content.trim())}</code>
                </button>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  )
}
