/**
 * `filewright/testing/node`: repositories, packages and tasks from a disk, which stays as it is.
 *
 * @example
 * ```ts
 * import { fromPackage } from 'filewright/testing/node'
 *
 * const workspace = await fromPackage('zod')
 * const { text } = await workspace.call('read', { path: 'package.json' })
 * console.log(text)
 * ```
 *
 * @module
 */
export { filesOfFolder } from './folder_files.ts'
export { fromCommit } from './from_commit.ts'
export { filesOfPackage, fromPackage, type PackageOptions } from './from_package.ts'
export { readTasks, type TaskOptions } from './tasks.ts'
