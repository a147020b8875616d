/** When a person is asked, by whom, with what preview, and what becomes of a grant when the commit fails (contract P-159, W-7). */
import { beforeEach, describe, expect, it } from 'vitest'
import { FilewrightError } from '../../../src/core/errors.ts'
import type { FileSystem } from '../../../src/core/file_system.ts'
import type { Path } from '../../../src/core/path.ts'
import { canonicalJson } from '../../../src/core/record.ts'
import { createMemoryFs } from '../../../src/fs/memory.ts'
import type { ApprovalPreview, ApprovalRequest, ApprovalVerdict } from '../../../src/workspace/approvals/request.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import type { CallResult, OperatorSettings, Workspace, WorkspaceEvent, WorkspaceOptions } from '../../../src/workspace/workspace.ts'

const PERSON = { by: 'a person' }

let fs: FileSystem

const open = (settings: OperatorSettings = {}, options: Partial<WorkspaceOptions> = {}): Promise<Workspace> =>
  openWorkspace({ profile: 'fileops', fs, subject: 'agent', settings, ...options })
const hub = (workspace: Workspace, operation: string, path?: string, config?: object): Promise<CallResult> =>
  workspace.call('file_ops_hub', { operation, ...(path !== undefined && { path }), ...(config && { config }) })
const codeOf = ({ error }: CallResult): string | null => error?.code ?? null
const there = async (path: string): Promise<boolean> =>
  fs.stat(path as Path).then(
    () => true,
    () => false,
  )
const previewOf = async (workspace: Workspace): Promise<ApprovalPreview> =>
  ((await workspace.approvals.list())[0] as ApprovalRequest).preview
const grantLast = async (workspace: Workspace): Promise<ApprovalRequest> =>
  workspace.approvals.grant(String((await workspace.approvals.list())[0]?.id), PERSON)

beforeEach(async () => {
  fs = createMemoryFs()
  const plain = await openWorkspace({ profile: 'fileops', fs })
  for (const [file_path, content] of [
    ['a.txt', 'one\ntwo\n'],
    ['b.txt', 'b\n'],
    ['dist/c.txt', 'c\n'],
  ]) {
    await plain.call('write_file', { file_path, content })
  }
})

