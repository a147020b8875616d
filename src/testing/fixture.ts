/** The files that a test begins with, and what was done since. */
import { FilewrightError } from '../core/errors.ts'
import type { JournalRecord } from '../core/record.ts'
import type { ImportedFile, Workspace } from '../workspace/workspace.ts'

/** What is at a path: a text, bytes, either with permission bits, a link, or an empty directory. */
export type FixtureFile =
  | string
  | Uint8Array
  | { readonly text: string; readonly mode?: number }
  | { readonly bytes: Uint8Array; readonly mode?: number }
  | { readonly link: string }
  | { readonly directory: true }

/** Files by their paths from the root. Directories come with what is in them. */
export interface FixtureFiles {
  readonly [path: string]: FixtureFile
}

/** What the journal says of what a test laid down itself. */
const NOTE = 'Fixture'

/**
 * Lays files over those of a workspace, replacing what is there, as one change. It counts as what the test begins with:
 * {@link finalDiff} and the matchers tell what came after. No guard applies: git's own files can be laid down too.
 */
export async function overlay(workspace: Workspace, files: FixtureFiles): Promise<JournalRecord> {
  const imported: ImportedFile[] = []
  for (const [path, file] of Object.entries(files)) requireFile(path, file)
  for (const [path, file] of Object.entries(files)) imported.push({ path, ...(await importedAs(workspace, file)) })
  if (imported.length === 0) throw new FilewrightError('missing_argument', 'There are no files to lay down.')
  return workspace.importFiles(imported, { note: NOTE, replace: true, operator: true })
}

/** Throws `invalid_argument` for what is no {@link FixtureFile}. */
export function requireFile(path: string, file: unknown): void {
  if (typeof file === 'string' || file instanceof Uint8Array) return
  const { text, bytes, link, directory } = (file ?? {}) as { readonly [member: string]: unknown }
  if (typeof text === 'string' || bytes instanceof Uint8Array || typeof link === 'string' || directory === true) return
  throw new FilewrightError('invalid_argument', `${path} must be a text, bytes, or an object with text, bytes, link or directory: true.`)
}

async function importedAs(workspace: Workspace, file: FixtureFile): Promise<Omit<ImportedFile, 'path'>> {
  if (typeof file === 'string' || file instanceof Uint8Array) return { content: await workspace.stage(bytesOf(file)) }
  if ('link' in file || 'directory' in file) return file
  const content = await workspace.stage(bytesOf('text' in file ? file.text : file.bytes))
  return { content, ...(file.mode !== undefined && { mode: file.mode }) }
}

/** The bytes of a text, or those given. */
export function bytesOf(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? new TextEncoder().encode(body) : body
}

/** One path that differs from what the test began with. */
export interface FinalChange {
  readonly path: string
  /** As `git diff` shows it, without colors. */
  readonly diff: string
}

/**
 * What was changed since the files were laid down, net, by path: what was changed back is not told. As for git, empty directories
 * and modes beyond the executable bit do not count, and a moved file is gone here and new there.
 */
export async function finalChanges(workspace: Workspace): Promise<FinalChange[]> {
  const from = await firstAfterFixture(workspace)
  if (from === null) return []
  const changes: FinalChange[] = []
  for await (const { path, text } of workspace.patch({ from })) {
    changes.push({ path, diff: text ?? `diff --git a/${path} b/${path}\nA file of git's own, which is not shown.\n` })
  }
  return changes
}

/** {@link finalChanges} as one text, the same in every run: made for snapshots. Empty when nothing differs. */
export async function finalDiff(workspace: Workspace): Promise<string> {
  return (await finalChanges(workspace)).map(({ diff }) => diff).join('')
}

/** The sequence number of the first record after the newest fixture; null when there is none. */
async function firstAfterFixture(workspace: Workspace): Promise<number | null> {
  let first: number | null = null
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await workspace.log({ before, limit: 100 })
    for (const { record } of page) {
      if (record.kind === 'import' && record.note === NOTE) return first
      first = record.sequence
    }
    if (page.length === 0) return first
    before = first ?? before
  }
}
