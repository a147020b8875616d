/** One file, in the editor; saving names the hash that was read, so that nobody's change is overwritten unseen. */
import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { OpenFile, WorkspaceClient } from '../api/client.ts'
import { ApiError, messageOf } from '../api/transport.ts'
import type { Editor } from '../editor/editor.ts'
import { editableText, type NotEditable } from '../editor/text_file.ts'
import { visible } from './visible.tsx'

/** What {@link FilePanel} needs. */
export interface FilePanelProps {
  readonly workspace: WorkspaceClient
  readonly path: string
  /** A line to show. */
  readonly line: number | null
  readonly head: number
}

const REASONS: { readonly [kind in NotEditable['kind']]: string } = {
  binary: 'This file is binary.',
  invalid_utf8: 'This file is not valid UTF-8: the tools can still edit its text, byte for byte.',
  large: 'This file is too large for the editor: the tools show and edit it.',
}

type State = { readonly kind: 'loading' | 'text' | 'gone' } | NotEditable

/** Shows the file, and keeps up with changes from elsewhere as long as nothing was typed. */
export function FilePanel({ workspace, path, line, head }: FilePanelProps): VNode {
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor | null>(null)
  const read = useRef<OpenFile | null>(null)
  const [state, setState] = useState<State>({ kind: 'loading' })
  const [dirty, setDirty] = useState(false)
  const [moved, setMoved] = useState(false)
  const [message, setMessage] = useState<{ readonly text: string; readonly bad: boolean } | null>(null)
  const typed = useRef(false)

  const mark = (isDirty: boolean): void => {
    typed.current = isDirty
    setDirty(isDirty)
  }

  const show = async (file: OpenFile): Promise<void> => {
    read.current = file
    setMoved(false)
    const content = editableText(file.bytes)
    if (content.kind !== 'text') {
      setState(content)
      return
    }
    const { createEditor } = await import('../editor/editor.ts')
    if (!place.current) return
    if (editor.current) editor.current.reset(content)
    else editor.current = createEditor(place.current, path, content, { changed: () => mark(true), save: () => saveNow.current() })
    mark(false)
    setState({ kind: 'text' })
  }

  const save = async (): Promise<void> => {
    if (!editor.current || !read.current || !typed.current) return
    const bytes = new TextEncoder().encode(editor.current.text())
    try {
      const { hash } = await workspace.write(path, bytes, read.current.hash)
      read.current = { bytes, hash: hash ?? '' }
      mark(false)
      setMessage({ text: 'Saved.', bad: false })
    } catch (cause) {
      const stale = cause instanceof ApiError && (cause.problem.status === 412 || cause.problem.code === 'conflict')
      setMessage({
        text: stale ? 'Not saved: the file was changed elsewhere. Take the new text, or copy yours first.' : messageOf(cause),
        bad: true,
      })
      setMoved(stale)
    }
  }
  const saveNow = useRef(save)
  saveNow.current = save

  useEffect(() => {
    let current = true
    workspace.read(path).then(
      async (file) => {
        if (!current || file.hash === read.current?.hash) return
        if (typed.current) setMoved(true)
        else await show(file)
      },
      (cause) => {
        if (!current) return
        setState({ kind: 'gone' })
        setMessage({ text: messageOf(cause), bad: true })
      },
    )
    return () => {
      current = false
    }
  }, [workspace, path, head])

  useEffect(() => () => editor.current?.destroy(), [])
  useEffect(() => {
    if (state.kind === 'text' && line !== null) editor.current?.goTo(line)
  }, [state, line])

  const reload = async (): Promise<void> => {
    setMessage(null)
    await show(await workspace.read(path))
  }

  return (
    <article class="file-panel">
      <header class="actions">
        <h2>{visible(path)}</h2>
        {dirty && <span class="quiet">changed</span>}
        <button type="button" class="primary" disabled={!dirty} onClick={() => void save()}>
          Save
        </button>
      </header>
      {moved && (
        <p class="note" role="status">
          The file was changed elsewhere.{' '}
          <button type="button" class="plain" onClick={() => void reload()}>
            Take the new text
          </button>
        </p>
      )}
      {message && (
        <p class={message.bad ? 'problem' : 'note'} role="status">
          {message.text}
        </p>
      )}
      {state.kind === 'loading' && <p class="quiet">Loading…</p>}
      {state.kind !== 'loading' && state.kind !== 'text' && state.kind !== 'gone' && (
        <p class="quiet">
          {REASONS[state.kind]} {read.current?.bytes.length.toLocaleString()} bytes.
        </p>
      )}
      <div class="editor" ref={place} hidden={state.kind !== 'text'} />
    </article>
  )
}
