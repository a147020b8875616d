/** A folder of tasks for an evaluation, as files: repository, instruction, check. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { EvaluationTask } from './evaluation.ts'
import { type FixtureFiles, overlay } from './fixture.ts'
import { filesOfFolder } from './folder_files.ts'
import { seedOfCommit } from './from_commit.ts'
import { filesOfPackage } from './from_package.ts'
import { assertChanged, assertFile, assertNoFile, assertPatch } from './matchers.ts'
import { openSeed, type RepoOptions, type Seed, seedOf } from './repo.ts'
import type { ScriptStep } from './script.ts'
import { parsePatch } from './unified_patch.ts'

/** Lines have ends for patterns. */
const PATTERN_FLAGS = 'm'

const filesShape = z.record(
  z.string(),
  z.union(
    [z.string(), z.strictObject({ text: z.string(), mode: z.int().optional() }), z.strictObject({ link: z.string() })],
    'must be a text, {"text": …, "mode": …} or {"link": …}',
  ),
)
const textOrTexts = z.union([z.string(), z.array(z.string())], 'must be a text, or a list of texts')
const pattern = z.string().superRefine((text, context) => {
  try {
    new RegExp(text, PATTERN_FLAGS)
  } catch (error) {
    context.addIssue((error as Error).message)
  }
})

/** What a file should be: text, missing (null), or what it holds, fits and lacks. */
const expectedFile = z.union(
  [
    z.null(),
    z.string(),
    z.strictObject({
      contains: textOrTexts.optional(),
      lacks: textOrTexts.optional(),
      matches: z.union([pattern, z.array(pattern)], 'must be a pattern, or a list of patterns').optional(),
    }),
  ],
  'must be a text, null, or an object with contains, lacks and matches',
)

const stepShape = z.strictObject({ tool: z.string(), arguments: z.unknown().optional() })

const taskShape = z.strictObject({
  $schema: z.string().optional(),
  instruction: z.string().min(1),
  repository: z.union(
    [
      z.strictObject({ files: filesShape }),
      z.strictObject({ folder: z.string() }),
      z.strictObject({ package: z.string() }),
      z.strictObject({ commit: z.string(), ref: z.string().optional() }),
    ],
    'must be {"files": {…}}, {"folder": "…"}, {"package": "…"} or {"commit": "…", "ref": "…"}',
  ),
  overlay: filesShape.optional(),
  profile: z.string().optional(),
  timeout_seconds: z.number().positive().optional(),
  check: z
    .strictObject({
      files: z.record(z.string(), expectedFile).optional(),
      changed: z.array(z.string()).optional(),
      patch: z.string().optional(),
      module: z.string().optional(),
    })
    .refine((check) => Object.keys(check).length > 0, 'must check something: files, changed, patch or module'),
  script: z.array(stepShape).optional(),
})

type TaskFile = z.output<typeof taskShape>

/** How tasks are read. */
export interface TaskOptions extends RepoOptions {}

/**
 * Reads the tasks of a folder: each is a file `NAME.json`, or a folder with a `task.json`; paths in it are relative to it. A module
 * that checks exports `check(workspace)`. Throws `not_found` without any, `invalid_argument` for one that is not sound, naming it.
 */
export function readTasks(folder: string, options: TaskOptions = {}): EvaluationTask[] {
  const files = taskFiles(folder)
  if (files.length === 0) throw new FilewrightError('not_found', `${folder} holds no tasks: neither NAME.json nor NAME/task.json.`)
  const seedFor = seeds()
  const twice = files.find(({ name }, at) => files.findIndex((other) => other.name === name) < at)
  if (twice) throw new FilewrightError('invalid_argument', `${folder} has two tasks ${twice.name}: ${twice.name}.json and a folder.`)
  return files.map(({ name, file }) => taskOf(name, file, readTask(file), seedFor, options))
}

function taskFiles(folder: string): { readonly name: string; readonly file: string }[] {
  let names: string[]
  try {
    names = readdirSync(folder).sort()
  } catch (error) {
    throw new FilewrightError('not_found', `${folder} is no folder that can be read.`, { cause: error })
  }
  return names.flatMap((name) => {
    const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true
    if (name.endsWith('.json') && isFile(join(folder, name))) return [{ name: basename(name, '.json'), file: join(folder, name) }]
    const file = join(folder, name, 'task.json')
    return isFile(file) ? [{ name, file }] : []
  })
}

function readTask(file: string): TaskFile {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new FilewrightError('invalid_argument', `${file} is not JSON: ${(error as Error).message}`)
  }
  const { data, error } = taskShape.safeParse(value)
  if (!data) {
    const { path, message } = innermost(error.issues[0] as z.core.$ZodIssue)
    throw new FilewrightError('invalid_argument', `${file}: ${path.join('.') || 'the task'}: ${message}`)
  }
  requireFiles(file, data)
  return data
}

