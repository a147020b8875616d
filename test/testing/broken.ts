/** Storages that are wrong on purpose, each in one way, kept to show that the conformance suite notices. */
import type { Change, Content, Expect, Version } from '../../src/core/change.ts'
import { FilewrightError, isFilewrightError } from '../../src/core/errors.ts'
import type { Entry, FileSystem } from '../../src/core/file_system.ts'
import type { Hash } from '../../src/core/hash.ts'
import { nameOf, type Path, parentOf } from '../../src/core/path.ts'
import type { JournalRecord } from '../../src/core/record.ts'

/** Few enough changes in one commit that a storage which takes them one by one soon comes to the end. */
export const LIMITS = { changes: 2000 }

/** A way to be wrong, and the case that must notice. */
export interface Broken {
  /** How the name of a case begins that must fail. */
  readonly noticedBy: string
  /** Whether the random commands notice too. */
  readonly commands?: true
  make(fs: FileSystem): Partial<FileSystem>
}

export async function entryAt(fs: FileSystem, path: Path): Promise<Entry | null> {
  return fs.stat(path).catch(() => null)
}

/** The expectation that holds, whatever was expected. */
export async function holding(fs: FileSystem, path: Path): Promise<Expect> {
  const entry = await entryAt(fs, path)
  return entry?.version ? { version: entry.version } : 'absent'
}

async function unchecked(fs: FileSystem, changes: readonly Change[]): Promise<Change[]> {
  const result: Change[] = []
  for (const change of changes) result.push('expect' in change ? { ...change, expect: await holding(fs, change.path) } : change)
  return result
}

function renamed(entry: Entry, path: string): Entry {
  return { ...entry, path: path as Path }
}

/** All paths that go in are changed; what comes out is as it is stored. */
function mapPaths(fs: FileSystem, map: (path: Path) => Path): Partial<FileSystem> {
  return {
    stat: async (path, want) => renamed(await fs.stat(map(path), want), path),
    list: (dir, want) => fs.list(map(dir), want),
    open: (path) => fs.open(map(path)),
    readEach: (paths, options, visit) => fs.readEach(paths.map(map), options, visit),
    commit: (changes, draft) =>
      fs.commit(
        changes.map((change) => ({ ...change, path: map(change.path), ...(change.kind === 'move' ? { to: map(change.to) } : {}) })),
        draft,
      ),
  }
}

function editEntries(fs: FileSystem, edit: (entry: Entry) => Entry): Partial<FileSystem> {
  return {
    stat: async (path, want) => edit(await fs.stat(path, want)),
    statMany: async (paths) => (await fs.statMany(paths)).map((entry) => ('kind' in entry ? edit(entry) : entry)),
    list: async (dir, want) => (await fs.list(dir, want)).map(edit),
    async *scan(dir, options) {
      for await (const page of fs.scan(dir, options)) yield page.map(edit)
    },
  }
}

export function editRecords(fs: FileSystem, edit: (records: JournalRecord[]) => JournalRecord[]): Partial<FileSystem> {
  return { records: async (query) => edit(await fs.records(query)) }
}

export function editChanges(fs: FileSystem, edit: (change: Change) => Change | Change[]): Partial<FileSystem> {
  return { commit: (changes, draft) => fs.commit(changes.flatMap(edit), draft) }
}

