/** The operations of a `batch`: which tool each one is, and what its arguments are called there. */
import { argumentNames, type checkValue, type SentArguments } from '../arguments.ts'
import { backupFile } from '../backup_file.ts'
import { copyFile } from '../copy_file.ts'
import { createDirectory } from '../create_directory.ts'
import { diffFile } from '../diff_file.ts'
import { fileInfo } from '../file_info.ts'
import { listBackups } from '../list_backups.ts'
import { moveFile } from '../move_file.ts'
import type { OperationName } from '../operations.ts'
import { rollbackFile } from '../rollback_file.ts'
import type { Tool } from '../tool.ts'
import { validateFile } from '../validate_file.ts'
import { remove } from './delete.ts'
import { edit } from './edit.ts'
import { inOwnNamesNow, type OwnNames } from './own_names.ts'
import { undo } from './undo.ts'
import { write } from './write.ts'

/** The names of the operations. */
export const OPERATION_NAMES = [
  'write',
  'edit',
  'move',
  'copy',
  'delete',
  'mkdir',
  'backup',
  'backups',
  'restore',
  'undo',
  'diff',
  'validate',
  'info',
] as const

/** The name of an operation. */
export type NativeOperationName = (typeof OPERATION_NAMES)[number]

/** One operation. */
export interface NativeOperation {
  readonly tool: Tool
  /** The operation whose switch turns it off (W-7). */
  readonly hub: OperationName
  /** Own names of arguments that the tool calls otherwise. */
  readonly names: OwnNames
  /** It takes permissions and dry runs. */
  readonly changes: boolean
  /** Checks arguments under their own names; `at` is where they stand. Throws what the check throws, in the caller's notation. */
  read(given: SentArguments, at: string, check: typeof checkValue): unknown
  /** What of its result is told: neither what the text holds nor what every call has. */
  tell(result: object): object
}

const HIDDEN: readonly string[] = [
  'path',
  'content',
  'summary',
  'dry_run',
  'file_path',
  'source_path',
  'destination_path',
  'directory_path',
]

function operation(tool: Tool, hub: OperationName, names: OwnNames = {}, fixed: SentArguments = {}): NativeOperation {
  const foreign = new Map(Object.entries(names))
  return {
    tool,
    hub,
    names,
    changes: tool.kind === 'write' && tool !== backupFile,
    read(given, at, check) {
      const known = argumentNames(tool)
      const members = Object.entries(given).map(([name, value]) => [foreign.get(name) ?? name, value] as const)
      const kept = members.filter(([name, value]) => value !== undefined && (name !== 'dry_run' || known.includes(name)))
      return inOwnNamesNow(names, () => check(tool.input, { ...fixed, ...Object.fromEntries(kept) }, ''), `${at}.`)
    },
    tell: (result) => Object.fromEntries(Object.entries(result).filter(([name]) => !HIDDEN.includes(name))),
  }
}

const FILE = { path: 'file_path' }

/** Every operation by its name. */
export const OPERATIONS: { readonly [name in NativeOperationName]: NativeOperation } = {
  write: operation(write, 'write_file'),
  edit: operation(edit, 'edit_file'),
  move: operation(moveFile, 'move_file', { path: 'source_path', to: 'destination_path' }),
  copy: operation(copyFile, 'copy_file', { path: 'source_path', to: 'destination_path' }, { recursive: true }),
  delete: operation(remove, 'delete_file'),
  mkdir: operation(createDirectory, 'create_directory', { path: 'directory_path' }),
  backup: operation(backupFile, 'backup_file', FILE),
  backups: operation(listBackups, 'list_backups', FILE),
  restore: operation(rollbackFile, 'rollback_file', { ...FILE, backup: 'backup_id' }, { backup_id: 'last' }),
  undo: operation(undo, 'rollback_file'),
  diff: operation(diffFile, 'diff_file', { ...FILE, to: 'compare_path', content: 'new_content' }),
  validate: operation(validateFile, 'validate_file', FILE),
  info: operation(fileInfo, 'file_info'),
}

/** Whether a name is an operation's. */
export function isNativeOperation(name: string): name is NativeOperationName {
  return Object.hasOwn(OPERATIONS, name)
}
