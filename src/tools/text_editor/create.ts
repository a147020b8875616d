/** `create`: a new file. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import { encodeText } from '../../text/utf8.ts'
import { content } from '../arguments.ts'
import { defineTool, type Tool } from '../tool.ts'
import { changeTarget, editedPath, type Place, saying } from './place.ts'

const input = z.object({ path: editedPath, file_text: content('The whole content of the new file.') })

/** Creates a file, with its directories; replaces nothing. */
export function createCommand(place: Place): Tool {
  return defineTool({
    name: 'create',
    title: 'Create',
    description: 'Creates a file with its parent directories. What is there is never replaced.',
    kind: 'write',
    idempotent: false,
    destructive: false,
    input,
    ...saying,
    targets: changeTarget(place),
    risk: () => 'small',
    async run({ view }, { path, file_text }) {
      const target = await place.resolve(view, path, { field: 'path' })
      if (target.entry) throw exists(place, path)
      view.write(target, await view.content(encodeText(file_text)), { expect: 'absent' })
      return { result: { text: `File created successfully at: ${path}` } }
    },
  })
}

function exists({ name }: Place, path: string): FilewrightError {
  const message =
    name === 'memories'
      ? `File ${path} already exists`
      : `File already exists at: ${path}. Cannot overwrite files using command \`create\`.`
  return new FilewrightError('already_exists', message, { field: 'path' })
}
