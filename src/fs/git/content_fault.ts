/** Contents that a repository names and does not have. */
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'

/**
 * A failure to read an object that a tree names, as one of its file: that is there, also where its content is not, as in a partial
 * clone without its server. Taken for a file that is gone, it would be passed over, or written anew.
 */
export function contentFault(error: unknown): unknown {
  if (!isFilewrightError(error, 'not_found') || error.details?.oid === undefined) return error
  const says = `${error.message} A file of it cannot be read: fetch what is missing, or open a whole clone.`
  return new FilewrightError('io_error', says, { details: error.details, cause: error })
}
