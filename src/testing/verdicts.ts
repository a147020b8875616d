/** What tests ask of a workspace, and why the answer is no: the ground of matchers and assertions, whatever runs the tests. */
import { isFilewrightError } from '../core/errors.ts'
import { ROOT } from '../core/path.ts'
import { readAll } from '../core/read.ts'
import { unifiedDiff } from '../text/diff/unified.ts'
import { decodeLossy, encodeText, isUtf8 } from '../text/utf8.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type FinalChange, finalChanges } from './fixture.ts'
import { applyHunks, type FilePatch, PatchError, parsePatch } from './unified_patch.ts'

/** What a file should hold: exactly this, something that fits a pattern, or what a function says yes to. Default: it only is there. */
export type ExpectedContent = string | Uint8Array | RegExp | ((text: string, bytes: Uint8Array) => boolean)

/** An answer. The message says why it is so: of a `pass`, why a test that wanted the contrary fails. */
export interface Verdict {
  readonly pass: boolean
  readonly message: () => string
  readonly actual?: unknown
  readonly expected?: unknown
}

/** Whether there is a regular file, links followed, with such content. */
export async function fileVerdict(workspace: Workspace, path: string, expected?: ExpectedContent): Promise<Verdict> {
  requireWorkspace(workspace)
  const found = await readFile(workspace, path)
  if (typeof found === 'string') return { pass: false, message: () => found }
  const text = decodeLossy(found).text
  const actual = expected instanceof Uint8Array || !isUtf8(found) ? found : text
  if (expected === undefined) return { pass: true, message: () => `${path} is there.`, actual }
  const pass = holds(found, text, expected)
  const message = (): string => (pass ? `${path} holds what was not expected of it.` : contentMessage(path, found, text, expected))
  return { pass, message, actual, expected: typeof expected === 'function' ? undefined : expected }
}

/** Throws a `TypeError` for what is asked in its place, such as its promise. */
function requireWorkspace(asked: unknown): asserts asked is Workspace {
  if (asked instanceof Promise) throw new TypeError('This is the promise of a workspace: await it first.')
  if (typeof (asked as Partial<Workspace> | null | undefined)?.view !== 'function')
    throw new TypeError('This is no workspace: repo, fromCommit, fromPackage and openWorkspace open one.')
}

