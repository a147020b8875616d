/** A workspace of a repository on disk, beside the real git. */
import { join } from 'node:path'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { expect, onTestFinished } from 'vitest'
import type { FileSystem } from '../../../src/core/file_system.ts'
import type { Repository } from '../../../src/core/repository.ts'
import { openNodeGitDirectory } from '../../../src/fs/git/node_directory.ts'
import { createGitFs } from '../../../src/fs/git.ts'
import { openWorkspace } from '../../../src/workspace/open.ts'
import type { CallOptions, CallResult, Workspace, WorkspaceOptions } from '../../../src/workspace/workspace.ts'
import { commitFiles, fsck, git, initRepository, tempDir } from '../../git/real_git.ts'

/** What a repository holds, by path; see `writeTree`. */
export type Files = { readonly [path: string]: string | Uint8Array }

/** How a place is opened. */
export interface PlaceOptions extends Omit<WorkspaceOptions, 'fs'> {
  /** The workspace's name. */
  readonly name?: string
  /** Where a new workspace begins. */
  readonly from?: string
}

/** A workspace under test. */
export interface Place {
  readonly dir: string
  readonly fs: FileSystem
  readonly repository: Repository
  readonly workspace: Workspace
  /** Calls a tool of the profile; the result is held to its published schema. */
  call(tool: string, args: object, options?: CallOptions): Promise<CallResult>
  /** Calls one that must succeed; what it says. */
  say(tool: string, args: object, options?: CallOptions): Promise<string>
  /** The real git, in the repository. */
  git(...args: string[]): string
  /** Another workspace of the same repository. */
  again(options?: PlaceOptions): Promise<Place>
}

/** A repository with one commit of these files, and a workspace that begins there. At the end git finds nothing wrong with it. */
export async function placeWith(files: Files, options: PlaceOptions = {}): Promise<Place> {
  const { dir, remove } = tempDir()
  const repo = join(dir, 'repo')
  initRepository(repo)
  commitFiles(repo, 'First', files)
  onTestFinished(() => {
    fsck(repo)
    remove()
  })
  return openPlace(repo, options)
}

/** A workspace of the repository in a folder. */
export async function openPlace(dir: string, { name = 'main', from, ...options }: PlaceOptions = {}): Promise<Place> {
  const directory = await openNodeGitDirectory(dir, { durability: 'process' })
  const fs = await createGitFs({ git: directory, workspace: name, ...(from !== undefined && { from }) })
  const workspace = await openWorkspace({ fs, ...options })
  onTestFinished(() => workspace.close())
  const validator = new AjvJsonSchemaValidator()
  const call: Place['call'] = async (tool, args, how) => {
    const outcome = await workspace.call(tool, args, how)
    const schema = workspace.profile.tools.find((bound) => bound.tool.name === tool)?.outputSchema?.()
    if (schema)
      expect(validator.getValidator(schema as never)(outcome.result), JSON.stringify(outcome.result)).toMatchObject({ valid: true })
    return outcome
  }
  return {
    dir,
    fs,
    repository: fs.repository as Repository,
    workspace,
    call,
    async say(tool, args, how) {
      const { text, error } = await call(tool, args, how)
      expect(error, text).toBeNull()
      return text
    },
    git: (...args) => git(dir, ...args),
    again: (other = {}) => openPlace(dir, other),
  }
}
