/** The product's own folder in a workspace, `.filewright/`: journal, plan, kept contents and what is staged. */
import type { RecordedChange } from '../../core/change.ts'
import { attempt, errnoOf, failureAt, unless } from '../../core/errno.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { type Dir, inDir, type Root, STORE_NAME, statDir } from './handles.ts'
import { type Journal, openJournal } from './journal.ts'
import type { Plan } from './plan.ts'
import { closeQuietly, OPEN, writeAll } from './syscalls.ts'

const JOURNAL = 'journal'
const PLAN = 'plan'
const OBJECTS = 'objects'
const STAGED = 'staged'
const GITIGNORE = '.gitignore'
// Kept contents may come from folders that others cannot enter.
const PRIVATE_DIRECTORY = 0o700
const PRIVATE_FILE = 0o600

// Long enough to cover the number of the record: a torn plan can never look like the one before it.
const DONE = new TextEncoder().encode('-'.repeat(40))
const BEGIN = 123
/** How often the clock of the file system is looked at before it counts as coarse. */
const LOOKS = 12
const NEWLINE = 10

/** The open store. */
export interface Store {
  /** Tells this folder from a copy of it. */
  readonly identity: string
  readonly self: Dir
  readonly objects: Dir
  readonly staged: Dir
  readonly journal: Journal
  /** No plan is open, as far as this process knows. */
  readonly settled: boolean
  /** The plan that a commit wrote and did not finish. */
  readPlan(): Plan | null
  /** Says that something is about to be staged for a plan. */
  begin(): void
  writePlan(plan: Plan): void
  syncPlan(): Promise<void>
  finishPlan(): void
  /** The device of the store, if its time stamps tell any two changes apart between which somebody looked. Only without a plan. */
  fineTimes(): number | null
  /** Somebody deleted the store (`git clean -fdx` does): history is lost, and a new one begins. */
  isGone(): boolean
  close(): void
}

/** Opens the store; null when there is none yet. Changes nothing, unless a part of it got lost: that is made again, empty. */
export function openStore(root: Root): Store | null {
  return attempt(STORE_NAME, () => {
    const stats = root.sys.lstat(inDir(root.dir, STORE_NAME))
    if (!stats) return null
    if (!stats.isDirectory()) throw blocked()
    const self = root.enter(root.dir, STORE_NAME)
    let store: Store | undefined
    try {
      store = unless('ENOENT', () => openParts(root, self))
      // Without a journal, its making was interrupted before anything could be in it. With one, there is a history, although
      // a program that copied or tidied the workspace left an empty folder out.
      if (!store && root.sys.lstat(inDir(self, JOURNAL))) {
        makeParts(root, self)
        store = openParts(root, self)
      }
    } finally {
      if (!store) root.leave(self)
    }
    return store ?? null
  })
}

/** Opens the store; makes it, or what a crash left unmade of it. */
export function createStore(root: Root): Store {
  const found = openStore(root)
  if (found) return found
  return attempt(STORE_NAME, () => {
    ensureDirectory(root, root.dir, STORE_NAME)
    const self = root.enter(root.dir, STORE_NAME)
    try {
      makeParts(root, self)
    } finally {
      root.leave(self)
    }
    const store = openStore(root)
    if (!store) throw failureAt(STORE_NAME, Object.assign(new Error('gone'), { code: 'ENOENT' }))
    return store
  })
}

function openParts(root: Root, self: Dir): Store {
  const opened: Dir[] = []
  try {
    for (const name of [OBJECTS, STAGED]) opened.push(root.enter(self, name))
    const [objects, staged] = opened as [Dir, Dir]
    const journal = openFile(root, self, JOURNAL)
    try {
      return assemble(root, self, objects, staged, journal, openFile(root, self, PLAN))
    } catch (error) {
      closeQuietly(root.sys, journal)
      throw error
    }
  } catch (error) {
    for (const dir of opened) root.leave(dir)
    throw error
  }
}

