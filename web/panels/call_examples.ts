/** What a call of each tool nearly always gives beside its path, as something to begin with. */
import { isOperation, OPERATIONS } from '../../src/tools/operations.ts'

interface Example {
  readonly [argument: string]: unknown
}

const NOTHING: Example = {}

const EXAMPLES: { readonly [tool: string]: Example } = {
  file_ops_hub: { operation: 'view_file', path: '', config: {} },
  search_files: { search_path: '.', query: '' },
  file_tree: { root_path: '.' },
  list_directory: { directory_path: '.' },
  file_info: { path: '.' },
  write_file: { content: '' },
  create_file: { content: '' },
  edit_file: { replacements: [{ old_content: '', new_content: '' }] },
  patch_file: { patches: [{ op: 'set', path: '/name', value: '' }] },
  copy_file: { destination_path: '' },
  move_file: { destination_path: '' },
  rollback_file: { backup_id: 'last' },
  str_replace_based_edit_tool: { command: 'view', path: '.' },
  memory: { command: 'view', path: '/memories' },
  apply_patch: { input: '*** Begin Patch\n*** Add File: \n+\n*** End Patch' },
  batch_file_ops: { operations: [{ operation: 'create_file', path: '', config: { content: '' } }] },
}

/** Where a call of a tool begins. */
export function exampleOf(tool: string): Example {
  return Object.hasOwn(EXAMPLES, tool) ? (EXAMPLES[tool] as Example) : NOTHING
}

/** Where the configuration of one of the hub's operations begins: without the path, which the hub takes by itself. */
export function configExample(operation: string): Example {
  const path = pathOf(operation)
  return Object.fromEntries(Object.entries(exampleOf(operation)).filter(([name]) => name !== path))
}

/** The argument that the hub's path stands for. */
export function pathOf(operation: string): string | null {
  return isOperation(operation) ? OPERATIONS[operation].path : null
}
