/**
 * `filewright/fs/git-node`: repositories in folders, as git itself keeps them: worktrees, bare ones, linked worktrees and submodules.
 * What is done with them is in `filewright/fs/git`.
 *
 * @example
 * ```ts
 * import { openWorkspace } from 'filewright'
 * import { createGitFs } from 'filewright/fs/git'
 * import { initNodeGitDirectory } from 'filewright/fs/git-node'
 *
 * const git = await initNodeGitDirectory('example.git', { bare: true })
 * const workspace = await openWorkspace({ fs: await createGitFs({ git, workspace: 'agent' }) })
 * await workspace.call('write', { path: 'a.txt', content: 'one\n' })
 * const { text } = await workspace.call('git_status', {})
 * console.log(text)
 * await workspace.close()
 * ```
 *
 * @module
 */
export { initNodeGitDirectory, type NodeGitOptions, openNodeGitDirectory } from './fs/git/node_directory.ts'
export { type NodeGitFiles, type NodeGitFilesOptions, openNodeGitFiles } from './fs/git/node_files.ts'
