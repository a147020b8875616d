/** What small changes cost in rows: the acts that are counted, on every database. */
import type { FileSystem } from '../../../src/core/file_system.ts'
import { backUp, commit, copy, hashOf, makeDirectory, move, remove, write } from '../../../src/testing/setup.ts'

/** Statements that write, and rows they wrote. */
export interface Cost {
  readonly statements: number
  readonly rows: number
}

/** Most that one act may cost. Creating and removing also set the time of the directory. */
export const LIMITS: { readonly [act: string]: Cost } = {
  edit: { statements: 3, rows: 4 },
  'edit back to known content': { statements: 3, rows: 4 },
  create: { statements: 4, rows: 5 },
  remove: { statements: 3, rows: 3 },
  copy: { statements: 4, rows: 4 },
  'copy over a file': { statements: 3, rows: 3 },
  snapshot: { statements: 2, rows: 2 },
  'new note': { statements: 1, rows: 1 },
  'another value': { statements: 1, rows: 1 },
  rename: { statements: 4, rows: 5 },
}

export function isWrite(query: string): boolean {
  return /^(INSERT|UPDATE|DELETE|REPLACE)\b/.test(query)
}

/** Does each act of {@link LIMITS} and tells `measure` its name. */
export async function doActs(fs: FileSystem, measure: (act: string, action: () => Promise<unknown>) => Promise<void>): Promise<void> {
  await commit(fs, makeDirectory('d'), write(fs, 'd/f', 'one'))
  await measure('edit', () => commit(fs, write(fs, 'd/f', 'two', hashOf(fs, 'one'))))
  await measure('edit back to known content', () => commit(fs, write(fs, 'd/f', 'one', hashOf(fs, 'two'))))
  await measure('create', () => commit(fs, write(fs, 'd/g', 'three')))
  await measure('remove', () => commit(fs, remove('d/g', hashOf(fs, 'three'))))
  await measure('copy', () => commit(fs, copy('d/f', 'd/h', hashOf(fs, 'one'))))
  await measure('copy over a file', () => commit(fs, copy('d/f', 'd/h', hashOf(fs, 'one'), hashOf(fs, 'one'))))
  await measure('snapshot', () => commit(fs, backUp('d/f', hashOf(fs, 'one'))))
  await measure('new note', () => fs.notes.swap('group/name', null, 'one'))
  await measure('another value', () => fs.notes.swap('group/name', 'one', 'two'))
  await measure('rename', () => commit(fs, move('d/f', 'h', hashOf(fs, 'one'))))
}
