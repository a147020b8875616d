/** More storages that are wrong on purpose: with copies, snapshots, history and notes. */
import type { Change } from '../../src/core/change.ts'
import { type ErrorCode, FilewrightError, isFilewrightError } from '../../src/core/errors.ts'
import type { FileSystem, Notes } from '../../src/core/file_system.ts'
import type { Hash } from '../../src/core/hash.ts'
import { ROOT } from '../../src/core/path.ts'
import type { JournalRecord } from '../../src/core/record.ts'
import { type Broken, editChanges, editRecords, entryAt, holding } from './broken.ts'

function editNotes(fs: FileSystem, edit: Partial<Notes>): Partial<FileSystem> {
  return { notes: { ...fs.notes, ...edit } }
}

async function noteAt(fs: FileSystem, key: string): Promise<string | null> {
  return (await fs.notes.list(key)).find((note) => note.key === key)?.value ?? null
}

/** Takes a failure of the code for a success. */
function overlook(code: ErrorCode): (error: unknown) => void {
  return (error) => {
    if (!isFilewrightError(error, code)) throw error
  }
}

export const BROKEN_HISTORY: { readonly [name: string]: Broken } = {
  'copies what the source was before the commit': {
    noticedBy: 'copy: what an earlier step',
    commands: true,
    make: (fs) => ({
      async commit(changes, draft) {
        const steps: Change[] = []
        for (const change of changes) {
          const entry = change.kind === 'copy' ? await entryAt(fs, change.from) : null
          if (change.kind !== 'copy' || entry?.kind !== 'file' || !entry.hash || entry.size === null) steps.push(change)
          else {
            const { source: _, from: __, ...rest } = change
            const mode = change.mode ?? entry.mode
            const content = { hash: entry.hash, size: entry.size }
            steps.push({ ...rest, kind: 'write', content, ...(mode === null ? {} : { mode }) })
          }
        }
        return fs.commit(steps, draft)
      },
    }),
  },
  'copies whatever the source is': {
    noticedBy: 'copy: the source must be',
    commands: true,
    make: (fs) => ({
      async commit(changes, draft) {
        const steps: Change[] = []
        for (const change of changes) steps.push(change.kind === 'copy' ? { ...change, source: await holding(fs, change.from) } : change)
        return fs.commit(steps, draft)
      },
    }),
  },
  'looks at the source of a copy first': {
    noticedBy: 'copy: order of failures',
    make: (fs) => ({
      async commit(changes, draft) {
        const [change] = changes
        if (change?.kind === 'copy' && change.from !== change.path && (await entryAt(fs, change.from))?.kind === 'directory')
          throw new FilewrightError('is_directory', 'The source is a directory.')
        return fs.commit(changes, draft)
      },
    }),
  },
  'makes copies with the mode of new files': {
    noticedBy: 'copy: content and mode',
    commands: true,
    make: (fs) => editChanges(fs, (change) => (change.kind === 'copy' ? { mode: 0o644, ...change } : change)),
  },
  'copies a file onto itself': {
    noticedBy: 'copy: onto itself',
    make: (fs) => editChanges(fs, (change) => (change.kind === 'copy' && change.path === change.from ? [] : change)),
  },
  'takes snapshots in the record alone': {
    noticedBy: 'snapshot: kept when',
    commands: true,
    make(fs) {
      const dropped = new Set<Hash>()
      return {
        async commit(changes, draft) {
          const record = await fs.commit(changes, draft)
          for (const { kind, before } of record.changes ?? []) if (kind === 'snapshot' && before?.kind === 'file') dropped.add(before.hash)
          return record
        },
        async *contents() {
          for await (const page of fs.contents()) {
            const left = page.filter(({ hash }) => !dropped.has(hash))
            if (left.length > 0) yield left
          }
        },
        async object(hash) {
          if (dropped.has(hash)) throw new FilewrightError('not_found', 'Never kept.')
          return fs.object(hash)
        },
      }
    },
  },
  'tells of contents that only files hold': {
    noticedBy: 'contents: before-images',
    commands: true,
    make: (fs) => ({
      async *contents() {
        yield* fs.contents()
        for (const { hash, size } of await fs.list(ROOT, { stat: true })) if (hash && size !== null) yield [{ hash, size }]
      },
    }),
  },
  'forgets nothing': { noticedBy: 'forget: what history alone', commands: true, make: () => ({ forget: async () => 0 }) },
  'forgets what files hold': {
    noticedBy: 'forget: files keep',
    make(fs) {
      const gone = new Set<Hash>()
      return {
        async forget(hashes) {
          for (const hash of hashes) gone.add(hash)
          return fs.forget(hashes)
        },
        async open(path) {
          const reader = await fs.open(path)
          if (reader.entry.hash && gone.has(reader.entry.hash)) throw new FilewrightError('corrupt', 'The content is gone.')
          return reader
        },
      }
    },
  },
  'forgets the records too': {
    noticedBy: 'forget: what history alone',
    make(fs) {
      const gone = new Set<Hash>()
      const named = ({ changes }: JournalRecord) => changes?.some(({ before }) => before?.kind === 'file' && gone.has(before.hash))
      return {
        ...editRecords(fs, (records) => records.filter((record) => !named(record))),
        async forget(hashes) {
          for (const hash of hashes) gone.add(hash)
          return fs.forget(hashes)
        },
      }
    },
  },
  'forgets for good': {
    noticedBy: 'forget: what comes again',
    make(fs) {
      const gone = new Set<Hash>()
      return {
        async forget(hashes) {
          for (const hash of hashes) gone.add(hash)
          return fs.forget(hashes)
        },
        async *contents() {
          for await (const page of fs.contents()) {
            const left = page.filter(({ hash }) => !gone.has(hash))
            if (left.length > 0) yield left
          }
        },
      }
    },
  },
  'adopts into any storage': {
    noticedBy: 'adopt: only into an empty storage',
    make: (fs) => ({
      adopt: (changes, records) => fs.adopt(changes, records).catch(overlook('already_exists')),
    }),
  },
  'adopts any chain': {
    noticedBy: 'adopt: a chain that is not sound',
    make: (fs) => ({
      adopt: (changes, records) => fs.adopt(changes, records).catch(overlook('corrupt')),
    }),
  },
  'adopts files, then records': {
    noticedBy: 'adopt: all or nothing',
    make: (fs) => ({
      async adopt(changes, records) {
        await fs.adopt([], records)
        await fs.adopt(changes, [])
      },
    }),
  },
  'writes a past of its own when it adopts': {
    noticedBy: 'adopt: files, records and objects',
    make: (fs) => ({
      async adopt(changes, [record]) {
        if (record) await fs.commit(changes, { id: record.id, time: record.time, kind: 'import', subject: '', tool: '', call: null })
      },
    }),
  },
  'keeps nothing of what it adopts': {
    noticedBy: 'adopt: what was staged and the records name',
    make: (fs) => ({
      async adopt(changes, records) {
        await fs.adopt(changes, records)
        for await (const page of fs.contents()) await fs.forget(page.map(({ hash }) => hash))
      },
    }),
  },
  'swaps a note whatever it is': {
    noticedBy: 'notes: a swap wants',
    make: (fs) => editNotes(fs, { swap: async (key, _, to) => fs.notes.swap(key, await noteAt(fs, key), to) }),
  },
  'looks, awaits, then swaps': {
    noticedBy: 'notes: of parallel swaps',
    make: (fs) =>
      editNotes(fs, {
        async swap(key, from, to) {
          if ((await noteAt(fs, key)) !== from) return fs.notes.swap(key, from, to)
          await new Promise((resolve) => setTimeout(resolve, 1))
          return fs.notes.swap(key, await noteAt(fs, key), to)
        },
      }),
  },
  'takes an empty note for none': {
    noticedBy: 'notes: a swap wants',
    make: (fs) => editNotes(fs, { swap: (key, from, to) => fs.notes.swap(key, from || null, to || null) }),
  },
  'lists notes as they were made': {
    noticedBy: 'notes: in the order',
    make: (fs) => editNotes(fs, { list: async (prefix) => (await fs.notes.list(prefix)).reverse() }),
  },
  'lists notes of a group alone': {
    noticedBy: 'notes: in the order',
    make: (fs) => editNotes(fs, { list: async (prefix) => (prefix.includes('/') || prefix === '' ? fs.notes.list(prefix) : []) }),
  },
  'takes any key': {
    noticedBy: 'notes: what is no key',
    make: (fs) => editNotes(fs, { swap: (key, from, to) => fs.notes.swap(key.replace(/^\.+/, ''), from, to) }),
  },
  'records a note': {
    noticedBy: 'notes: are no files',
    make: (fs) =>
      editNotes(fs, {
        async swap(key, from, to) {
          await fs.commit([], { id: key, time: '', kind: 'call', subject: '', tool: '', call: null })
          return fs.notes.swap(key, from, to)
        },
      }),
  },
}
