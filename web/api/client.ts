/** The HTTP interface as functions; the same for a server and for the tab's own memory. */
import type {
  ApprovalAnswer,
  ApprovalList,
  ChangePage,
  ChangesPage,
  FileAnswer,
  HashList,
  ImportRequest,
  MissingAnswer,
  RecordAnswer,
  StoredAnswer,
  ToolAnswer,
  TreeEntry,
  TreePage,
  VerifyAnswer,
  WorkspaceEntry,
  WorkspaceInfo,
  WorkspaceList,
} from '../../src/http/routes.ts'
import type { ApprovalRequest } from '../../src/workspace/approvals/request.ts'
import { readEvents, type Watcher } from './events.ts'
import { failure, json, type Transport, type TransportRequest } from './transport.ts'

/** A file as it was read; the hash is what a later write must name. */
export interface OpenFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly hash: string
}

/** What a person says to a request for approval. */
export type Decision = 'grant' | 'deny'

/** The index of workspaces. */
export interface Client {
  list(): Promise<readonly WorkspaceEntry[]>
  create(name: string): Promise<WorkspaceEntry>
  remove(id: string): Promise<void>
  open(entry: WorkspaceEntry): WorkspaceClient
}

/** One workspace. */
export interface WorkspaceClient {
  readonly entry: WorkspaceEntry
  info(): Promise<WorkspaceInfo>
  /** All children of a directory. */
  tree(path: string): Promise<TreeEntry[]>
  read(path: string): Promise<OpenFile>
  /** Replaces the file that still has the hash; a null hash creates it. */
  write(path: string, bytes: Uint8Array<ArrayBuffer>, hash: string | null): Promise<FileAnswer>
  /** A failed call is an answer too. */
  call(tool: string, args: object): Promise<ToolAnswer>
  changes(before: number | null): Promise<ChangesPage>
  change(which: string | number, offset: number): Promise<ChangePage>
  undo(which: string | number): Promise<RecordAnswer>
  redo(): Promise<RecordAnswer>
  verify(): Promise<VerifyAnswer>
  missing(list: HashList): Promise<MissingAnswer>
  sendContent(frames: Uint8Array<ArrayBuffer>, signal?: AbortSignal): Promise<StoredAnswer>
  finishImport(request: ImportRequest): Promise<RecordAnswer>
  /** What waits for a person, and what was decided lately; newest first. */
  approvals(): Promise<readonly ApprovalRequest[]>
  decide(id: string, decision: Decision): Promise<ApprovalRequest>
  /** Tells the watcher of what happens, until the signal. */
  watch(watcher: Watcher, signal: AbortSignal): void
}

const sent = (method: string, value: object): TransportRequest => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

/** A client over a transport. */
export function createClient(send: Transport): Client {
  return {
    list: async () => (await json<WorkspaceList>(send('/workspaces'))).workspaces,
    create: (name) => json(send('/workspaces', sent('POST', { name }))),
    async remove(id) {
      const response = await send(`/workspaces/${id}`, { method: 'DELETE' })
      if (!response.ok) throw await failure(response)
    },
    open: (entry) => openWorkspaceClient(send, entry),
  }
}

function openWorkspaceClient(send: Transport, entry: WorkspaceEntry): WorkspaceClient {
  const at = `/workspaces/${entry.id}`
  const fileAt = (path: string): string => `${at}/files/${path.split('/').map(encodeURIComponent).join('/')}`
  return {
    entry,
    info: () => json(send(`${at}/info`)),
    async tree(path) {
      const entries: TreeEntry[] = []
      for (let after: string | null = ''; after !== null; ) {
        const query: string = new URLSearchParams({ path: path === '' ? '.' : path, ...(after === '' ? {} : { after }) }).toString()
        const page: TreePage = await json<TreePage>(send(`${at}/tree?${query}`))
        entries.push(...page.entries)
        after = page.next
      }
      return entries
    },
    async read(path) {
      const response = await send(fileAt(path))
      if (!response.ok) throw await failure(response)
      const hash = (response.headers.get('etag') ?? '').replaceAll('"', '')
      return { bytes: new Uint8Array(await response.arrayBuffer()), hash }
    },
    write: (path, bytes, hash) =>
      json(
        send(fileAt(path), { method: 'PUT', headers: hash === null ? { 'if-none-match': '*' } : { 'if-match': `"${hash}"` }, body: bytes }),
      ),
    async call(tool, args) {
      const response = await send(`${at}/tools/${encodeURIComponent(tool)}`, sent('POST', args))
      const answer = (await response.clone().json()) as Partial<ToolAnswer>
      if (answer.result === undefined) throw await failure(response)
      return answer as ToolAnswer
    },
    changes: (before) => json(send(`${at}/changes${before === null ? '' : `?before=${before}`}`)),
    change: (which, offset) => json(send(`${at}/changes/${which}?offset=${offset}`)),
    undo: (which) => json(send(`${at}/changes/${which}/undo`, { method: 'POST' })),
    redo: () => json(send(`${at}/redo`, { method: 'POST' })),
    verify: () => json(send(`${at}/verify`, { method: 'POST' })),
    missing: (list) => json(send(`${at}/import/missing`, sent('POST', list))),
    sendContent: (body, signal) =>
      json(
        send(`${at}/import/content`, {
          method: 'POST',
          headers: { 'content-type': 'application/octet-stream' },
          body,
          ...(signal ? { signal } : {}),
        }),
      ),
    finishImport: (request) => json(send(`${at}/import`, sent('POST', request))),
    approvals: async () => (await json<ApprovalList>(send(`${at}/approvals`))).approvals,
    decide: async (id, decision) => (await json<ApprovalAnswer>(send(`${at}/approvals/${id}/${decision}`, { method: 'POST' }))).approval,
    watch: (watcher, signal) => void readEvents((headers) => send(`${at}/events`, { headers, signal }), watcher, signal),
  }
}
