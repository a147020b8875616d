/** `read_file`: the older name of `read_text_file`. */
import type { Tool } from '../tool.ts'
import { readTextFile } from './read_text_file.ts'

/** Reads a text file. */
export const readFile: Tool = {
  ...readTextFile,
  name: 'read_file',
  title: 'Read File (Deprecated)',
  description: 'The older name of read_text_file: use that one.',
}
