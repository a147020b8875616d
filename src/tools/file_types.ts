/** Names of file types and the extensions they stand for. */

const TYPES: { readonly [name: string]: readonly string[] } = {
  rust: ['rs'],
  js: ['js', 'mjs', 'cjs'],
  javascript: ['js', 'mjs', 'cjs', 'jsx'],
  ts: ['ts', 'mts', 'cts'],
  typescript: ['ts', 'mts', 'cts', 'tsx'],
  py: ['py', 'pyi'],
  python: ['py', 'pyi'],
  kt: ['kt', 'kts'],
  kotlin: ['kt', 'kts'],
  md: ['md', 'markdown'],
  markdown: ['md', 'markdown'],
  yaml: ['yaml', 'yml'],
  c: ['c', 'h'],
  cpp: ['cpp', 'cc', 'cxx', 'hpp', 'hh', 'hxx', 'h'],
  ruby: ['rb'],
  sh: ['sh', 'bash', 'zsh'],
  shell: ['sh', 'bash', 'zsh'],
  html: ['html', 'htm'],
}

/** Lower-case extensions of types; a name that is not known is an extension itself, with or without its dot (P-133). */
export function extensionsOf(types: readonly string[]): ReadonlySet<string> {
  return new Set(
    types.flatMap((type) => {
      const name = type.toLowerCase().replace(/^\./, '')
      return Object.hasOwn(TYPES, name) ? (TYPES[name] as readonly string[]) : [name]
    }),
  )
}
