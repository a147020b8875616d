/** Whether a text is well-formed JSON or YAML, and where it is not (P-100). */
import { checkJson, type KeyListener, type TextProblem } from '../json/scan.ts'
import { bomLength, decodeLossy, firstInvalid, isUtf8 } from '../utf8.ts'

/** What was found. */
export interface Validation {
  readonly valid: boolean
  readonly message?: string
  /** Of the problem, from 1; columns count characters. */
  readonly line?: number
  readonly column?: number
  /** What is worth knowing of a text that is valid, as ends of a sentence. */
  readonly notes: readonly string[]
}

/** Checks a text; `relaxed` allows comments and trailing commas in JSON. Throws `too_large` for YAML that is too much to parse. */
export async function validateBytes(bytes: Uint8Array, format: 'json' | 'yaml', relaxed: boolean): Promise<Validation> {
  const bom = bomLength(bytes)
  const notes = bom > 0 ? ['it begins with a byte order mark (BOM)'] : []
  if (!isUtf8(bytes)) {
    const offset = firstInvalid(bytes)
    return invalid(bytes, { offset, message: `not valid UTF-8 at byte ${offset}` })
  }
  if (format === 'yaml') {
    const { problem, documents } = await validateYaml(decodeLossy(bytes.subarray(bom)).text)
    if (!problem) return { valid: true, notes: documents > 1 ? [...notes, `it holds ${documents} documents`] : notes }
    return problem
  }
  const duplicates = createDuplicates(bytes)
  const problem = checkJson(bytes, bom, relaxed, duplicates)
  if (problem) return invalid(bytes, problem)
  const twice = duplicates.first()
  return { valid: true, notes: twice === null ? notes : [...notes, `it has a duplicate key: ${twice}`] }
}

/** Checks YAML without a BOM. */
async function validateYaml(text: string): Promise<{ readonly problem: Validation | null; readonly documents: number }> {
  // Loaded when it is needed: few calls do, and all of them would wait for it.
  const [{ isSimpleYaml }, { checkYaml }] = await Promise.all([import('../yaml/outline.ts'), import('../yaml/document.ts')])
  if (isSimpleYaml(text)) return { problem: null, documents: 1 }
  const { problem, documents } = checkYaml(text)
  return { problem: problem && invalidText(text, problem), documents }
}

/** A problem at an offset in bytes. */
export function invalid(bytes: Uint8Array, { offset, message }: TextProblem): Validation {
  const before = bytes.subarray(bomLength(bytes), offset)
  return { valid: false, message, ...positionAfter(decodeLossy(before).text), notes: [] }
}

/** A problem at an offset in UTF-16 units. */
export function invalidText(text: string, { offset, message }: TextProblem): Validation {
  return { valid: false, message, ...positionAfter(text.slice(0, offset)), notes: [] }
}

function positionAfter(text: string): { readonly line: number; readonly column: number } {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line++
  return { line, column: [...text.slice(text.lastIndexOf('\n') + 1)].length + 1 }
}

/** Looks for keys that stand twice in one object. */
function createDuplicates(bytes: Uint8Array): KeyListener & { first(): string | null } {
  const open: Set<string>[] = []
  let found: string | null = null
  return {
    open: () => void open.push(new Set()),
    close: () => void open.pop(),
    key(start, end) {
      if (found !== null) return
      const keys = open[open.length - 1] as Set<string>
      const text = decodeLossy(bytes.subarray(start - 1, end + 1)).text
      const key: string = JSON.parse(text)
      if (keys.has(key)) found = text.length > 80 ? `${text.slice(0, 80)}…` : text
      keys.add(key)
    },
    first: () => found,
  }
}
