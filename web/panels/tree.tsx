/** The files as a tree, read directory by directory, and walked with the arrow keys. */
import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TreeEntry } from '../../src/http/routes.ts'
import type { WorkspaceClient } from '../api/client.ts'
import { messageOf } from '../api/transport.ts'
import { visible } from './visible.tsx'

/** What {@link Tree} needs. */
export interface TreeProps {
  readonly workspace: WorkspaceClient
  /** The newest record; a new one means that directories may look different. */
  readonly head: number
  readonly selected: string | null
  readonly open: (path: string) => void
}

interface Row {
  readonly entry: TreeEntry
  readonly depth: number
}

/** Draws the tree. */
export function Tree({ workspace, head, selected, open }: TreeProps): VNode {
  const [children, setChildren] = useState<ReadonlyMap<string, readonly TreeEntry[]>>(new Map())
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set(['']))
  const [focused, setFocused] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const list = useRef<HTMLDivElement>(null)

  // Directories that are open are read again after every change; those that are gone close by themselves.
  useEffect(() => {
    let current = true
    const read = async (): Promise<void> => {
      const next = new Map<string, readonly TreeEntry[]>()
      for (const path of expanded) {
        const entries = await workspace.tree(path).catch((cause) => {
          if (path === '') setError(messageOf(cause))
          return null
        })
        if (entries) next.set(path, entries)
      }
      if (current) setChildren(next)
    }
    void read()
    return () => {
      current = false
    }
  }, [workspace, head, expanded])

  const rows = [...rowsOf('', 0, children, expanded)]
  const tabStop = focused !== null && rows.some(({ entry }) => entry.path === focused) ? focused : rows[0]?.entry.path

  const toggle = (path: string, wanted: boolean): void => {
    const next = new Set(expanded)
    if (wanted) next.add(path)
    else next.delete(path)
    setExpanded(next)
  }
  const focus = (row: Row | undefined): void => {
    if (!row) return
    setFocused(row.entry.path)
    list.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(row.entry.path)}"]`)?.focus()
  }
  const activate = ({ entry }: Row): void => (entry.kind === 'directory' ? toggle(entry.path, !expanded.has(entry.path)) : open(entry.path))

  const onKeyDown = (event: KeyboardEvent, index: number): void => {
    const row = rows[index] as Row
    const isOpen = expanded.has(row.entry.path)
    const parent = rows.findLastIndex(({ depth }, at) => at < index && depth < row.depth)
    const actions: { [key: string]: () => void } = {
      ArrowDown: () => focus(rows[index + 1]),
      ArrowUp: () => focus(rows[index - 1]),
      Home: () => focus(rows[0]),
      End: () => focus(rows.at(-1)),
      ArrowRight: () => (row.entry.kind === 'directory' && !isOpen ? toggle(row.entry.path, true) : focus(rows[index + 1])),
      ArrowLeft: () => (isOpen ? toggle(row.entry.path, false) : focus(rows[parent])),
      Enter: () => activate(row),
      ' ': () => activate(row),
    }
    const action = actions[event.key]
    if (!action) return
    event.preventDefault()
    action()
  }

  if (error !== null) return <p class="problem">{error}</p>
  if (children.get('')?.length === 0) return <p class="quiet">No files yet.</p>
  return (
    <div class="tree" role="tree" aria-label="Files" ref={list}>
      {rows.map((row, index) => (
        <div
          key={row.entry.path}
          role="treeitem"
          class={`row ${row.entry.kind}`}
          style={{ '--depth': row.depth }}
          data-path={row.entry.path}
          aria-level={row.depth + 1}
          aria-selected={row.entry.path === selected}
          aria-expanded={row.entry.kind === 'directory' ? expanded.has(row.entry.path) : undefined}
          tabIndex={row.entry.path === tabStop ? 0 : -1}
          onClick={() => activate(row)}
          onFocus={() => setFocused(row.entry.path)}
          onKeyDown={(event) => onKeyDown(event, index)}
        >
          <span class="name">{visible(row.entry.name)}</span>
          {row.entry.target !== null && <span class="quiet"> → {visible(row.entry.target)}</span>}
        </div>
      ))}
    </div>
  )
}

function* rowsOf(
  path: string,
  depth: number,
  children: ReadonlyMap<string, readonly TreeEntry[]>,
  expanded: ReadonlySet<string>,
): Generator<Row> {
  const entries = children.get(path) ?? []
  const directoriesFirst = [...entries].sort((a, b) => Number(b.kind === 'directory') - Number(a.kind === 'directory'))
  for (const entry of directoriesFirst) {
    yield { entry, depth }
    if (entry.kind === 'directory' && expanded.has(entry.path)) yield* rowsOf(entry.path, depth + 1, children, expanded)
  }
}
