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

/** Calls by profile, then by a name that begins with the tool's. */
export const CALLS: { readonly [profile: string]: { readonly [name: string]: CallOn } } = {
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
}

/** The tool of a name in {@link CALLS}. */
export function toolNamed(name: string): string {
  return name.split(' ', 1)[0] as string
}
