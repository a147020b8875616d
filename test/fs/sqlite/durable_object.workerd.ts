/** A file system inside a Durable Object, used from outside of it: every call runs as a request of that object. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { FileSystem, Reader, ScanOptions } from '../../../src/core/file_system.ts'
import { openDurableObjectFs } from '../../../src/fs/sqlite/durable_object.ts'
import type { TestStorage } from '../../worker.workerd.ts'

/** A Durable Object of its own. */
export interface ObjectPlace {
  /** Runs a function in the object. */
  run<T>(action: (storage: DurableObjectStorage, fs: FileSystem | undefined) => T | Promise<T>): Promise<T>
  open(): Promise<FileSystem>
  /** Tears the instance down; what it stored stays. */
  evict(): Promise<void>
}

export function newObject(openFs: (storage: DurableObjectStorage) => Promise<FileSystem> = openDurableObjectFs): ObjectPlace {
  const stub = (env as { STORAGE: DurableObjectNamespace<TestStorage> }).STORAGE.getByName(crypto.randomUUID())
  const run: ObjectPlace['run'] = (action) => runInDurableObject(stub, (instance: TestStorage, state) => action(state.storage, instance.fs))
  const evict = () => evictDurableObject(stub)
  return {
    run,
    evict,
    async open() {
      const fs = await runInDurableObject(stub, async (instance: TestStorage, state) => {
        if (instance.fs) throw new Error('The instance was not evicted.')
        instance.fs = await openFs(state.storage)
        return instance.fs
      })
      return remoteFs(fs, run, evict)
    },
  }
}

type Filter = NonNullable<ScanOptions['filter']>

function remoteFs(fs: FileSystem, run: ObjectPlace['run'], evict: ObjectPlace['evict']): FileSystem {
  // A filter is called back inside the object. What it reads is read there, at once.
  let inside = false
  const call = async <T>(action: () => T | Promise<T>): Promise<T> => (inside ? action() : run(action))
  const calledBack = (filter: Filter): Filter => {
    return async (dir, children) => {
      inside = true
      try {
        return await filter(dir, children)
      } finally {
        inside = false
      }
    }
  }
  const remoteReader = (reader: Reader): Reader => ({
    entry: reader.entry,
    size: reader.size,
    read: (offset, into) => call(() => reader.read(offset, into)),
    close: () => call(() => reader.close()),
  })
  /** Pages that are made inside the object, one after another. */
  async function* remotePages<T>(made: AsyncIterable<T>): AsyncGenerator<T> {
    const pages = made[Symbol.asyncIterator]()
    const next = (): Promise<IteratorResult<T>> => run(() => pages.next())
    try {
      for (let page = await next(); !page.done; page = await next()) yield page.value
    } finally {
      await run(async () => void (await pages.return?.()))
    }
  }
  return {
    traits: fs.traits,
    hasher: fs.hasher,
    stat: (path, want) => call(() => fs.stat(path, want)),
    statMany: (paths) => call(() => fs.statMany(paths)),
    list: (dir, want) => call(() => fs.list(dir, want)),
    scan(dir, options = {}) {
      const { filter } = options
      return remotePages(fs.scan(dir, filter ? { ...options, filter: calledBack(filter) } : options))
    },
    open: async (path) => remoteReader(await call(() => fs.open(path))),
    readEach: (paths, options, visit) => call(() => fs.readEach(paths, options, visit)),
    readLink: (path) => call(() => fs.readLink(path)),
    stage: (body) => call(() => fs.stage(body)),
    commit: (changes, draft) => call(() => fs.commit(changes, draft)),
    records: (query) => call(() => fs.records(query)),
    object: async (hash) => remoteReader(await call(() => fs.object(hash))),
    contents: () => remotePages(fs.contents()),
    forget: (hashes) => call(() => fs.forget(hashes)),
    adopt: (changes, records) => call(() => fs.adopt(changes, records)),
    notes: {
      list: (prefix) => call(() => fs.notes.list(prefix)),
      swap: (key, from, to) => call(() => fs.notes.swap(key, from, to)),
    },
    async close() {
      await call(() => fs.close())
      await evict()
    },
  }
}