describe('the modes', () => {
  const batch = (...operations: object[]) => ['batch_file_ops', undefined, { operations }] as const
  const small: readonly (readonly [string, string | undefined, object?])[] = [
    ['write_file', 'new/file.txt', { content: 'x' }],
    ['create_file', 'new.txt', { content: 'x' }],
    ['edit_file', 'a.txt', { replacements: [{ old_content: 'one', new_content: '1' }] }],
    ['create_directory', 'newdir'],
    ['copy_file', 'a.txt', { destination_path: 'copy.txt' }],
    ['backup_file', 'a.txt'],
  ]
  const large: typeof small = [
    ['write_file', 'a.txt', { content: 'x', overwrite: true, force_overwrite: true }],
    ['write_file', 'a.txt', { content: 'x', append: true }],
    ['write_file', 'b.txt', { content: 'y', overwrite: true, force_overwrite: true, create_backup: false }],
    ['edit_file', 'b.txt', { replacements: [{ old_content: 'b', new_content: '1' }], create_backup: false }],
    ['write_file', '.env', { content: 'x', allow_sensitive: true }],
    ['write_file', 'ignorable.txt', { content: 'x', allow_ignored: true }],
    batch({ operation: 'create_file', path: 'n.txt', config: { content: 'x' } }),
  ]
  const always: typeof small = [
    ['delete_file', 'dist/c.txt'],
    ['move_file', 'b.txt', { destination_path: 'moved.txt' }],
    batch({ operation: 'delete_file', path: 'b.txt' }),
  ]

  it('risky, the default of the hub: what is small and reversible runs, all else asks (T-P-HB-10)', async () => {
    const workspace = await open()
    for (const call of [...large, ...always]) expect([call, codeOf(await hub(workspace, ...call))]).toEqual([call, 'approval_required'])
    for (const call of small) expect([call, codeOf(await hub(workspace, ...call))]).toEqual([call, null])
  })

  it('off: what cannot be made small still asks in the hub (T-P-HB-11)', async () => {
    const workspace = await open({ approval: 'off' })
    for (const call of always) expect([call, codeOf(await hub(workspace, ...call))]).toEqual([call, 'approval_required'])
    for (const call of [...small, ...large.slice(0, 3)]) expect([call, codeOf(await hub(workspace, ...call))]).toEqual([call, null])
  })

  it('a rollback is asked about even where it finds nothing to do; a batch that fails is not', async () => {
    for (const settings of [{}, { approval: 'off' }] as const) {
      const workspace = await open(settings)
      const { backup_id } = (await workspace.call('backup_file', { file_path: 'a.txt' })).result
      const call = () => hub(workspace, 'rollback_file', 'a.txt', { backup_id })
      expect(codeOf(await call())).toBe('approval_required')
      await grantLast(workspace)
      expect(codeOf(await call())).toBeNull()
      expect(codeOf(await call())).toBe('approval_required')
      const failing = [
        { operation: 'delete_file', path: 'a.txt' },
        { operation: 'delete_file', path: 'none.txt' },
      ]
      expect(codeOf(await hub(workspace, ...batch(...failing)))).toBe('not_found')
    }
  })

  it('off, the default of single tools: nothing asks', async () => {
    for (const workspace of [await open(), await open({ approval: 'off' })]) {
      const path = `${Math.random()}.txt`
      await workspace.call('write_file', { file_path: path, content: 'x' })
      expect(codeOf(await workspace.call('delete_file', { file_path: path }))).toBeNull()
    }
  })

  it('risky, given, holds for single tools too', async () => {
    const workspace = await open({ approval: 'risky' })
    expect(codeOf(await workspace.call('delete_file', { file_path: 'a.txt' }))).toBe('approval_required')
    expect(codeOf(await workspace.call('write_file', { file_path: 'new.txt', content: 'x' }))).toBeNull()
  })

  it('trusted: what a rule covers runs, also what is always asked; all else as risky', async () => {
    const rules = [{ operations: ['delete_file', 'batch_file_ops', 'create_file'], paths: ['dist/'], subjects: ['agent'] }]
    const workspace = await open({ approval: 'trusted', trustPolicy: { version: 1, rules } })
    for (const call of [...large, ...always.slice(1)]) expect(codeOf(await hub(workspace, ...call))).toBe('approval_required')
    for (const call of small) expect(codeOf(await hub(workspace, ...call))).toBeNull()
    expect(codeOf(await hub(workspace, ...batch({ operation: 'create_file', path: 'dist/d.txt', config: { content: 'x' } })))).toBeNull()
    const partly = [
      { operation: 'delete_file', path: 'dist/d.txt' },
      { operation: 'delete_file', path: 'a.txt' },
    ]
    expect(codeOf(await hub(workspace, ...batch(...partly)))).toBe('approval_required')
    const other = { operation: 'delete_file', path: 'dist/d.txt' }
    expect(codeOf(await workspace.call('file_ops_hub', other, { subject: 'somebody else' }))).toBe('approval_required')
    expect(codeOf(await workspace.call('delete_file', { file_path: 'dist/c.txt' }))).toBeNull()
    expect(codeOf(await hub(workspace, 'delete_file', 'dist/d.txt'))).toBeNull()
  })

  it('trusted needs a policy that is one', async () => {
    await expect(open({ approval: 'trusted' })).rejects.toMatchObject({ code: 'invalid_argument' })
    const wrong = { version: 1, rules: [{ operations: ['x'], paths: ['[a'] }] } as const
    await expect(open({ approval: 'trusted', trustPolicy: wrong })).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('no argument of a call reaches them', async () => {
    const workspace = await open({ approval: 'risky' })
    for (const more of [{ approval: 'off' }, { require_approval: false }, { approve: true }, { trustPolicy: {} }, { subject: 'root' }]) {
      expect(codeOf(await workspace.call('delete_file', { file_path: 'a.txt', ...more }))).toBe('invalid_argument')
      expect(codeOf(await hub(workspace, 'delete_file', 'a.txt', more))).toBe('invalid_argument')
    }
    expect(await there('a.txt')).toBe(true)
  })
})

describe('a host that is asked', () => {
  const answering =
    (verdict: ApprovalVerdict, asked: ApprovalRequest[] = []) =>
    async (request: ApprovalRequest) => {
      asked.push(request)
      return verdict
    }

  it('approves: the call runs, and the journal names the grant (T-P-HB-10)', async () => {
    const asked: ApprovalRequest[] = []
    const workspace = await open({}, { approve: answering('approved', asked) })
    expect(codeOf(await hub(workspace, 'delete_file', 'a.txt'))).toBeNull()
    expect(asked).toMatchObject([{ tool: 'delete_file', subject: 'agent', preview: { count: 1 } }])
    expect((await workspace.show('last')).record.approval).toBe(asked[0]?.id)
    expect((await workspace.approvals.list())[0]).toMatchObject({ status: 'spent', decidedBy: 'host' })
  })

  it('denies: approval_denied, and is not asked again (T-P-HB-10)', async () => {
    const asked: ApprovalRequest[] = []
    const workspace = await open({}, { approve: answering('denied', asked) })
    for (let i = 0; i < 2; i++) expect(codeOf(await hub(workspace, 'delete_file', 'a.txt'))).toBe('approval_denied')
    expect(asked).toHaveLength(1)
    expect(await there('a.txt')).toBe(true)
  })

  it('leaves it to somebody else, or fails: the request waits', async () => {
    const failures: unknown[] = []
    const broken = async () => {
      throw new Error('no display')
    }
    for (const approve of [answering('pending'), broken]) {
      const workspace = await open({}, { approve, onFailure: (error) => failures.push(error) })
      expect(codeOf(await hub(workspace, 'delete_file', 'a.txt'))).toBe('approval_required')
      expect((await workspace.approvals.list())[0]?.status).toBe('pending')
    }
    expect(failures).toHaveLength(1)
  })

  it("the call's own callback wins", async () => {
    const workspace = await open({}, { approve: answering('denied') })
    const call = { operation: 'delete_file', path: 'a.txt' }
    expect(codeOf(await workspace.call('file_ops_hub', call, { approve: answering('approved') }))).toBeNull()
  })

  it('does not hold up other calls, and what changed meanwhile makes the grant stale', async () => {
    const thinking = Promise.withResolvers<ApprovalVerdict>()
    const workspace = await open({}, { approve: () => thinking.promise })
    const waiting = hub(workspace, 'delete_file', 'a.txt')
    expect(codeOf(await hub(workspace, 'edit_file', 'a.txt', { replacements: [{ old_content: 'one', new_content: '1' }] }))).toBeNull()
    thinking.resolve('approved')
    expect(codeOf(await waiting)).toBe('approval_stale')
    expect(await there('a.txt')).toBe(true)
  })

  it('is not waited for once the call is canceled', async () => {
    const stop = new AbortController()
    const workspace = await open({}, { approve: () => new Promise(() => {}) })
    const waiting = workspace.call('file_ops_hub', { operation: 'delete_file', path: 'a.txt' }, { signal: stop.signal })
    await expect.poll(async () => (await workspace.approvals.list()).length).toBe(1)
    stop.abort()
    expect(codeOf(await waiting)).toBe('approval_required')
  })
})

describe('the preview', () => {
  it('shows every change on top of those before it', async () => {
    const workspace = await open()
    const edit = (old_content: string, new_content: string) => ({ replacements: [{ old_content, new_content }] })
    await hub(workspace, 'batch_file_ops', undefined, {
      operations: [
        { operation: 'edit_file', path: 'a.txt', config: edit('one', 'ONE') },
        { operation: 'edit_file', path: 'a.txt', config: edit('ONE', 'first') },
        { operation: 'move_file', path: 'a.txt', config: { destination_path: 'z.txt' } },
        { operation: 'delete_file', path: 'z.txt', config: { create_backup: false } },
        { operation: 'copy_file', path: 'b.txt', config: { destination_path: 'new/b.txt' } },
      ],
    })
    const { changes, count, truncated } = await previewOf(workspace)
    expect({ count: changes.length, truncated }).toEqual({ count, truncated: false })
    const shown = (kind: string) => changes.filter((change) => change.kind === kind)
    expect(shown('write').map(({ diff }) => diff?.split('\n').slice(3))).toEqual([
      ['-one', '+ONE', ' two', ''],
      ['-ONE', '+first', ' two', ''],
    ])
    expect(shown('move')).toMatchObject([{ path: 'a.txt', to: 'z.txt', diff: null }])
    expect(shown('remove')).toMatchObject([
      { path: 'z.txt', diff: expect.stringContaining('-first'), kept: false, bytesBefore: 10, bytesAfter: null },
    ])
    expect(shown('copy')).toMatchObject([{ path: 'new/b.txt', from: 'b.txt', diff: expect.stringContaining('+b') }])
  })

  it('marks what could deceive, in names too, and its hash proves it', async () => {
    const workspace = await open()
    await workspace.importFiles([{ path: 'dir', directory: true }])
    await hub(workspace, 'write_file', 'b.txt', { content: 'is\u200bAdmin \u202e', overwrite: true, force_overwrite: true })
    const [request] = await workspace.approvals.list()
    expect(request?.preview.changes[0]).toMatchObject({
      diff: expect.stringContaining('+is⟦U+200B⟧Admin ⟦U+202E⟧'),
      warnings: ['Hidden or reordering characters: U+200B, U+202E.'],
    })
    expect(request?.previewHash).toBe(fs.hasher.hash(new TextEncoder().encode(canonicalJson(request?.preview))))
  })

  it('fits into its note, whatever the changes hold', async () => {
    const workspace = await open()
    const texts = [
      '\u202e'.repeat(100_000),
      '\r'.repeat(100_000),
      '漢'.repeat(100_000),
      '"\\'.repeat(50_000),
      `a${'\u0430'.repeat(100_000)}`,
    ]
    for (const content of texts) {
      const operations = Array.from({ length: 20 }, (_, i) => ({
        operation: 'write_file',
        path: `${'\u540d'.repeat(80)}/${i}.txt`,
        config: { content },
      }))
      expect(codeOf(await hub(workspace, 'batch_file_ops', undefined, { operations }))).toBe('approval_required')
      const { changes, truncated } = await previewOf(workspace)
      expect(truncated).toBe(true)
      expect(changes.length).toBeGreaterThan(1)
    }
  })

  it('is bounded, and says what is left out', async () => {
    const workspace = await open()
    const line = `${'x'.repeat(99)}\n`
    const operations = Array.from({ length: 150 }, (_, i) => ({
      operation: 'write_file',
      path: `n/${i}.txt`,
      config: { content: line.repeat(30) },
    }))
    await hub(workspace, 'batch_file_ops', undefined, { operations: [...operations, { operation: 'delete_file', path: 'b.txt' }] })
    const { changes, truncated } = await previewOf(workspace)
    expect(truncated).toBe(true)
    expect(JSON.stringify(changes).length).toBeLessThan(257 * 1024)
    expect(changes.at(-1)?.note).toBe('The diff is cut.')
    await hub(workspace, 'write_file', 'a.txt', { content: line.repeat(2000), overwrite: true, force_overwrite: true })
    expect(await previewOf(workspace)).toMatchObject({
      truncated: true,
      changes: [{ note: 'The diff is cut.', bytesBefore: 8, bytesAfter: 200000 }],
    })
  })
})

describe('a grant and a commit that fails', () => {
  /** A storage whose next commit does something else first. */
  const commitAfter = (act: () => Promise<void>): FileSystem => {
    let first = true
    const inner = fs
    return {
      ...inner,
      async commit(changes, draft) {
        if (first && draft.kind === 'call') {
          first = false
          await act()
        }
        return inner.commit(changes, draft)
      },
    }
  }

  it('is used up before the commit: a failure says so, and the next call asks', async () => {
    fs = commitAfter(async () => {
      throw new FilewrightError('no_space', 'The storage is full.')
    })
    const workspace = await open()
    await hub(workspace, 'delete_file', 'a.txt')
    const { id } = await grantLast(workspace)
    const failed = await hub(workspace, 'delete_file', 'a.txt')
    expect(failed.error).toMatchObject({ code: 'no_space', message: expect.stringContaining(`${id} was used up`) })
    expect(codeOf(await hub(workspace, 'delete_file', 'a.txt'))).toBe('approval_required')
  })

  it('is not used twice when another commit comes between: stale, and asked anew', async () => {
    const other = await openWorkspace({ profile: 'fileops', fs })
    fs = commitAfter(async () => {
      await other.call('edit_file', { file_path: 'a.txt', replacements: [{ old_content: 'one', new_content: '1' }] })
    })
    const workspace = await open()
    await hub(workspace, 'delete_file', 'a.txt')
    const { id } = await grantLast(workspace)
    const stale = await hub(workspace, 'delete_file', 'a.txt')
    expect(codeOf(stale)).toBe('approval_stale')
    expect(stale.approvalId).not.toBe(id)
    expect(await there('a.txt')).toBe(true)
    await workspace.approvals.grant(String(stale.approvalId), PERSON)
    expect(codeOf(await hub(workspace, 'delete_file', 'a.txt'))).toBeNull()
  })

  it('is not used up by a call that was canceled before it', async () => {
    const workspace = await open()
    await hub(workspace, 'delete_file', 'a.txt')
    await grantLast(workspace)
    const call = { operation: 'delete_file', path: 'a.txt' }
    expect(codeOf(await workspace.call('file_ops_hub', call, { signal: AbortSignal.abort() }))).toBe('canceled')
    expect(codeOf(await hub(workspace, 'delete_file', 'a.txt'))).toBeNull()
  })
})

describe('requests', () => {
  it('tell listeners of each step', async () => {
    const workspace = await open()
    const events: WorkspaceEvent[] = []
    workspace.subscribe((event) => events.push(event))
    await hub(workspace, 'delete_file', 'a.txt')
    await grantLast(workspace)
    await hub(workspace, 'delete_file', 'a.txt')
    expect(events.map((event) => (event.type === 'approval' ? event.request.status : event.type))).toEqual([
      'pending',
      'granted',
      'spent',
      'change',
    ])
  })

  it('are bounded: when too many wait, the next call is refused until some end', async () => {
    let now = Date.UTC(2025, 0, 1)
    const workspace = await open({ approval: 'risky' }, { now: () => now })
    const ask = (content: string) => workspace.call('write_file', { file_path: 'a.txt', content, overwrite: true, force_overwrite: true })
    for (let i = 0; i < 100; i++) expect(codeOf(await ask(`${i}`))).toBe('approval_required')
    expect(codeOf(await ask('one more'))).toBe('quota_exceeded')
    now += 5 * 60_000
    expect(codeOf(await ask('one more'))).toBe('approval_required')
    now += 3 * 60 * 60_000
    await ask('much later')
    expect(await workspace.approvals.list()).toHaveLength(1)
  })

  it('are forgotten by a purge: what they show may be what it is for', async () => {
    const workspace = await open()
    await hub(workspace, 'delete_file', 'b.txt')
    await workspace.call('delete_file', { file_path: 'a.txt' })
    await workspace.purge({ path: 'a.txt' })
    expect(await workspace.approvals.list()).toEqual([])
  })

  it('wait as long as the host says', async () => {
    let now = Date.UTC(2025, 0, 1)
    const workspace = await open({ approval: 'risky' }, { now: () => now, approvalMs: 1000 })
    await workspace.call('delete_file', { file_path: 'a.txt' })
    now += 999
    const granted = await grantLast(workspace)
    expect(granted.expiresMs).toBe(now + 1000)
    now += 999
    expect(codeOf(await workspace.call('delete_file', { file_path: 'a.txt' }))).toBeNull()
  })
})
