/** Chooses or takes a dropped folder and brings it in. */
import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { createWasmHasher } from '../../src/fs/wasm_hasher.ts'
import { chosenFolder, droppedFolder } from '../api/choose_folder.ts'
import type { WorkspaceClient } from '../api/client.ts'
import { type ChosenFolder, type ImportProgress, importFolder } from '../api/import_folder.ts'
import { messageOf } from '../api/transport.ts'

const STEPS = { hashing: 'Reading', asking: 'Comparing', sending: 'Sending', finishing: 'Finishing' }

/** A dialog that stays until the import is done or given up. */
export function ImportDialog({ workspace, close }: { readonly workspace: WorkspaceClient; readonly close: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const stop = useRef<AbortController | null>(null)
  const [progress, setProgress] = useState<ImportProgress | null>(null)
  const [dependencies, setDependencies] = useState(false)
  const [replace, setReplace] = useState(false)
  const [error, setError] = useState<string | null>(null)

  useEffect(() => dialog.current?.showModal(), [])

  const run = async (choose: () => ChosenFolder | Promise<ChosenFolder>): Promise<void> => {
    stop.current = new AbortController()
    setError(null)
    try {
      const folder = await choose()
      if (folder.files.length + folder.directories.length === 0) throw new Error('There are no files in it.')
      await importFolder(workspace, folder, await createWasmHasher(), { replace, signal: stop.current.signal, progress: setProgress })
      close()
    } catch (cause) {
      setError(messageOf(cause))
      setProgress(null)
    }
  }
  const give = (): void => {
    stop.current?.abort(new Error('Given up; nothing was imported.'))
    if (!progress) close()
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    const items = event.dataTransfer?.items
    if (items && !progress) void run(() => droppedFolder(items, { dependencies }))
  }

  return (
    <dialog
      ref={dialog}
      class="import"
      aria-labelledby="import-title"
      onCancel={(event) => progress && event.preventDefault()}
      onClose={close}
    >
      <h2 id="import-title">Import a folder</h2>
      <label class="drop" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
        <span>Drop a folder here, or choose one. It becomes one change in the timeline.</span>
        <input
          type="file"
          aria-label="Folder"
          {...{ webkitdirectory: true }}
          multiple
          disabled={progress !== null}
          onChange={({ currentTarget: { files } }) => files && files.length > 0 && void run(() => chosenFolder(files, { dependencies }))}
        />
      </label>
      <p>
        <label>
          <input type="checkbox" checked={dependencies} onChange={(event) => setDependencies(event.currentTarget.checked)} /> with
          node_modules
        </label>{' '}
        <label>
          <input type="checkbox" checked={replace} onChange={(event) => setReplace(event.currentTarget.checked)} /> replace files that exist
        </label>
      </p>
      <p class="quiet">Git’s own files (.git) stay out.</p>
      {progress && (
        <p role="status">
          {STEPS[progress.step]}: {progress.files.toLocaleString()} of {progress.totalFiles.toLocaleString()} files,{' '}
          {megabytes(progress.bytes)} of {megabytes(progress.totalBytes)} MB
          <progress value={progress.bytes} max={Math.max(1, progress.totalBytes)} />
        </p>
      )}
      {error !== null && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      <button type="button" onClick={give}>
        Cancel
      </button>
    </dialog>
  )
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
