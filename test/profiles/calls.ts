/** One call of every tool of every profile, for the tests that hold whatever the tool is. */

/** The arguments of a call that acts on `path`. */
export type CallOn = (path: string) => object

const edit = [{ old_content: 'one', new_content: '1' }]

const fileops: { readonly [tool: string]: CallOn } = {
  view_file: (file_path) => ({ file_path }),
  write_file: (file_path) => ({ file_path, content: 'new\n', force_overwrite: true }),
  edit_file: (file_path) => ({ file_path, replacements: edit }),
  patch_file: (file_path) => ({ file_path, format: 'json', patches: [{ op: 'set', path: '/a', value: 2 }] }),
  copy_file: (source_path) => ({ source_path, destination_path: 'copied', recursive: true }),
  move_file: (source_path) => ({ source_path, destination_path: 'moved' }),
  delete_file: (file_path) => ({ file_path }),
  diff_file: (file_path) => ({ file_path, new_content: 'x' }),
  validate_file: (file_path) => ({ file_path }),
  file_info: (path) => ({ path }),
  file_tree: (root_path) => ({ root_path }),
  list_directory: (directory_path) => ({ directory_path }),
  search_files: (search_path) => ({ search_path, query: 'one' }),
  backup_file: (file_path) => ({ file_path }),
  rollback_file: (file_path) => ({ file_path, backup_id: 'last' }),
}

const hubOf = (operation: string, config: object = {}): CallOn => {
  return (path) => ({ operation, path, config })
}

const batchOf = (op: string, options: object = {}): CallOn => {
  return (path) => ({ operations: [{ op, path, ...options }] })
}

const editorOf = (command: string, args: object = {}): CallOn => {
  return (path) => ({ command, path, ...args })
}

const memoryOf = (command: string, args: object = {}): CallOn => {
  return (path) => ({ command, path: `/memories/${path}`, ...args })
}

const patchOf = (body: (path: string) => string): CallOn => {
  return (path) => ({ input: `*** Begin Patch\n${body(path)}\n*** End Patch` })
}