/** Makes the parts that are missing. The journal comes last: with it, all else is there. */
function makeParts(root: Root, self: Dir): void {
  const { sys } = root
  for (const name of [OBJECTS, STAGED]) ensureDirectory(root, self, name)
  const ignore = sys.open(inDir(self, GITIGNORE), OPEN.store, 0o644)
  try {
    writeAll(sys, ignore, new TextEncoder().encode('*\n'), 0)
  } finally {
    closeQuietly(sys, ignore)
  }
  for (const name of [PLAN, JOURNAL]) sys.close(sys.open(inDir(self, name), OPEN.store, PRIVATE_FILE))
}

/** Makes a private directory unless it is there. */
export function ensureDirectory({ sys }: Root, parent: Dir, name: string): void {
  unless('EEXIST', () => sys.makeDirectory(inDir(parent, name), PRIVATE_DIRECTORY))
}

function openFile(root: Root, dir: Dir, name: string): number {
  const { sys } = root
  let fd: number
  try {
    fd = sys.open(inDir(dir, name), OPEN.update)
  } catch (error) {
    // Enough to read; a commit fails when it comes to write.
    if (!['EACCES', 'EROFS', 'EPERM'].includes(errnoOf(error) ?? '')) throw error
    fd = sys.open(inDir(dir, name), OPEN.read)
  }
  if (sys.fstat(fd).isFile()) return fd
  sys.close(fd)
  throw blocked()
}

function assemble(root: Root, self: Dir, objects: Dir, staged: Dir, journalFd: number, planFd: number): Store {
  const { sys } = root
  const readFile = (fd: number): Buffer => {
    const bytes = Buffer.alloc(sys.fstat(fd).size)
    for (let at = 0; at < bytes.length; ) {
      const count = sys.read(fd, bytes.subarray(at), at)
      if (count === 0) return bytes.subarray(0, at)
      at += count
    }
    return bytes
  }
  const changesOf = (hash: Hash): readonly RecordedChange[] | null => {
    const fd = unless('ENOENT', () => sys.open(inDir(objects, hash), OPEN.read))
    if (fd === undefined) return null
    try {
      return JSON.parse(readFile(fd).toString()) as RecordedChange[]
    } catch {
      return null
    } finally {
      closeQuietly(sys, fd)
    }
  }
  const stats = statDir(root, self)
  const first = new Uint8Array(1)
  let settled = false
  return {
    identity: `${stats.ino}:${stats.birthtimeMs}`,
    self,
    objects,
    staged,
    journal: openJournal(sys, journalFd, changesOf),
    readPlan() {
      if (sys.read(planFd, first, 0) === 0 || first[0] !== BEGIN) return null
      const bytes = readFile(planFd)
      try {
        return JSON.parse(bytes.subarray(0, bytes.indexOf(NEWLINE)).toString()) as Plan
      } catch {
        // Torn while it was written: before the commit point, so the commit never was.
        return null
      }
    },
    get settled() {
      return settled
    },
    begin() {
      settled = false
    },
    writePlan: (plan) => writeAll(sys, planFd, Buffer.from(`${JSON.stringify(plan)}\n`), 0),
    syncPlan: () => sys.syncData(planFd),
    finishPlan() {
      writeAll(sys, planFd, DONE, 0)
      settled = true
    },
    fineTimes() {
      let steps = 0
      let last = Number.POSITIVE_INFINITY
      for (let look = 0; look < LOOKS; look++) {
        writeAll(sys, planFd, DONE, 0)
        const { ctimeMs, dev } = sys.fstat(planFd)
        // Two steps in a row, each within a millisecond: no kernel's clock ticks that fast.
        steps = ctimeMs > last && ctimeMs - last < 0.5 ? steps + 1 : 0
        if (steps === 2) return dev
        last = ctimeMs
      }
      return null
    },
    isGone: () => (self.fd < 0 ? !sys.lstat(self.self) : sys.fstat(self.fd).nlink === 0),
    close() {
      for (const fd of [journalFd, planFd]) closeQuietly(sys, fd)
      for (const dir of [objects, staged, self]) root.leave(dir)
    },
  }
}

function blocked(): FilewrightError {
  return new FilewrightError(
    'not_directory',
    `${STORE_NAME} at the root is not the folder that Filewright keeps its history in; move it away.`,
  )
}