export const BROKEN: { readonly [name: string]: Broken } = {
  'ignores expectations': {
    noticedBy: 'expect: ',
    commands: true,
    make: (fs) => ({ commit: async (changes, draft) => fs.commit(await unchecked(fs, changes), draft) }),
  },
  'checks expectations, awaits, then applies': {
    noticedBy: 'expect: of parallel commits',
    make: (fs) => ({
      async commit(changes, draft) {
        const [change] = changes
        const expected =
          change?.kind === 'write' && typeof change.expect === 'object' && 'hash' in change.expect ? change.expect.hash : null
        if (change && expected && (await entryAt(fs, change.path))?.hash === expected) {
          await new Promise((resolve) => setTimeout(resolve, 1))
          return fs.commit([...(await unchecked(fs, [change])), ...changes.slice(1)], draft)
        }
        return fs.commit(changes, draft)
      },
    }),
  },
  'applies one change after another': {
    noticedBy: 'all or nothing: ',
    commands: true,
    make: (fs) => ({
      async commit(changes, draft) {
        let record: JournalRecord | undefined
        for (const change of changes) record = await fs.commit([change], draft)
        return record ?? fs.commit([], draft)
      },
    }),
  },
  'makes missing parents': {
    noticedBy: 'expect: below something missing',
    commands: true,
    make: (fs) => ({
      async commit(changes, draft) {
        const parents: Change[] = []
        for (const { path } of changes.slice(0, 1)) {
          const parent = parentOf(path)
          if (!(await entryAt(fs, parent)) && (await entryAt(fs, parentOf(parent)))?.kind === 'directory') {
            parents.push({ kind: 'makeDirectory', path: parent })
          }
        }
        return fs.commit([...parents, ...changes], draft)
      },
    }),
  },
  'makes a directory that is there': {
    noticedBy: 'expect: makeDirectory on',
    commands: true,
    make: (fs) => ({
      async commit(changes, draft) {
        const needed: Change[] = []
        for (const change of changes) {
          if (change.kind !== 'makeDirectory' || (await entryAt(fs, change.path))?.kind !== 'directory') needed.push(change)
        }
        return fs.commit(needed, draft)
      },
    }),
  },
  'replaces the goal of a move': {
    noticedBy: 'move: never onto something',
    make: (fs) => ({
      async commit(changes, draft) {
        const steps: Change[] = []
        for (const change of changes) {
          if (change.kind === 'move' && change.to !== change.path && (await entryAt(fs, change.to))?.kind === 'file') {
            steps.push({ kind: 'remove', path: change.to, expect: await holding(fs, change.to) })
          }
          steps.push(change)
        }
        return fs.commit(steps, draft)
      },
    }),
  },
  'moves neighbours with the same beginning': {
    noticedBy: 'move: a directory with all',
    make: (fs) => ({
      async commit(changes, draft) {
        const steps: Change[] = []
        for (const change of changes) {
          steps.push(change)
          if (change.kind !== 'move') continue
          for (const { path } of await fs.list(parentOf(change.path)).catch(() => [])) {
            if (path === change.path || path === change.to || !path.startsWith(change.path)) continue
            steps.push({ kind: 'move', path, to: (change.to + path.slice(change.path.length)) as Path, expect: await holding(fs, path) })
          }
        }
        return fs.commit(steps, draft)
      },
    }),
  },
  'forgets modes': {
    noticedBy: 'mode: ',
    commands: true,
    make: (fs) =>
      editChanges(fs, (change) => {
        if (change.kind !== 'write' && change.kind !== 'makeDirectory') return change
        const { mode: _, ...rest } = change
        return rest as Change
      }),
  },
  'keeps set-user-id': {
    noticedBy: 'mode: only the nine',
    make: (fs) => editEntries(fs, (entry) => (entry.mode === 0o755 && entry.kind === 'file' ? { ...entry, mode: 0o4755 } : entry)),
  },
  'forgets times': {
    noticedBy: 'mtime: ',
    make: (fs) =>
      editChanges(fs, (change) => {
        if (change.kind !== 'write') return change
        const { mtimeMs: _, ...rest } = change
        return rest
      }),
  },
  'keeps no before-images': {
    noticedBy: 'before-images: ',
    commands: true,
    make: (fs) =>
      editChanges(fs, (change) =>
        'expect' in change && change.kind !== 'move' && change.kind !== 'snapshot' ? { ...change, keep: false } : change,
      ),
  },
  'keeps what it was told not to keep': {
    noticedBy: 'before-images: not kept',
    commands: true,
    make: (fs) =>
      editChanges(fs, (change) => {
        if (!('keep' in change) || change.kind === 'snapshot') return change
        const { keep: _, ...rest } = change
        return rest as Change
      }),
  },
  'drops content that something else needs': {
    noticedBy: 'before-images: what one change',
    make(fs) {
      const dropped = new Set<Hash>()
      return {
        async commit(changes, draft) {
          const record = await fs.commit(changes, draft)
          for (const { kept, before } of record.changes ?? []) if (!kept && before?.kind === 'file') dropped.add(before.hash)
          return record
        },
        async object(hash) {
          if (dropped.has(hash)) throw new FilewrightError('not_found', 'Dropped.')
          return fs.object(hash)
        },
      }
    },
  },
  'uses one backup id for all': {
    noticedBy: 'before-images: kept by hash',
    make: (fs) =>
      editChanges(fs, (change) =>
        'expect' in change && change.kind !== 'move' ? { keep: { id: '20200101T000000000Z-00000000' }, ...change } : change,
      ),
  },
  'orders lists by UTF-16': {
    noticedBy: 'list: code-point order',
    make: (fs) => ({ list: async (dir, want) => (await fs.list(dir, want)).sort((a, b) => (a.path < b.path ? -1 : 1)) }),
  },
  'orders lists as they were made': {
    noticedBy: 'list: code-point order',
    commands: true,
    make: (fs) => ({ list: async (dir, want) => (await fs.list(dir, want)).reverse() }),
  },
  'orders a scan by names': {
    noticedBy: 'scan: byte order',
    commands: true,
    make: (fs) => ({
      async *scan(dir, options) {
        const all: Entry[] = []
        for await (const page of fs.scan(dir, options)) all.push(...page)
        if (all.length > 0) yield all.sort((a, b) => (a.path < b.path ? -1 : 1))
      },
    }),
  },
  'scans one level too deep': {
    noticedBy: 'scan: maxDepth',
    make: (fs) => ({ scan: (dir, { maxDepth = 1000, ...options } = {}) => fs.scan(dir, { ...options, maxDepth: maxDepth + 1 }) }),
  },
  'enters what the filter dropped': {
    noticedBy: 'scan: what the filter drops',
    make: (fs) => ({
      async *scan(dir, { filter, ...options } = {}) {
        for await (const page of fs.scan(dir, options)) {
          const kept: Entry[] = []
          for (const entry of page) kept.push(...(filter ? await filter(parentOf(entry.path), [entry]) : [entry]))
          if (kept.length > 0) yield kept
        }
      },
    }),
  },
  'gives the filter unsorted children': {
    noticedBy: 'scan: the filter sees',
    make: (fs) => ({
      scan: (dir, { filter, ...options } = {}) =>
        fs.scan(dir, filter ? { ...options, filter: (at, children) => filter(at, children.reverse()) } : options),
    }),
  },
  'ignores the signal of a scan': {
    noticedBy: 'scan: an abort',
    make: (fs) => ({ scan: (dir, { signal: _, ...options } = {}) => fs.scan(dir, options) }),
  },
  'yields empty pages': {
    noticedBy: 'scan: ',
    commands: true,
    make: (fs) => ({
      async *scan(dir, options) {
        yield* fs.scan(dir, options)
        yield []
      },
    }),
  },
  'follows links in the middle of a path': {
    noticedBy: 'links: no method follows',
    commands: true,
    make: (fs) => ({
      async stat(path, want) {
        const parent = await entryAt(fs, parentOf(path))
        return fs.stat(parent?.kind === 'link' ? (`${parent.target}/${nameOf(path)}` as Path) : path, want)
      },
    }),
  },
  'opens the target of a link': {
    noticedBy: 'links: no method follows',
    make: (fs) => ({
      open: async (path) => {
        const entry = await entryAt(fs, path)
        return fs.open(entry?.kind === 'link' ? (entry.target as Path) : path)
      },
    }),
  },
  'says not_found for everything': {
    noticedBy: 'stat: what is missing',
    commands: true,
    make: (fs) => ({
      stat: (path, want) =>
        fs.stat(path, want).catch((error: unknown) => {
          throw isFilewrightError(error) ? new FilewrightError('not_found', 'Nothing there.') : error
        }),
    }),
  },
  'turns a failure into a value': {
    noticedBy: 'readLink: the text',
    commands: true,
    make: (fs) => ({ readLink: (path) => fs.readLink(path).catch(() => '') }),
  },
  'reads the newest version through an old reader': {
    noticedBy: 'open: a reader pins',
    commands: true,
    make: (fs) => ({
      async open(path) {
        const reader = await fs.open(path)
        return { ...reader, read: async (offset, into) => (await fs.open(path)).read(offset, into) }
      },
    }),
  },
  'loses a byte where chunks meet': {
    noticedBy: 'size: a file of several MiB',
    make: (fs) => ({
      async open(path) {
        const reader = await fs.open(path)
        const edge = 2 * 1024 * 1024
        return { ...reader, read: (offset, into) => reader.read(offset < edge && offset + into.length > edge ? offset + 1 : offset, into) }
      },
    }),
  },
  'goes on after false': {
    noticedBy: 'readEach: stops',
    make: (fs) => ({
      readEach: (paths, options, visit) =>
        fs.readEach(paths, options, (...args) => {
          visit(...args)
          return true
        }),
    }),
  },
  'skips what it cannot read': {
    noticedBy: 'readEach: files in order',
    make: (fs) => ({
      readEach: (paths, options, visit) =>
        fs.readEach(paths, options, (path, bytes, problem) => (problem ? true : visit(path, bytes, problem))),
    }),
  },
  'swallows what a visitor throws': {
    noticedBy: 'readEach: what a visitor throws',
    make: (fs) => ({ readEach: (...args) => fs.readEach(...args).catch(() => undefined) }),
  },
  'takes size and time for a version': {
    noticedBy: 'expect: a version is not fooled',
    make(fs) {
      const weak = (entry: Entry) => (entry.kind === 'file' ? { ...entry, version: `w:${entry.size}:${entry.mtimeMs}` as Version } : entry)
      const real = async (path: Path, expect: Expect): Promise<Expect> => {
        const entry = await entryAt(fs, path)
        if (typeof expect !== 'object' || !('version' in expect) || entry?.kind !== 'file' || entry.version === null) return expect
        return weak(entry).version === expect.version ? { version: entry.version } : expect
      }
      return {
        ...editEntries(fs, weak),
        async commit(changes, draft) {
          const mapped: Change[] = []
          for (const change of changes)
            mapped.push('expect' in change ? { ...change, expect: await real(change.path, change.expect) } : change)
          return fs.commit(mapped, draft)
        },
      }
    },
  },
  'gives a wrong hash': {
    noticedBy: 'stat: a file has all its facts',
    commands: true,
    make: (fs) =>
      editEntries(fs, (entry) =>
        entry.hash ? { ...entry, hash: entry.hash.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) as Hash } : entry,
      ),
  },
  'goes on using the caller’s array': {
    noticedBy: 'open: what it reads is apart',
    commands: true,
    make(fs) {
      const staged = new Map<Hash, Uint8Array>()
      const own = (content: Content): Content => {
        const bytes = content.bytes ?? staged.get(content.hash)
        return bytes ? { ...content, bytes } : content
      }
      return {
        async stage(body) {
          if (!(body instanceof Uint8Array)) return fs.stage(body)
          const content = { hash: fs.hasher.hash(body), size: body.length }
          staged.set(content.hash, body)
          return content
        },
        ...editChanges(fs, (change) => (change.kind === 'write' ? { ...change, content: own(change.content) } : change)),
      }
    },
  },
  'stages half a body': {
    noticedBy: 'stage: a body that breaks off',
    make: (fs) => ({
      async stage(body) {
        if (body instanceof Uint8Array) return fs.stage(body)
        const parts: number[] = []
        try {
          for await (const part of body) parts.push(...part)
        } catch {}
        return fs.stage(Uint8Array.from(parts))
      },
    }),
  },
  'believes a wrong size': {
    noticedBy: 'commit: content that is not there',
    make: (fs) =>
      editChanges(fs, (change) =>
        change.kind === 'write' && change.content.bytes
          ? { ...change, content: { ...change.content, size: change.content.bytes.length } }
          : change,
      ),
  },
  'loses a record': {
    noticedBy: 'records: ',
    commands: true,
    make: (fs) => editRecords(fs, (records) => records.filter(({ sequence }) => sequence !== 2)),
  },
  'rewrites a record': {
    noticedBy: 'records: ',
    commands: true,
    make: (fs) => editRecords(fs, (records) => records.map((record) => ({ ...record, subject: 'someone else' }))),
  },
  'gives records oldest first': { noticedBy: 'records: newest first', make: (fs) => editRecords(fs, (records) => records.reverse()) },
  'composes names': { noticedBy: 'names: twins', make: (fs) => mapPaths(fs, (path) => path.normalize('NFC') as Path) },
  'folds case': { noticedBy: 'names: case', make: (fs) => mapPaths(fs, (path) => path.toLowerCase() as Path) },
  'stores names as UTF-8 text': {
    noticedBy: 'names: one that is not UTF-8',
    make: (fs) => mapPaths(fs, (path) => path.toWellFormed() as Path),
  },
  'trims names': { noticedBy: 'names: ', make: (fs) => mapPaths(fs, (path) => path.trim() as Path) },
  'works after close': { noticedBy: 'close: ', make: () => ({ close: async () => undefined }) },
}
