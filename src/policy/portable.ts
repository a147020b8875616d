/** Names that some other platform cannot hold; refused for new files only when the operator asks for portable names. */
import { FilewrightError } from '../core/errors.ts'

const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i
const FORBIDDEN = /["*:<>?\\|]/
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/u

/** Throws `invalid_name` with the reason when a new name is not portable (security.md P18–P29). */
export function checkPortableName(name: string, given: string): void {
  const reason = RESERVED.test(name)
    ? 'is reserved on Windows'
    : FORBIDDEN.test(name)
      ? 'holds a character that Windows forbids'
      : /[. ]$/.test(name)
        ? 'ends in a dot or a space'
        : INVISIBLE.test(name)
          ? 'holds invisible or direction-changing characters'
          : name === '~'
            ? 'means the home directory to a shell'
            : null
  if (reason) throw new FilewrightError('invalid_name', `${given}: the name ${JSON.stringify(name)} ${reason}.`)
}
