/** The tools of the `files/` routes: one file as raw bytes, put or removed through the workspace's door like any other change. */
import { z } from 'zod'
import type { Content } from '../core/change.ts'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { Entry } from '../core/file_system.ts'
import type { Hash } from '../core/hash.ts'
import type { Path } from '../core/path.ts'
import { hashReader } from '../core/read.ts'
import type { Resolved } from '../core/resolve.ts'
import type { View } from '../core/view.ts'
import { boolean, text } from '../tools/arguments.ts'
import { defineTool, type Receipt, type Tool } from '../tools/tool.ts'

/** The state that a request expects: a hash, `present` for any file, `absent` for none, undefined when it does not say. */
export type Precondition = Hash | 'present' | 'absent' | undefined

const shared = {
  path: text('The file.'),
  expect: z.custom<Precondition>().optional(),
  allow_ignored: boolean('Ignored files may be changed.'),
  allow_sensitive: boolean('Sensitive files may be changed.'),
}

const output = z.object({ path: z.string(), hash: z.string().nullable(), created: z.boolean() })

const common = {
  kind: 'write',
  idempotent: true,
  destructive: true,
  output,
  allowances: (args: { readonly allow_ignored: boolean; readonly allow_sensitive: boolean }) => ({
    ignored: args.allow_ignored,
    sensitive: args.allow_sensitive,
  }),
  failed: () => ({}),
  text: ({ path }: z.output<typeof output>) => path,
} as const

/** Puts staged content at a path. */
export const putFile: Tool = defineTool({
  ...common,
  name: 'put_file',
  title: 'Put file',
  description: 'Creates or replaces one file with the bytes that were sent.',
  input: z.strictObject({ ...shared, content: z.custom<Content>() }),
  targets: ({ path }) => [{ path, field: 'path', use: 'change' }],
  async run({ view }, args) {
    const target = await view.resolve(args.path, { last: 'follow', field: 'path' })
    const current = target.entry === null ? null : await currentHash(view, target, target.entry)
    requireExpected(target.given, current, args.expect)
    const { hash } = args.content
    const result = { path: target.path, hash, created: current === null }
    if (current === hash) return { result }
    view.write(target, args.content, { expect: current === null ? 'absent' : { hash: current } })
    return { result, complete: (receipt) => verified(receipt, target.path, result) }
  },
})

/** Removes a file, or a link itself. */
export const removeFile: Tool = defineTool({
  ...common,
  name: 'remove_file',
  title: 'Remove file',
  description: 'Removes one file, or a link itself.',
  input: z.strictObject(shared),
  targets: ({ path }) => [{ path, field: 'path', use: 'change-entry' }],
  async run({ view }, args) {
    const target = await view.resolve(args.path, { last: 'keep', field: 'path' })
    const { entry, given } = target
    if (!entry) throw new FilewrightError('not_found', `${given} does not exist.`)
    const result = { path: target.path, hash: null, created: false }
    const complete = (receipt: Receipt): typeof result => verified(receipt, target.path, result)
    if (entry.kind === 'link') {
      await requireLeadsInside(view, given)
      const link = await view.readLink(target.path)
      requireExpected(given, view.hasher.hash(new TextEncoder().encode(link)), args.expect)
      view.remove(target, { expect: { link } })
      return { result, complete }
    }
    const hash = await currentHash(view, target, entry)
    requireExpected(given, hash, args.expect)
    view.remove(target, { expect: { hash } })
    return { result, complete }
  },
})

/** The rules of `write_file` (contract P-40), for conditional requests: what is there is replaced only by who knows it. */
function requireExpected(given: string, current: Hash | null, expect: Precondition): void {
  const details = { details: { current_sha256: current } }
  if (current === null) {
    if (expect === undefined || expect === 'absent') return
    throw new FilewrightError('stale_expected_sha256', `${given} does not exist any more.`, details)
  }
  if (expect === 'absent') throw new FilewrightError('already_exists', `${given} exists already.`, details)
  if (expect === undefined) {
    throw new FilewrightError('confirmation_required', `${given} exists: send its ETag as If-Match.`, details)
  }
  if (expect !== 'present' && expect !== current) {
    throw new FilewrightError('stale_expected_sha256', `${given} changed: its hash is not the one in If-Match.`, details)
  }
}

async function currentHash(view: View, { given, path }: Resolved, entry: Entry): Promise<Hash> {
  if (entry.kind === 'directory') throw new FilewrightError('is_directory', `${given} is a directory.`)
  if (entry.kind !== 'file') throw new FilewrightError('not_regular', `${given} is not a regular file.`)
  if (entry.hash !== null) return entry.hash
  const reader = await view.open(path)
  try {
    return await hashReader(view.hasher, reader)
  } finally {
    await reader.close()
  }
}

/** A link that leads outside is not usable (C-6); one that is broken in another way can be removed. */
async function requireLeadsInside(view: View, given: string): Promise<void> {
  try {
    await view.resolve(given, { last: 'follow', field: 'path' })
  } catch (error) {
    if (isFilewrightError(error, 'outside_root')) throw error
  }
}

/** The result, once the path was read again and is as intended. */
function verified<Result>(receipt: Receipt, path: Path, result: Result): Result {
  const unsound = receipt.paths.find((one) => one.path === path && !one.verified)
  if (unsound) throw new FilewrightError('corrupt', `The change was stored, but: ${unsound.problem}`)
  return result
}
