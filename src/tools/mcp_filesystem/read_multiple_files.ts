/** `read_multiple_files`: the texts of several files, each by itself. */
import { z } from 'zod'
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import { utf8Length } from '../../core/path.ts'
import { textList } from '../arguments.ts'
import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { reading } from './answer.ts'
import { failureText } from './failure.ts'
import { resolveGiven } from './given_path.ts'
import { readText } from './read_text.ts'

const NAME = 'read_multiple_files'

const input = z.strictObject({ paths: textList('The files.').min(1, 'must name at least one file') })

/** Reads files one after another. One that cannot be read does not keep the others from being read. */
export const readMultipleFiles: Tool = defineTool({
  name: NAME,
  title: 'Read Multiple Files',
  description:
    'Reads several text files at once, each under its path. A file that cannot be read is told with its reason, and the others are read all the same. Only in the allowed directories.',
  ...reading,
  input,
  targets: ({ paths }) => paths.map((path, i) => ({ path, field: `paths[${i}]`, use: 'read' as const })),
  async run(context, { paths }) {
    const texts: string[] = []
    let left = context.view.traits.limits.textBytes
    for (const path of paths) {
      context.signal.throwIfAborted()
      const text = await textOf(context, path, left)
      left -= utf8Length(text)
      texts.push(text)
    }
    return { result: { content: texts.join('\n---\n') } }
  },
})

/** A file's part of the answer. Together they are bounded as one file is. */
async function textOf({ view, signal }: ToolContext, path: string, left: number): Promise<string> {
  try {
    const target = await resolveGiven(view, path)
    if ((target.entry?.size ?? 0) > left) {
      throw new FilewrightError('too_large', `${path} does not fit beside the files before it: read it in a call of its own.`)
    }
    return `${path}:\n${await readText(view, target, { end: 'whole' }, signal)}\n`
  } catch (error) {
    if (!isFilewrightError(error)) throw error
    const failure = failureText(error, { tool: NAME, act: 'open', paths: [path], root: view.traits.root || '/' })
    return `${path}: Error - ${failure}`
  }
}
