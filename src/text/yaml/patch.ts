/** Operations on a YAML text, one after the other: a large text is parsed only where an operation touches it. */
import { isFilewrightError } from '../../core/errors.ts'
import { applyOperation, type PatchOperation } from '../document/patch.ts'
import type { TextProblem } from '../json/scan.ts'
import { openYaml, type YamlDocument } from './document.ts'
import { findFragment, LARGE } from './outline.ts'
import { styleFrom } from './splice.ts'

/** A text and the operations on it so far. */
export interface YamlPatcher {
  readonly text: string
  /** Applies one more; the problem is that the text is not well-formed. Throws what `applyOperation` throws. */
  apply(operation: PatchOperation): TextProblem | null
}

/** Begins with a text without BOM; every text of at least `large` units counts as large. */
export function createYamlPatcher(before: string, large: number = LARGE): YamlPatcher {
  let text = before
  let document: YamlDocument | null = null
  return {
    get text() {
      return text
    },
    apply(operation) {
      const quick = text.length >= large && document === null ? patchFragment(text, operation) : null
      if (quick !== null) {
        text = quick
        return null
      }
      if (document === null) {
        const opened = openYaml(text)
        if ('problem' in opened) return opened.problem
        document = opened.document
      }
      document = applyOperation(document, operation)
      text = document.text
      return null
    },
  }
}

/** The text after an operation on one entry of it; null when it takes the whole document to tell. */
function patchFragment(text: string, operation: PatchOperation): string | null {
  const fragment = findFragment(text, operation.path)
  if (!fragment) return null
  const { start, end, path, steps } = fragment
  try {
    const opened = openYaml(text.slice(start, end), styleFrom(text, steps))
    if ('problem' in opened) return null
    const { document } = opened
    const after = applyOperation(document, { ...operation, path })
    // It must still be one entry at the same place, with a line end before what follows.
    const isEntry = isSameEntry(document, after) && (end === text.length || after.text.endsWith('\n'))
    return isEntry ? text.slice(0, start) + after.text + text.slice(end) : null
  } catch (error) {
    // What is wrong is told with the whole path.
    if (isFilewrightError(error)) return null
    throw error
  }
}

function isSameEntry(before: YamlDocument, after: YamlDocument): boolean {
  const [from, to] = [before.root.entry.value, after.root.entry.value]
  const isBlock = !from.flow && !to.flow && from.kind === to.kind && from.start === to.start
  return isBlock && from.entries.length === 1 && to.entries.length === 1
}
