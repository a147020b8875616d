/** A file's bytes as editable text and back, byte for byte. */

/** Text that an editor can hold without changing a byte that nobody typed. */
export interface EditableText {
  readonly kind: 'text'
  /** With its byte order mark, if it has one. */
  readonly text: string
  /** What ends a line. A file of mixed endings is edited with its carriage returns visible. */
  readonly lineSeparator: '\n' | '\r\n'
}

/** Why a file cannot be edited here. */
export interface NotEditable {
  readonly kind: 'binary' | 'invalid_utf8' | 'large'
}

/** Largest file that is opened in the editor, in bytes. */
const MOST_BYTES = 4 * 1024 * 1024

/** The text of a file, or why there is none. */
export function editableText(bytes: Uint8Array): EditableText | NotEditable {
  if (bytes.length > MOST_BYTES) return { kind: 'large' }
  if (bytes.subarray(0, 8192).includes(0)) return { kind: 'binary' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const onlyCrlf = text.includes('\r\n') && !/\r(?!\n)|(?<!\r)\n/.test(text)
    return { kind: 'text', text, lineSeparator: onlyCrlf ? '\r\n' : '\n' }
  } catch {
    return { kind: 'invalid_utf8' }
  }
}
