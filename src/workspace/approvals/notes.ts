/** How requests are stored: one note for each call that asked, swapped as a whole, so that of several deciders one succeeds. */
import { FilewrightError } from '../../core/errors.ts'
import type { FileSystem } from '../../core/file_system.ts'
import type { Hash } from '../../core/hash.ts'
import { hashJson } from './digest.ts'
import type { ApprovalRequest } from './request.ts'

const GROUP = 'approval/'
/** Digits of a call's hash in its key, and of a request's own in its id. */
const KEY_DIGITS = 16
/** How long a request is kept after its end, in milliseconds. */
const KEEP_MS = 60 * 60 * 1000
/** Most requests that wait at once: nobody reads more, and each takes room. */
const MOST_WAITING = 100

/** A request as it is stored, with the very text, which is what the next swap replaces. */
export interface Kept {
  readonly key: string
  readonly text: string | null
  readonly request: ApprovalRequest | null
}

/** The stored requests of one workspace. */
export interface ApprovalNotes {
  /** The newest request of a call, if any. */
  find(call: Hash): Promise<Kept>
  /** The request of an id. Throws `not_found`. */
  findById(id: string): Promise<Kept & { readonly request: ApprovalRequest }>
  list(): Promise<ApprovalRequest[]>
  /** An id for a new request of a call. */
  newId(call: Hash): string
  /** Puts a request in the place of what was found; false when somebody else was faster. */
  replace(found: Kept, request: ApprovalRequest): Promise<boolean>
  /** Forgets old requests. Throws `quota_exceeded` when too many wait. */
  makeRoom(now: number): Promise<void>
  /** The workspace's own random id, made when first asked for. */
  workspaceId(): Promise<string>
}

/** Whether a request still counts. */
export function isLive({ status, expiresMs }: ApprovalRequest, now: number): boolean {
  return now < expiresMs && (status === 'pending' || status === 'granted' || status === 'denied')
}

/** Forgets all requests, decided or not: what they show may be what history was made to forget. Their calls ask anew. */
export async function forgetRequests({ notes }: FileSystem): Promise<void> {
  for (const { key, value } of await notes.list(GROUP)) await notes.swap(key, value, null)
}

export function createApprovalNotes(fs: FileSystem): ApprovalNotes {
  const { notes } = fs
  let workspace: Promise<string> | null = null

  /** Null for what is no request, or shows other changes than it did when it was made: nobody can grant it, and it is asked anew. */
  function parse(text: string): ApprovalRequest | null {
    try {
      const request: ApprovalRequest = JSON.parse(text)
      return request.previewHash === hashJson(fs, request.preview) ? request : null
    } catch {
      return null
    }
  }

  async function read(key: string): Promise<Kept> {
    const note = (await notes.list(key)).find((one) => one.key === key)
    return note ? { key, text: note.value, request: parse(note.value) } : { key, text: null, request: null }
  }

  async function readId(): Promise<string> {
    const key = 'workspace/id'
    for (;;) {
      const note = (await notes.list(key)).find((one) => one.key === key)
      if (note) return note.value
      await notes.swap(key, null, randomHex(16))
    }
  }

  return {
    find: (call) => read(GROUP + call.slice(0, KEY_DIGITS)),
    async findById(id) {
      const kept = /^[0-9a-f]{16}-[0-9a-f]{16}$/.test(id) ? await read(GROUP + id.slice(0, KEY_DIGITS)) : null
      const { request } = kept ?? {}
      if (!kept || request?.id !== id) {
        throw new FilewrightError(
          'not_found',
          `There is no request ${id}, or its call was made again with other changes: list the requests.`,
        )
      }
      return { ...kept, request }
    },
    async list() {
      const requests = (await notes.list(GROUP)).map(({ value }) => parse(value)).filter((request) => request !== null)
      return requests.sort((a, b) => b.createdMs - a.createdMs)
    },
    newId: (call) => `${call.slice(0, KEY_DIGITS)}-${randomHex(KEY_DIGITS / 2)}`,
    replace: (found, request) => notes.swap(found.key, found.text, JSON.stringify(request)),
    async makeRoom(now) {
      let waiting = 0
      for (const { key, value } of await notes.list(GROUP)) {
        const request = parse(value)
        if (!request || request.expiresMs + KEEP_MS < now) await notes.swap(key, value, null)
        else if (request.status === 'pending' && isLive(request, now)) waiting++
      }
      if (waiting >= MOST_WAITING) throw new FilewrightError('quota_exceeded', `${waiting} requests wait for a person already.`)
    },
    workspaceId() {
      workspace ??= readId().catch((error) => {
        workspace = null
        throw error
      })
      return workspace
    },
  }
}

function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
