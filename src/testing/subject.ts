/** What the conformance suite is run on: an adapter, and the places that it opens. */
import type { FileSystem, MaybePromise } from '../core/file_system.ts'

/** One place that can hold a storage: a folder, a database, a Durable Object. */
export interface ConformancePlace {
  /** Opens what is there. Called again, after `close`, where the subject is persistent. */
  open(): MaybePromise<FileSystem>
  /** Clears the place away at the end of a case; what a failed case left open too. */
  remove?(): MaybePromise<void>
}

/** An adapter as the suite is run on it. */
export interface ConformanceSubject {
  /** Its name in the ledger. */
  readonly name: string
  /** Whether commits are there when the same place is opened again. */
  readonly persistent: boolean
  /** A new, empty place. Every case has its own. */
  create(): MaybePromise<ConformancePlace>
}

/** An open storage in a place of its own. */
export interface OpenPlace {
  readonly fs: FileSystem
  /** Closes the storage and opens the same place again. */
  reopen(): Promise<FileSystem>
}

/** Runs a body on a new place, and clears the place away. */
export async function onNewPlace(subject: ConformanceSubject, body: (open: OpenPlace) => Promise<void>): Promise<void> {
  const place = await subject.create()
  let fs = await place.open()
  const reopen = async (): Promise<FileSystem> => {
    await fs.close()
    fs = await place.open()
    return fs
  }
  let failed = true
  try {
    await body({ fs, reopen })
    failed = false
  } finally {
    // A failure to close must not hide why the body failed.
    await (failed ? fs.close().catch(() => undefined) : fs.close())
    await place.remove?.()
  }
}
