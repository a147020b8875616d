/** Approvals: which calls ask, what a person is shown, and that a grant lets exactly one call run (contract P-159, security.md 4.1). */
import { beforeEach, describe, expect, it } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import type { Path } from '../../../src/core/path.ts'
import { readAll } from '../../../src/core/read.ts'
import type { ApprovalRequest } from '../../../src/workspace/approvals/request.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import type { CallResult, Workspace, WorkspaceOptions } from '../../../src/workspace/workspace.ts'
import { STORAGES } from '../storages.ts'

const PERSON = { by: 'a person' }
const MINUTE = 60_000

let fs: FileSystem
let workspace: Workspace
let clock: number

const open = (options: Partial<WorkspaceOptions> = {}): Promise<Workspace> =>
  openWorkspace({ profile: 'fileops', fs, subject: 'agent', settings: { approval: 'risky' }, now: () => clock, ...options })
const read = async (path: string): Promise<string | null> => {
  try {
    return new TextDecoder().decode(await readAll(await fs.open(path as Path), 1e9, path))
  } catch {
    return null
  }
}
const overwrite = (content: string, more: object = {}, by: Workspace = workspace): Promise<CallResult> =>
  by.call('write_file', { file_path: 'a.txt', content, overwrite: true, force_overwrite: true, ...more })
const remove = (by: Workspace = workspace, file_path = 'a.txt'): Promise<CallResult> => by.call('delete_file', { file_path })
const batch = (operations: object[], by: Workspace = workspace): Promise<CallResult> =>
  by.call('file_ops_hub', { operation: 'batch_file_ops', config: { operations } })
/** The request that an answer waits for. */
const requestOf = async ({ approvalId }: CallResult, of: Workspace = workspace): Promise<ApprovalRequest> => {
  const request = (await of.approvals.list()).find(({ id }) => id === approvalId)
  if (!request) throw new Error('No request waits.')
  return request
}
const granted = async (answer: CallResult): Promise<ApprovalRequest> => workspace.approvals.grant(String(answer.approvalId), PERSON)
const put = async (path: string, content: string): Promise<void> => {
  const bytes = new TextEncoder().encode(content)
  const plain = await openWorkspace({ profile: 'fileops', fs, subject: 'another program' })
  await plain.importFiles([{ path, content: await plain.stage(bytes) }], { replace: true })
}

