/** Command lines that are never run: obvious disasters, recognised by a piece of text. No sandbox (F-74). */

/** In lower case; letter case does not count. The first also refuses to remove any other absolute path. */
const DENIED: readonly string[] = ['rm -rf /', 'sudo ', 'mkfs', 'dd if=', ':(){', '> /dev/sd', 'chmod -r 777 /', 'mv / ']

/** The piece of a command line for which it is refused; null when there is none. */
export function deniedPart(command: string): string | null {
  const folded = command.toLowerCase()
  return DENIED.find((part) => folded.includes(part)) ?? null
}
