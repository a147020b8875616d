/** The text file that an edit command changes. */
import { FilewrightError } from '../../core/errors.ts'
import type { Resolved } from '../../core/resolve.ts'
import type { View, WholeFile } from '../../core/view.ts'
import { isBinary } from '../../text/utf8.ts'
import type { Place } from './place.ts'
import { missing } from './view.ts'

/** A text file, read. Throws `not_found`, `is_directory`, `not_regular`, `binary_file`, `too_large`, `outside_root`. */
export async function readEdited(view: View, place: Place, path: string): Promise<{ readonly target: Resolved; readonly file: WholeFile }> {
  const target = await place.resolve(view, path, { field: 'path' })
  if (!target.entry) throw missing(path)
  if (target.entry.kind === 'directory') throw isDirectory(place, path)
  const file = await view.readWhole(target)
  if (isBinary(file.bytes)) throw new FilewrightError('binary_file', `${path} is binary; only text can be edited.`, { field: 'path' })
  return { target, file }
}

function isDirectory({ name }: Place, path: string): FilewrightError {
  if (name === 'memories') return missing(path)
  const message = `The path ${path} is a directory and only the \`view\` command can be used on directories`
  return new FilewrightError('is_directory', message, { field: 'path' })
}