describe.each(STORAGES)('on %s', (_, emptyStorage) => {
  beforeEach(async () => {
    fs = await emptyStorage()
    clock = Date.UTC(2025, 0, 1)
    await put('a.txt', 'one\ntwo\n')
    workspace = await open()
  })

  describe('a call that asks', () => {
    it('changes nothing, and names the request that waits, once for the same call', async () => {
      const first = await overwrite('new\n')
      expect(first.error?.code).toBe('approval_required')
      expect(first.result).toMatchObject({ approval_id: first.approvalId, approval_expires_at: '2025-01-01T00:05:00.000Z' })
      expect(await read('a.txt')).toBe('one\ntwo\n')
      expect((await overwrite('new\n')).approvalId).toBe(first.approvalId)
      expect((await overwrite('other\n')).approvalId).not.toBe(first.approvalId)
      expect(await workspace.log()).toHaveLength(1)
    })

    it('runs once it is granted, and the journal names the grant', async () => {
      const { approvalId } = await overwrite('new\n')
      expect(await workspace.approvals.grant(String(approvalId), PERSON)).toMatchObject({ status: 'granted', decidedBy: 'a person' })
      const { error, changeId, approvalId: none } = await overwrite('new\n')
      expect({ error, none }).toEqual({ error: null, none: null })
      expect(await read('a.txt')).toBe('new\n')
      expect((await workspace.show('last')).record).toMatchObject({ id: changeId, approval: approvalId, subject: 'agent' })
      expect((await workspace.verify()).records).toBe(2)
      expect((await workspace.approvals.list())[0]).toMatchObject({ id: approvalId, status: 'spent' })
    })

    it('runs when its labels are worded anew', async () => {
      await granted(await overwrite('new\n', { backup_label: 'before the change' }))
      expect((await overwrite('new\n', { backup_label: 'before changing it' })).error).toBeNull()
    })

    it('is not asked about in a dry run', async () => {
      expect((await overwrite('new\n', { dry_run: true })).error).toBeNull()
      expect(await workspace.approvals.list()).toEqual([])
    })

    it('never concerns undo, redo and imports', async () => {
      await granted(await overwrite('new\n'))
      await overwrite('new\n')
      await workspace.undo('last')
      expect(await read('a.txt')).toBe('one\ntwo\n')
      await workspace.redo()
      await put('a.txt', 'imported')
      expect(await read('a.txt')).toBe('imported')
    })
  })

  describe('what is refused', () => {
    it('T1 replay: a grant lets one call run', async () => {
      const first = await overwrite('new\n')
      await granted(first)
      await overwrite('new\n')
      await workspace.undo('last')
      const again = await overwrite('new\n')
      expect(again.error?.code).toBe('approval_required')
      expect(again.approvalId).not.toBe(first.approvalId)
      await expect(workspace.approvals.grant(String(first.approvalId), PERSON)).rejects.toMatchObject({ code: 'not_found' })
      expect(await read('a.txt')).toBe('one\ntwo\n')
    })

    it('T2 other arguments', async () => {
      await granted(await overwrite('new\n'))
      for (const more of [{ create_backup: false }, { append: true, overwrite: false }, { file_path: './a.txt', content: 'new' }]) {
        expect((await overwrite('new\n', more)).error?.code).toBe('approval_required')
      }
      expect(await read('a.txt')).toBe('one\ntwo\n')
    })

    it('T3 one byte of content changed', async () => {
      await granted(await overwrite('new\n'))
      expect((await overwrite('neW\n')).error?.code).toBe('approval_required')
      expect(await read('a.txt')).toBe('one\ntwo\n')
    })

    it('T4 the file changed after the approval: stale, the grant is gone, and it is asked anew', async () => {
      const first = await remove()
      await granted(first)
      await put('a.txt', 'one\ntwo!\n')
      const stale = await remove()
      expect(stale.error?.code).toBe('approval_stale')
      expect(stale.approvalId).not.toBe(first.approvalId)
      expect((await requestOf(stale)).preview.changes[0]?.diff).toContain('-two!')
      // Not even when the file is again what was approved.
      await put('a.txt', 'one\ntwo\n')
      expect((await remove()).error?.code).toBe('approval_required')
      expect(await read('a.txt')).toBe('one\ntwo\n')
    })

    it('T5 another workspace, also one that holds a copy of the grant', async () => {
      await granted(await remove())
      const notes = await fs.notes.list('approval/')
      fs = await emptyStorage()
      await put('a.txt', 'one\ntwo\n')
      const other = await open()
      expect((await remove(other)).error?.code).toBe('approval_required')
      for (const note of await fs.notes.list('approval/')) await fs.notes.swap(note.key, note.value, null)
      for (const note of notes) await fs.notes.swap(note.key, null, note.value)
      expect((await remove(other)).error?.code).toBe('approval_stale')
      expect(await read('a.txt')).toBe('one\ntwo\n')
    })

    it('T6 another subject', async () => {
      await granted(await remove())
      const refused = await workspace.call('delete_file', { file_path: 'a.txt' }, { subject: 'other agent' })
      expect(refused.error?.code).toBe('approval_required')
      expect(await requestOf(refused)).toMatchObject({ subject: 'other agent', status: 'pending' })
      expect(await read('a.txt')).toBe('one\ntwo\n')
    })

    it('T7 an expired grant, and an expired request', async () => {
      const first = await remove()
      clock += 5 * MINUTE
      await expect(granted(first)).rejects.toMatchObject({ code: 'conflict' })
      expect((await workspace.approvals.list())[0]?.status).toBe('expired')
      const second = await remove()
      expect(second.approvalId).not.toBe(first.approvalId)
      await granted(second)
      clock += 5 * MINUTE
      expect((await remove()).error?.code).toBe('approval_required')
      expect(await read('a.txt')).toBe('one\ntwo\n')
    })

    it('T8 a denied call, until the denial expires', async () => {
      const first = await remove()
      await workspace.approvals.deny(String(first.approvalId), PERSON)
      for (let i = 0; i < 3; i++) expect(await remove()).toMatchObject({ error: { code: 'approval_denied' }, approvalId: null })
      await expect(granted(first)).rejects.toMatchObject({ code: 'conflict' })
      clock += 5 * MINUTE
      expect((await remove()).error?.code).toBe('approval_required')
      expect(await read('a.txt')).toBe('one\ntwo\n')
    })

    it('T9 another policy of the operator', async () => {
      await granted(await remove())
      const changed = await open({ settings: { approval: 'risky', portableNames: true } })
      expect((await remove(changed)).error?.code).toBe('approval_stale')
      expect((await remove()).error?.code).toBe('approval_required')
      expect(await read('a.txt')).toBe('one\ntwo\n')
    })

    it('T10 two uses at once: exactly one runs', async () => {
      // A backup changes nothing that the next one would expect: only the grant stands between them.
      const call = (by: Workspace) => batch([{ operation: 'backup_file', path: 'a.txt' }], by)
      await granted(await call(workspace))
      // Each has read the grant before one of them uses it up.
      const { notes } = fs
      const list: typeof notes.list = async (prefix) => {
        const found = await notes.list(prefix)
        await new Promise((resolve) => setTimeout(resolve, 20))
        return found
      }
      const slow = { ...fs, notes: { ...notes, list } }
      const users = await Promise.all([1, 2, 3].map(() => open({ fs: slow })))
      const answers = await Promise.all(users.map(call))
      expect(answers.filter(({ error }) => error === null)).toHaveLength(1)
      expect((await workspace.log()).filter(({ record }) => record.approval !== undefined)).toHaveLength(1)
    })

    it('T12 a batch with one item more', async () => {
      const items = [{ operation: 'delete_file', path: 'a.txt' }]
      await granted(await batch(items))
      const more = [...items, { operation: 'create_file', path: 'b.txt', config: { content: 'x' } }]
      expect((await batch(more)).error?.code).toBe('approval_required')
      expect([await read('a.txt'), await read('b.txt')]).toEqual(['one\ntwo\n', null])
      expect((await batch(items)).error).toBeNull()
    })

    it('T11 approval by the subject that asked', async () => {
      const { approvalId } = await remove()
      for (const decide of [workspace.approvals.grant, workspace.approvals.deny]) {
        await expect(decide(String(approvalId), { by: 'agent' })).rejects.toMatchObject({ code: 'permission_denied' })
      }
      expect((await remove()).error?.code).toBe('approval_required')
    })

    it('a grant that was taken back', async () => {
      const { approvalId } = await remove()
      await workspace.approvals.grant(String(approvalId), PERSON)
      await workspace.approvals.deny(String(approvalId), PERSON)
      expect((await remove()).error?.code).toBe('approval_denied')
    })

    it('a request whose preview was changed where it is stored', async () => {
      const { approvalId } = await remove()
      const [note] = await fs.notes.list('approval/')
      await fs.notes.swap(String(note?.key), String(note?.value), String(note?.value).replace('-two', '-2'))
      await expect(workspace.approvals.grant(String(approvalId), PERSON)).rejects.toMatchObject({ code: 'not_found' })
      expect((await remove()).approvalId).not.toBe(approvalId)
    })

    it('ids that are none', async () => {
      for (const id of ['', 'last', '../workspace/id', '0000000000000000-0000000000000000', 'x'.repeat(500)]) {
        await expect(workspace.approvals.grant(id, PERSON)).rejects.toMatchObject({ code: 'not_found' })
      }
    })
  })
})