/** Of several shapes, what is wrong with the one that was meant: whose members are all there, and no others. */
function innermost(issue: z.core.$ZodIssue): Pick<z.core.$ZodIssue, 'path' | 'message'> {
  const meant = issue.code === 'invalid_union' ? issue.errors.find((issues) => issues.every(({ path }) => path.length > 0)) : undefined
  if (!meant?.[0]) return issue
  const { path, message } = innermost(meant[0])
  return { path: [...issue.path, ...path], message }
}

/** A check that cannot be made is no failure of an agent: what it needs must be there before one begins. */
function requireFiles(file: string, { repository, check }: TaskFile): void {
  const places: readonly (readonly [member: string, place: string | undefined])[] = [
    ['repository.folder', 'folder' in repository ? repository.folder : undefined],
    ['repository.commit', 'commit' in repository ? repository.commit : undefined],
    ['check.patch', check.patch],
    ['check.module', check.module],
  ]
  for (const [member, place] of places) {
    if (place !== undefined && !existsSync(resolve(dirname(file), place)))
      throw new FilewrightError('invalid_argument', `${file}: ${member}: ${place} does not exist.`)
  }
  try {
    if (check.patch !== undefined) parsePatch(readFileSync(resolve(dirname(file), check.patch), 'utf8'))
  } catch (error) {
    throw new FilewrightError('invalid_argument', `${file}: check.patch: ${(error as Error).message}`)
  }
}

function taskOf(name: string, file: string, task: TaskFile, seedFor: ReturnType<typeof seeds>, options: TaskOptions): EvaluationTask {
  const place = (path: string): string => resolve(dirname(file), path)
  const open = { ...options, ...(task.profile !== undefined && { profile: task.profile }) }
  return {
    name,
    instruction: task.instruction,
    ...(task.timeout_seconds !== undefined && { timeoutMs: task.timeout_seconds * 1000 }),
    ...(task.script && { script: task.script as ScriptStep[] }),
    async open() {
      try {
        const workspace = await openSeed(await seedFor(task.repository, place), open)
        if (task.overlay) await overlay(workspace, task.overlay as FixtureFiles)
        return workspace
      } catch (error) {
        if (!isFilewrightError(error)) throw error
        throw new FilewrightError(error.code, `${file} cannot be opened: ${error.message}`, { cause: error })
      }
    },
    check: (workspace) => checkTask(workspace, task.check, place),
  }
}

/** The repositories of tasks. Several tasks of one repository read it once: what each does is in a layer over it. */
function seeds(): (repository: TaskFile['repository'], place: (path: string) => string) => Promise<Seed> {
  const known = new Map<string, Promise<Seed>>()
  return (repository, place) => {
    if ('commit' in repository) return seedOfCommit(place(repository.commit), repository.ref)
    const key = `${place('.')} ${JSON.stringify(repository)}`
    const seed = known.get(key) ?? readSeed(repository, place)
    known.set(key, seed)
    return seed
  }
}

async function readSeed(repository: Exclude<TaskFile['repository'], { commit: string }>, place: (path: string) => string): Promise<Seed> {
  if ('files' in repository) return seedOf(repository.files as FixtureFiles)
  if ('folder' in repository) return seedOf(filesOfFolder(place(repository.folder)))
  return seedOf(await filesOfPackage(repository.package, place('.')))
}

async function checkTask(workspace: Workspace, check: TaskFile['check'], place: (path: string) => string): Promise<unknown> {
  for (const [path, expected] of Object.entries(check.files ?? {})) await checkFile(workspace, path, expected)
  if (check.changed) await assertChanged(workspace, check.changed)
  if (check.patch !== undefined) await assertPatch(workspace, readFileSync(place(check.patch), 'utf8'))
  if (check.module === undefined) return
  const module = (await import(pathToFileURL(place(check.module)).href)) as { readonly check?: (workspace: Workspace) => unknown }
  if (typeof module.check !== 'function') throw new FilewrightError('invalid_argument', `${check.module} does not export check(workspace).`)
  return module.check(workspace)
}

async function checkFile(workspace: Workspace, path: string, expected: z.output<typeof expectedFile>): Promise<void> {
  if (expected === null) return assertNoFile(workspace, path)
  if (typeof expected === 'string') return assertFile(workspace, path, expected)
  await assertFile(workspace, path)
  for (const text of listOf(expected.contains)) await assertFile(workspace, path, new RegExp(escaped(text)))
  for (const pattern of listOf(expected.matches)) await assertFile(workspace, path, new RegExp(pattern, PATTERN_FLAGS))
  for (const text of listOf(expected.lacks)) await assertFile(workspace, path, new RegExp(`^(?![\\s\\S]*${escaped(text)})`))
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
