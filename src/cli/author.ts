/** Whom the operator names as the author of commits. */
import { FilewrightError } from '../core/errors.ts'

/** Reads `Name <address>`. Throws `invalid_argument` for anything else. */
export function parseAuthor(text: string): { readonly name: string; readonly email: string } {
  const [, name = '', email = ''] = /^([^<>\n]*)<([^<>\n\s]+)>$/.exec(text.trim()) ?? []
  if (name.trim() !== '' && email !== '') return { name: name.trim(), email }
  throw new FilewrightError('invalid_argument', '--author must be a name and an address: "Ana <ana@example.org>".', { field: 'author' })
}
