/** The `sessions` profile: an agent's own workspace under `sessions/`; arguments and answers are plain strings. */
import { appendFile } from '../tools/sessions/append_file.ts'
import { editFile } from '../tools/sessions/edit_file.ts'
import { readFile } from '../tools/sessions/read_file.ts'
import { writeFile } from '../tools/sessions/write_file.ts'
import type { Tool } from '../tools/tool.ts'
import { itself } from './plain.ts'
import type { BoundTool, Profile } from './profile.ts'

/** One text; that of a failure begins with `Error:` (S-1). */
function bind(tool: Tool): BoundTool {
  return {
    tool,
    outputSchema: null,
    route: itself(tool),
    render: ({ result, error }) => {
      const text = error ? `Error: ${error.message}` : tool.text(result)
      return { result: { text }, text }
    },
  }
}

/** Tools of contract section 3. */
export const sessions: Profile = {
  name: 'sessions',
  title: 'for agents with one folder to write in, which read plain text',
  guarded: false,
  tools: [readFile, writeFile, editFile, appendFile].map(bind),
}
