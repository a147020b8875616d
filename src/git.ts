/**
 * `filewright/fs/git`: a commit of a repository as a workspace, without a checkout; repositories in memory or a database; and git's own
 * protocol over HTTP. It loads in browsers too, which pass {@link createBrowserGitPlatform}. Repositories on disk are
 * `filewright/fs/git-node`.
 *
 * @example
 * ```ts
 * import { openWorkspace } from 'filewright'
 * import { createGitFs, createMemoryGitFiles, initGitDirectory } from 'filewright/fs/git'
 *
 * const git = await initGitDirectory(createMemoryGitFiles())
 * const workspace = await openWorkspace({ fs: await createGitFs({ git }) })
 * await workspace.call('write', { path: 'a.txt', content: 'one\n' })
 * const { text } = await workspace.call('git_commit', { message: 'First' })
 * console.log(text)
 * await workspace.close()
 * ```
 *
 * @module
 */

export { createSqliteGitFiles } from './fs/git/sqlite_files.ts'
export { createGitFs, type GitFsOptions } from './fs/git.ts'
export { createBrowserGitPlatform } from './git/browser_platform.ts'
export { type CollectedGarbage, type CollectGarbageOptions, collectGarbage } from './git/collect_garbage.ts'
export type { GitConfig } from './git/config.ts'
export type { GitDirectory } from './git/directory.ts'
export type { GitFile, GitFiles, NeedlessFiles } from './git/files.ts'
export { platformGit } from './git/host_platform.ts'
export { createMemoryGitFiles } from './git/memory_files.ts'
export type {
  AddPackOptions,
  GitObject,
  GitProgress,
  NewObject,
  ObjectDatabase,
  ObjectHeader,
  ObjectStream,
  ObjectType,
} from './git/objects.ts'
export { type InitGitOptions, initGitDirectory, type OpenGitOptions, openGitDirectory } from './git/open.ts'
export type { GitPlatform } from './git/platform.ts'
export type { Head, Ref, Refs, RefUpdate } from './git/refs.ts'
export { type CloneOptions, type CloneRepositoryOptions, type CloneResult, cloneInto, cloneRepository } from './git/wire/clone.ts'
export type { AskCredentials, CredentialRequest, Credentials } from './git/wire/credentials.ts'
export { type FetchedRef, type FetchOptions, type FetchResult, fetchRemote } from './git/wire/fetch.ts'
export type { WireLimits } from './git/wire/limits.ts'
export { attachPromisor, type PromisorOptions } from './git/wire/promisor.ts'
export { type PushedRef, type PushOptions, type PushRef, type PushRefusal, type PushResult, pushRefs } from './git/wire/push.ts'
export type { GitProxy, WireOptions } from './git/wire/transport.ts'