/** Calls by profile, then by a name that begins with the tool's. */
export const CALLS: { readonly [profile: string]: { readonly [name: string]: CallOn } } = {
  native: {
    read: (path) => ({ path }),
    'read hex': (path) => ({ path, as: 'hex' }),
    'read several': (path) => ({ paths: [path] }),
    write: (path) => ({ path, content: 'new\n' }),
    'write append': (path) => ({ path, content: 'new\n', mode: 'append' }),
    edit: (path) => ({ path, old: 'one', new: '1' }),
    'edit lines': (path) => ({ path, edits: [{ insert_line: 0, new: 'zero' }] }),
    'edit patches': (path) => ({ path, patches: [{ op: 'set', path: '/a', value: 2 }] }),
    list: (path) => ({ path }),
    'list find': (path) => ({ path, glob: '*' }),
    grep: (path) => ({ path, pattern: 'one' }),
    tree: (path) => ({ path }),
    'batch write': batchOf('write', { content: 'new\n' }),
    'batch edit': batchOf('edit', { old: 'one', new: '1' }),
    'batch move': batchOf('move', { to: 'moved' }),
    'batch move to': (to) => ({ operations: [{ op: 'move', path: 'a.txt', to, overwrite: true }] }),
    'batch copy': batchOf('copy', { to: 'copied' }),
    'batch copy to': (to) => ({ operations: [{ op: 'copy', path: 'a.txt', to, overwrite: true }] }),
    'batch delete': batchOf('delete', { recursive: true }),
    'batch mkdir': batchOf('mkdir'),
    'batch backup': batchOf('backup'),
    'batch backups': batchOf('backups'),
    'batch restore': batchOf('restore'),
    'batch undo': batchOf('undo'),
    'batch diff': batchOf('diff', { content: 'x' }),
    'batch validate': batchOf('validate'),
    'batch info': batchOf('info'),
    'run in': (cwd) => ({ command: 'true', cwd }),
  },
  fileops: {
    ...fileops,
    'copy_file to': (destination_path) => ({ source_path: 'a.txt', destination_path, overwrite: true }),
    'move_file to': (destination_path) => ({ source_path: 'a.txt', destination_path, overwrite: true }),
    'diff_file with': (compare_path) => ({ file_path: 'a.txt', compare_path }),
    'write_file backup to': (backup_root) => ({ file_path: 'a.txt', content: 'x', force_overwrite: true, backup_root }),
    'rollback_file of another': (file_path) => ({ file_path, backup_id: 'last', allow_target_override: true }),
    'file_ops_hub view': hubOf('view_file'),
    'file_ops_hub write': hubOf('write_file', { content: 'new\n' }),
    'file_ops_hub create': hubOf('create_file', { content: '' }),
    'file_ops_hub mkdir': hubOf('create_directory'),
    'file_ops_hub backups': hubOf('list_backups'),
    'file_ops_hub batch': (path) => ({
      operation: 'batch_file_ops',
      config: { operations: [{ operation: 'write_file', path, config: { content: 'x', force_overwrite: true } }] },
    }),
  },
  fsproc: {
    read_file: (file) => ({ file }),
    write_file: (file) => ({ file, content: 'new\n' }),
    edit_file: (file) => ({ file, old: 'one', new: '1' }),
    search_files: (path) => ({ path, pattern: 'one' }),
    list_dir: (path) => ({ path }),
    file_bytes: (path) => ({ path }),
    'run_command in': (cwd) => ({ command: 'true', cwd }),
    'run_command below': (path) => ({ command: 'true', path }),
    'batch_edit replace': (file) => ({ operations: [{ op: 'replace', file, edits: [{ old: 'one', new: '1' }] }] }),
    'batch_edit create': (file) => ({ operations: [{ op: 'create', file, content: 'new\n' }] }),
    'batch_edit delete': (file) => ({ operations: [{ op: 'delete', file }] }),
    'batch_edit below': (path) => ({ path, operations: [{ op: 'create', file: 'f', content: '' }] }),
    'batch_edit_check below': (path) => ({ path, operations: [{ op: 'create', file: 'f', content: '' }] }),
    'batch_rollback below': (path) => ({ path, checkpoint: 'none' }),
  },
  sessions: {
    read_file: (path) => ({ path }),
    write_file: (path) => ({ path, content: 'new\n' }),
    edit_file: (path) => ({ path, old_text: 'one', new_text: '1' }),
    append_file: (path) => ({ path, content: 'more' }),
  },
  builtin: {
    'builtin/file-read': (path) => ({ path }),
    'builtin/file-write': (path) => ({ path, content: 'new\n' }),
    'builtin/file-edit': (path) => ({ path, old_text: 'one', new_text: '1' }),
    'builtin/file-delete': (path) => ({ path }),
    'builtin/file-list': (path) => ({ path }),
    'builtin/file-search': (path) => ({ path, pattern: 'one' }),
  },
  'mcp-filesystem': {
    read_file: (path) => ({ path }),
    read_text_file: (path) => ({ path, head: 1 }),
    read_media_file: (path) => ({ path }),
    read_multiple_files: (path) => ({ paths: ['a.txt', path] }),
    write_file: (path) => ({ path, content: 'new\n' }),
    edit_file: (path) => ({ path, edits: [{ oldText: 'one', newText: '1' }] }),
    create_directory: (path) => ({ path }),
    list_directory: (path) => ({ path }),
    list_directory_with_sizes: (path) => ({ path, sortBy: 'size' }),
    directory_tree: (path) => ({ path }),
    move_file: (source) => ({ source, destination: 'moved' }),
    'move_file to': (destination) => ({ source: 'a.txt', destination }),
    search_files: (path) => ({ path, pattern: '**/*' }),
    get_file_info: (path) => ({ path }),
    list_allowed_directories: () => ({}),
  },
  'text-editor': {
    'str_replace_based_edit_tool view': editorOf('view'),
    'str_replace_based_edit_tool create': editorOf('create', { file_text: 'new\n' }),
    'str_replace_based_edit_tool replace': editorOf('str_replace', { old_str: 'one', new_str: '1' }),
    'str_replace_based_edit_tool insert': editorOf('insert', { insert_line: 0, insert_text: 'zero' }),
    'str_replace_based_edit_tool undo': editorOf('undo_edit'),
    'memory view': memoryOf('view'),
    'memory create': memoryOf('create', { file_text: 'new\n' }),
    'memory replace': memoryOf('str_replace', { old_str: 'one', new_str: '1' }),
    'memory insert': memoryOf('insert', { insert_line: 0, insert_text: 'zero' }),
    'memory delete': memoryOf('delete'),
    'memory rename': (path) => ({ command: 'rename', old_path: `/memories/${path}`, new_path: '/memories/renamed' }),
    'memory rename to': (path) => ({ command: 'rename', old_path: '/memories/a.txt', new_path: `/memories/${path}` }),
  },
  'apply-patch': {
    apply_patch: patchOf((path) => `*** Update File: ${path}\n@@\n-one\n+1`),
    'apply_patch add': patchOf((path) => `*** Add File: ${path}\n+new`),
    'apply_patch delete': patchOf((path) => `*** Delete File: ${path}`),
    'apply_patch move': patchOf((path) => `*** Update File: ${path}\n*** Move to: moved\n@@\n-one\n+1`),
    'apply_patch move to': patchOf((path) => `*** Update File: a.txt\n*** Move to: ${path}\n@@\n-one\n+1`),
  },
  git: {
    'git_log show': (show) => ({ show }),
    git_status: (path) => ({ paths: [path] }),
    'git_diff below': (path) => ({ paths: [path] }),
    'git_diff from': (from) => ({ from }),
    git_log: (path) => ({ paths: [path] }),
    'git_commit of': (path) => ({ message: 'm', paths: [path], dry_run: true }),
    git_branch: () => ({}),
    'git_branch create': (name) => ({ action: 'create', name, dry_run: true }),
  },
}

/** The tool of a name in {@link CALLS}. */
export function toolNamed(name: string): string {
  return name.split(' ', 1)[0] as string
}
