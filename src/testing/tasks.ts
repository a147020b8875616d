/** A folder of tasks for an evaluation, as files: repository, instruction, check. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { FilewrightError } from '../core/errors.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { EvaluationTask } from './evaluation.ts'
import { type FixtureFiles, overlay } from './fixture.ts'
import { filesOfFolder } from './folder_files.ts'
import { seedOfCommit } from './from_commit.ts'
import { filesOfPackage } from './from_package.ts'
import { assertChanged, assertFile, assertNoFile, assertPatch } from './matchers.ts'
import { openSeed, type RepoOptions, type Seed, seedOf } from './repo.ts'
import type { ScriptStep } from './script.ts'

const filesShape = z.record(
  z.string(),
  z.union([z.string(), z.strictObject({ text: z.string(), mode: z.int().optional() }), z.strictObject({ link: z.string() })]),
)
const textOrTexts = z.union([z.string(), z.array(z.string())])

/** What a file should be: text, missing (null), or what it holds, fits and lacks. */
const expectedFile = z.union([
  z.null(),
  z.string(),
  z.strictObject({ contains: textOrTexts.optional(), lacks: textOrTexts.optional(), matches: textOrTexts.optional() }),
])

const stepShape = z.strictObject({ tool: z.string(), arguments: z.unknown().optional() })

const taskShape = z.strictObject({
  $schema: z.string().optional(),
  instruction: z.string().min(1),
  repository: z.union([
    z.strictObject({ files: filesShape }),
    z.strictObject({ folder: z.string() }),
    z.strictObject({ package: z.string() }),
    z.strictObject({ commit: z.string(), ref: z.string().optional() }),
  ]),
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
    if (name.endsWith('.json')) return [{ name: basename(name, '.json'), file: join(folder, name) }]
    const file = join(folder, name, 'task.json')
    return statSync(file, { throwIfNoEntry: false })?.isFile() ? [{ name, file }] : []
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
  if (data) return data
  const [issue] = error.issues
  throw new FilewrightError('invalid_argument', `${file}: ${issue?.path.join('.') || 'the task'}: ${issue?.message}`)
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
      const workspace = await openSeed(await seedFor(task.repository, place), open)
      if (task.overlay) await overlay(workspace, task.overlay as FixtureFiles)
      return workspace
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
  for (const pattern of listOf(expected.matches)) await assertFile(workspace, path, new RegExp(pattern, 'm'))
  for (const text of listOf(expected.lacks)) await assertFile(workspace, path, new RegExp(`^(?![\\s\\S]*${escaped(text)})`))
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
