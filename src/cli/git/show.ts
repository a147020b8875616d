/** `filewright git show`: one commit with its diff, or a file as a commit has it. */
import { FilewrightError } from '../../core/errors.ts'
import type { GitEntry, Oid, Repository } from '../../core/repository.ts'
import { toBase64 } from '../../text/base64.ts'
import { isUtf8 } from '../../text/utf8.ts'
import type { Output, Streams } from '../output.ts'
import type { Settings } from '../settings.ts'
import { visible } from '../terminal.ts'
import { patchesOf, tellPatches } from './diff.ts'
import { commitJson, commitText } from './printed.ts'
import { pathOf } from './revisions.ts'
import { withRepository } from './session.ts'

/** Largest file that is printed, in bytes. */
const FILE_BYTES = 256 * 1024 * 1024

/** Prints it. A merge is compared with the side that was merged into. */
export async function show(
  settings: Settings,
  output: Output,
  streams: Streams,
  revision: string | undefined,
  { stat }: { readonly stat: boolean },
): Promise<void> {
  await withRepository(settings, output, async (repository) => {
    const [, of, path] = /^([^:]+):(.+)$/s.exec(revision ?? '') ?? []
    if (of !== undefined && path !== undefined) return showFile(repository, output, streams, of, path)
    const oid = revision === undefined ? await newest(repository) : await repository.resolve(revision)
    const commit = await repository.commit(oid)
    const files = await patchesOf(repository, await repository.diff(commit.parents[0] ?? null, oid))
    tellPatches(files, output, stat, { text: commitText(commit, output), json: { commit: commitJson(commit) } })
  })
}

async function newest(repository: Repository): Promise<Oid> {
  const { base } = await repository.status({ paths: [] })
  if (base !== null) return base
  throw new FilewrightError('not_found', 'There are no commits yet: make one with `filewright git commit`.')
}

async function showFile(repository: Repository, output: Output, streams: Streams, revision: string, given: string): Promise<void> {
  const oid = await repository.resolve(revision)
  const path = pathOf(given)
  const entry = await repository.entryAt(oid, path)
  const bytes = await contentOf(repository, entry, revision, given)
  const { mode, oid: blob } = entry as GitEntry
  if (output.json) {
    const content = isUtf8(bytes) ? { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) } : { base64: toBase64(bytes) }
    output.answer({ path, mode, oid: blob, size: bytes.length, ...content }, () => '')
  } else if (output.terminal) streams.stdout.write(visible(new TextDecoder().decode(bytes)))
  else streams.stdout.write(bytes)
}

async function contentOf(repository: Repository, entry: GitEntry | null, revision: string, path: string): Promise<Uint8Array> {
  if (!entry) throw new FilewrightError('not_found', `${revision} has no ${path}.`)
  if (entry.mode === '040000') throw new FilewrightError('is_directory', `${path} is a directory in ${revision}.`)
  if (entry.mode === '160000') throw new FilewrightError('not_regular', `${path} is a submodule in ${revision}, at ${entry.oid}.`)
  const { bytes, size } = await repository.blob(entry.oid, FILE_BYTES)
  if (bytes) return bytes
  throw new FilewrightError('too_large', `${path} has ${size} bytes, more than can be printed.`)
}
