/** Numbers for people. */

/** A number with its noun: `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A size: bytes below 10,000, else with a unit of 1,024. */
export function sized(bytes: number): string {
  if (bytes < 10_000) return counted(bytes, 'byte')
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10))
  return `${(bytes / 1024 ** power).toFixed(1)} ${['bytes', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`
}
