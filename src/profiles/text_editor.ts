/** The `text-editor` profile: the text editor and the memory tool of Anthropic's API, a call of which can be handed on as it is. */
import { z } from 'zod'
import { type ErrorCode, FilewrightError } from '../core/errors.ts'
import { integer, parseArguments, sentMembers, text } from '../tools/arguments.ts'
import { createCommand } from '../tools/text_editor/create.ts'
import { deleteCommand } from '../tools/text_editor/delete.ts'
import { insertCommand } from '../tools/text_editor/insert.ts'
import { MEMORIES, said, WORKSPACE } from '../tools/text_editor/place.ts'
import { renameCommand } from '../tools/text_editor/rename.ts'
import { strReplaceCommand } from '../tools/text_editor/str_replace.ts'
import { undoEditCommand } from '../tools/text_editor/undo_edit.ts'
import { viewCommand, viewRange } from '../tools/text_editor/view.ts'
import type { Tool, ToolFacts } from '../tools/tool.ts'
import type { BoundTool, Profile } from './profile.ts'

type Commands = { readonly [command: string]: Tool }

const EDITOR: Commands = {
  view: viewCommand(WORKSPACE),
  create: createCommand(WORKSPACE),
  str_replace: strReplaceCommand(WORKSPACE),
  insert: insertCommand(WORKSPACE),
  undo_edit: undoEditCommand(WORKSPACE),
}

const MEMORY: Commands = {
  view: viewCommand(MEMORIES),
  create: createCommand(MEMORIES),
  str_replace: strReplaceCommand(MEMORIES),
  insert: insertCommand(MEMORIES),
  delete: deleteCommand,
  rename: renameCommand,
}

/** What is published: the members of all commands. Which of them a command needs, it tells itself. */
const shape = {
  file_text: text('create: the content.').optional(),
  view_range: viewRange,
  old_str: text('str_replace: text in the file, copied exactly, that occurs once.').optional(),
  new_str: text('str_replace: text to put in its place.').optional(),
  insert_line: integer('insert: the line after which the text is put; 0: before the first.').optional(),
  insert_text: text('insert: the text.').optional(),
}

const editor: ToolFacts = {
  name: 'str_replace_based_edit_tool',
  title: 'Text editor',
  description:
    'Views, creates and edits text files. view shows a file as numbered lines (view_range: a part of it) or lists a directory two levels deep. create makes a new file and replaces none. str_replace puts new_str in the place of old_str, which must occur exactly once. insert puts insert_text after line insert_line. undo_edit takes back the last edit of a file, repeatedly the ones before.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input: z.object({
    command: z.enum(['view', 'create', 'str_replace', 'insert', 'undo_edit']),
    path: text('The file or directory.'),
    ...shape,
  }),
  output: said,
}

const memory: ToolFacts = {
  name: 'memory',
  title: 'Memory',
  description:
    'Keeps notes as files below /memories, which outlast the conversation. view shows a file or lists a directory; create makes a new file; str_replace and insert edit one; delete removes a file or a directory with all that is in it; rename moves one. All paths begin with /memories.',
  kind: 'write',
  idempotent: false,
  destructive: true,
  input: z.object({
    command: z.enum(['view', 'create', 'str_replace', 'insert', 'delete', 'rename']),
    path: text('A path below /memories, or /memories itself.').optional(),
    ...shape,
    old_path: text('rename: the path.').optional(),
    new_path: text('rename: the new path.').optional(),
  }),
  output: said,
}

/** What is told without `Error:` before it. */
const PLAIN: ReadonlySet<ErrorCode> = new Set(['no_match', 'ambiguous_match', 'too_large'])

/** A call is one of its command's tool, which says what that takes; the answer is one text. */
function bind(tool: ToolFacts, commands: Commands): BoundTool {
  return {
    tool,
    outputSchema: null,
    route(sent) {
      const { command, ...args } = sentMembers(sent)
      const own = typeof command === 'string' && Object.hasOwn(commands, command) ? commands[command] : undefined
      if (own) return { tool: own, args: renamed(command as string, args) }
      parseArguments({ input: z.object({ command: text('') }) }, sent)
      const known = Object.keys(commands).join(', ')
      throw new FilewrightError(
        'invalid_argument',
        `Unrecognized command ${command}. The allowed commands for the ${tool.name} tool are: ${known}`,
        {
          field: 'command',
        },
      )
    },
    render: ({ sent, result, error }) => {
      if (!error) return { result, text: String(result.text) }
      const plain = PLAIN.has(error.code) || (error.code === 'not_found' && sentMembers(sent).command === 'view')
      const said = plain ? error.message : `Error: ${error.message}`
      return { result: { text: said }, text: said }
    },
  }
}

/** The text to insert was `new_str` in the versions of the tool up to 20250124. */
function renamed(command: string, args: { readonly [name: string]: unknown }): object {
  const { new_str, ...rest } = args
  return command === 'insert' && new_str !== undefined && !('insert_text' in args) ? { ...rest, insert_text: new_str } : args
}

/** `str_replace_based_edit_tool` and `memory`. */
export const textEditor: Profile = {
  name: 'text-editor',
  title: "for Anthropic's text editor and memory tools",
  guarded: false,
  tools: [bind(editor, EDITOR), bind(memory, MEMORY)],
}
