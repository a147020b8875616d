/** The operations of the hub: the tool that each one is, the switch that turns it off, and where its `path` goes (contract P-150). */
import { isNearName, nearestName } from './nearest_name.ts'

/** One operation. */
export interface Operation {
  /** The operator's switch, without `allow_`. */
  readonly switch: Switch
  /** The argument of the tool that `path` stands for; null when there is none. */
  readonly path: string | null
  /** What `path` is when it is not given; null when it must be. */
  readonly defaultPath: string | null
}

/** A switch of the hub. */
export type Switch =
  | 'read_info'
  | 'read_content'
  | 'list_directory'
  | 'search'
  | 'file_tree'
  | 'diff'
  | 'validate'
  | 'write'
  | 'edit'
  | 'patch'
  | 'copy'
  | 'backup'
  | 'move'
  | 'rollback'
  | 'delete'
  | 'batch'

const operation = (name: Switch, path: string | null = 'file_path', defaultPath: string | null = null): Operation => ({
  switch: name,
  path,
  defaultPath,
})

/** The name of an operation. */
export type OperationName =
  | 'file_info'
  | 'view_file'
  | 'list_directory'
  | 'search_files'
  | 'file_tree'
  | 'diff_file'
  | 'validate_file'
  | 'write_file'
  | 'create_file'
  | 'create_directory'
  | 'edit_file'
  | 'patch_file'
  | 'copy_file'
  | 'move_file'
  | 'delete_file'
  | 'backup_file'
  | 'list_backups'
  | 'rollback_file'
  | 'batch_file_ops'

/** Every operation by its name, in the order of the contract. */
export const OPERATIONS: { readonly [name in OperationName]: Operation } = {
  file_info: operation('read_info', 'path'),
  view_file: operation('read_content'),
  list_directory: operation('list_directory', 'directory_path', '.'),
  search_files: operation('search', 'search_path', '.'),
  file_tree: operation('file_tree', 'root_path', '.'),
  diff_file: operation('diff'),
  validate_file: operation('validate'),
  write_file: operation('write'),
  create_file: operation('write'),
  create_directory: operation('write', 'directory_path'),
  edit_file: operation('edit'),
  patch_file: operation('patch'),
  copy_file: operation('copy', 'source_path'),
  move_file: operation('move', 'source_path'),
  delete_file: operation('delete'),
  backup_file: operation('backup'),
  list_backups: operation('backup'),
  rollback_file: operation('rollback'),
  batch_file_ops: operation('batch', null),
}

/** The switches, in the order of the contract. */
export const SWITCHES: readonly Switch[] = [...new Set(Object.values(OPERATIONS).map((one) => one.switch))]

/** What other systems call the operations. */
const ALIASES: { readonly [name: string]: OperationName } = {
  rm: 'delete_file',
  remove: 'delete_file',
  unlink: 'delete_file',
  cat: 'view_file',
  read: 'view_file',
  read_file: 'view_file',
  open: 'view_file',
  head: 'view_file',
  tail: 'view_file',
  ls: 'list_directory',
  dir: 'list_directory',
  list: 'list_directory',
  tree: 'file_tree',
  find: 'file_tree',
  grep: 'search_files',
  rg: 'search_files',
  cp: 'copy_file',
  mv: 'move_file',
  rename: 'move_file',
  mkdir: 'create_directory',
  touch: 'create_file',
  save: 'write_file',
  append: 'write_file',
  replace: 'edit_file',
  str_replace: 'edit_file',
  stat: 'file_info',
  undo: 'rollback_file',
  restore: 'rollback_file',
  batch: 'batch_file_ops',
}

/** The operation that a name was most likely meant to be. */
export function nearestOperation(name: string): OperationName {
  return aliased(name) ?? (nearestName(name, Object.keys(OPERATIONS)) as OperationName)
}

/** Whether a name can hardly have been meant for anything but this operation. */
export function isNearOperation(name: string, operation: OperationName): boolean {
  return aliased(name) === operation || isNearName(name, operation)
}

function aliased(name: string): OperationName | undefined {
  const folded = name.toLowerCase()
  return Object.hasOwn(ALIASES, folded) ? ALIASES[folded] : undefined
}

/** Whether a name is an operation's. */
export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name)
}
