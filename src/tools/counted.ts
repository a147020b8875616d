/** Numbers with their nouns, for lines that people read. */

/** `1 byte`, `2 bytes`; `2 entries` where the plural is given. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}
