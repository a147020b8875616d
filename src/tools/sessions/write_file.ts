/** `write_file` of the `sessions` profile: creates or overwrites a file inside `sessions/`. */
import { z } from 'zod'
import { countLines } from '../../text/lines.ts'
import { countChars, encodeText } from '../../text/utf8.ts'
import { content } from '../arguments.ts'
import { counted } from '../counted.ts'
import { readExisting } from '../existing_file.ts'
import { stageContent } from '../stage_content.ts'
import { defineTool, type Tool } from '../tool.ts'
import { resolveSession, sessionPath, sessionTarget, shownPath } from './area.ts'
import { spoken, spokenText } from './spoken.ts'

const input = z.object({ path: sessionPath, content: content('The whole new content, stored exactly as given.') })

/** Writes a file, whatever was there (S-20, S-21). */
export const writeFile: Tool = defineTool({
  name: 'write_file',
  title: 'Write file',
  description: 'Creates a file inside sessions/ with its parent directories, or overwrites one.',
  kind: 'write',
  idempotent: true,
  destructive: true,
  input,
  output: spoken,
  targets: sessionTarget,
  failed: () => ({}),
  async run({ view }, args) {
    const target = await resolveSession(view, args.path)
    const existing = await readExisting(view, target)
    const bytes = encodeText(args.content)
    await stageContent(view, target, existing, bytes)
    const size = `(${counted(countLines(bytes), 'line')}, ${counted(countChars(bytes), 'character')})`
    return { result: { text: `${existing ? 'Overwrote' : 'Wrote'} ${shownPath(target)} ${size}` } }
  },
  text: spokenText,
})
