/** Lines with their numbers, as `cat -n` prints them. */

/** Said in the place of a snippet with more characters than one may have. */
export const TOO_LONG_TO_SHOW = '[the changed lines are too long to be shown; view shows their beginning]'

/** `content` begins on line `first`; line ends are not shown. */
export function numbered(content: string, first: number): string {
  return content
    .split('\n')
    .map((line, at) => `${String(first + at).padStart(6)}\t${line.endsWith('\r') ? line.slice(0, -1) : line}`)
    .join('\n')
}
