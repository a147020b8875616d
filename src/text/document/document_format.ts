/** Which format a file has, by its name or its first character (P-65, P-67, P-100). */

/** A format that is told. */
export type DocumentFormat = 'json' | 'yaml' | 'text' | 'markdown'

const BY_EXTENSION: { readonly [extension: string]: DocumentFormat } = {
  json: 'json',
  jsonc: 'json',
  yaml: 'yaml',
  yml: 'yaml',
  md: 'markdown',
  markdown: 'markdown',
}

/** The format that a name's extension tells; null when it tells none. */
export function formatByName(path: string): DocumentFormat | null {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(BY_EXTENSION, extension) ? (BY_EXTENSION[extension] as DocumentFormat) : null
}

/** Whether a JSON file may hold comments and trailing commas: `*.jsonc`, `tsconfig*.json`, `jsconfig*.json`, `.vscode/*.json` (P-65). */
export function isRelaxedJson(path: string): boolean {
  return /\.jsonc$|(?:^|\/)(?:[tj]sconfig[^/]*|\.vscode\/[^/]+)\.json$/i.test(path)
}

/** The format of a text by its first character that is no white space (P-100). */
export function formatByContent(head: string): 'json' | 'yaml' {
  return /^\ufeff?\s*[[{"]/.test(head) ? 'json' : 'yaml'
}