/** The bytes of a file, or why there are none. */
async function readFile(workspace: Workspace, path: string): Promise<Uint8Array | string> {
  const view = await workspace.view()
  try {
    const { entry, path: resolved } = await view.resolve(path)
    if (!entry) return `${path} is not there. ${await neighbours(workspace, path)}`
    if (entry.kind !== 'file') return `${path} is a ${entry.kind}, not a file.`
    const reader = await view.open(resolved)
    try {
      return await readAll(reader, view.traits.limits.fileBytes, path)
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (isFilewrightError(error)) return error.message
    throw error
  }
}

/** What there is in the nearest directory that there is. */
async function neighbours(workspace: Workspace, path: string): Promise<string> {
  const view = await workspace.view()
  const names = path.split('/').filter((name) => name !== '')
  for (let depth = names.length - 1; depth >= 0; depth--) {
    const dir = names.slice(0, depth).join('/')
    const found = dir === '' ? null : await view.resolve(dir).catch(() => null)
    if (dir !== '' && found?.entry?.kind !== 'directory') continue
    const children = (await view.list(found?.path ?? ROOT)).map((entry) => entry.path.split('/').at(-1))
    const list = children.length > 20 ? [...children.slice(0, 20), '…'] : children
    return `${dir === '' ? 'The root' : dir} holds ${list.length === 0 ? 'nothing' : list.join(', ')}.`
  }
  return ''
}

function holds(bytes: Uint8Array, text: string, expected: ExpectedContent): boolean {
  if (typeof expected === 'string') return isUtf8(bytes) && text === expected
  if (expected instanceof RegExp) return new RegExp(expected.source, expected.flags.replace(/[gy]/g, '')).test(text)
  if (expected instanceof Uint8Array) return bytes.length === expected.length && bytes.every((byte, at) => byte === expected[at])
  return expected(text, bytes)
}

function contentMessage(path: string, bytes: Uint8Array, text: string, expected: ExpectedContent): string {
  if (typeof expected === 'string')
    return `${path} differs from what was expected (-), it holds (+):\n${difference(encodeText(expected), bytes)}`
  if (expected instanceof RegExp) return `${path} does not fit ${expected}. It holds:\n${shortened(text)}`
  if (expected instanceof Uint8Array) {
    const at = expected.findIndex((byte, index) => byte !== bytes[index])
    return `${path} has ${bytes.length} bytes, expected ${expected.length}; they differ from byte ${at < 0 ? expected.length : at} on.`
  }
  return `${path} is not what the function wants. It holds:\n${shortened(text)}`
}

const SHOWN = 2000

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}\n… ${text.length - SHOWN} characters more` : text
}

function difference(expected: Uint8Array, actual: Uint8Array): string {
  return unifiedDiff(expected, actual, { oldPath: 'expected', newPath: 'actual', maxChars: 10_000 }).text
}

/**
 * Whether files were changed since the test began: a path, whether that one was; a list, whether these were and no others;
 * nothing, whether any was.
 */
export async function changedVerdict(workspace: Workspace, expected?: string | readonly string[]): Promise<Verdict> {
  requireWorkspace(workspace)
  const changes = await finalChanges(workspace)
  const actual = changes.map(({ path }) => path)
  const told = actual.length === 0 ? 'Nothing was changed.' : `Changed: ${actual.join(', ')}.`
  if (expected === undefined) return { pass: actual.length > 0, message: () => told, actual }
  if (typeof expected === 'string') {
    const wanted = plainPath(expected)
    const pass = actual.some((path) => path === wanted || path.startsWith(`${wanted}/`))
    return { pass, message: () => (pass ? shownDiff(changes, wanted) : `${expected} was not changed. ${told}`), actual, expected }
  }
  const wanted = expected.map(plainPath).sort()
  const missing = wanted.filter((path) => !actual.includes(path))
  const extra = actual.filter((path) => !wanted.includes(path))
  const lines = [
    ...missing.map((path) => `Not changed, but expected to be: ${path}`),
    ...extra.map((path) => `Changed, but not expected to be: ${path}\n${shownDiff(changes, path)}`),
  ]
  const pass = lines.length === 0
  return { pass, message: () => (pass ? told : lines.join('\n')), actual: [...actual].sort(), expected: wanted }
}

function plainPath(path: string): string {
  return path.replace(/^(\.?\/)+/, '').replace(/\/+$/, '')
}

function shownDiff(changes: readonly FinalChange[], wanted: string): string {
  return shortened(
    changes
      .filter(({ path }) => path === wanted || path.startsWith(`${wanted}/`))
      .map(({ diff }) => diff)
      .join(''),
  )
}

/**
 * Whether the files are what a patch makes of those that the test began with, and no other is changed. The patch is read by what it
 * does: how many lines of context it has, and where a hunk of equal meaning begins, does not matter.
 */
export async function patchVerdict(workspace: Workspace, patch: string): Promise<Verdict> {
  requireWorkspace(workspace)
  const changes = await finalChanges(workspace)
  const actual = changes.map(({ diff }) => diff).join('')
  const made = new Map(changes.map(({ path, diff }) => [path, parsePatch(diff)]))
  const problems: string[] = []
  const expectedPaths = new Set<string>()
  for (const file of parsePatch(patch)) {
    for (const path of [file.oldPath, file.newPath]) if (path !== null) expectedPaths.add(path)
    problems.push(...(await problemsOf(workspace, file, made)))
  }
  for (const { path, diff } of changes)
    if (!expectedPaths.has(path)) problems.push(`${path} was changed, and the patch does not:\n${shortened(diff)}`)
  const pass = problems.length === 0
  const message = (): string =>
    pass
      ? 'The files are what the patch makes of them.'
      : `${problems.join('\n')}\nIn all, this was changed:\n${actual === '' ? 'nothing' : shortened(actual)}`
  return { pass, message, actual, expected: patch }
}

async function problemsOf(workspace: Workspace, file: FilePatch, made: ReadonlyMap<string, FilePatch[]>): Promise<string[]> {
  const problems: string[] = []
  const { oldPath, newPath, newMode } = file
  if (oldPath !== null && oldPath !== newPath && typeof (await readFile(workspace, oldPath)) !== 'string')
    problems.push(`${oldPath} is still there.`)
  if (newPath === null) return problems
  const done = made.get(newPath) ?? []
  const mode = done.at(-1)?.newMode ?? null
  if (newMode !== null && newMode !== mode) problems.push(`${newPath} has not become a ${newMode}${mode === null ? '' : ` but a ${mode}`}.`)
  if (file.binary !== null) {
    const same = done.some(({ binary }) => binary === file.binary)
    return same ? problems : [...problems, `${newPath} does not hold what the binary patch makes.`]
  }
  const is = await readFile(workspace, newPath)
  if (typeof is === 'string') return [...problems, is]
  try {
    const before = oldPath === null ? '' : await textBefore(workspace, oldPath, made)
    const expected = applyHunks(before, file)
    if (expected !== decodeLossy(is).text)
      problems.push(`${newPath} differs from what the patch makes (-), it holds (+):\n${difference(encodeText(expected), is)}`)
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    problems.push(`The patch does not fit ${oldPath ?? newPath} as the test began: ${error.message}`)
  }
  return problems
}

/** What a file held when the test began: what it holds now, with what was changed taken back. */
async function textBefore(workspace: Workspace, path: string, made: ReadonlyMap<string, FilePatch[]>): Promise<string> {
  const [done] = made.get(path) ?? []
  const now = await readFile(workspace, path)
  if (!done && typeof now === 'string') throw new PatchError(now)
  const text = typeof now === 'string' ? '' : decodeLossy(now).text
  return done ? applyHunks(text, done, true) : text
}
