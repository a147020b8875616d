/** Names of references: git's own rules. */
import { FilewrightError } from '../core/errors.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses exactly these.
const REFUSED = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/

/** Whether git takes a name with at least one `/`, as `git check-ref-format` tells. */
export function isRefName(name: string): boolean {
  return (
    name.includes('/') &&
    !REFUSED.test(name) &&
    name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
  )
}

/** Whether a name can be that of a reference in a repository: below `refs/`, or one of git's own such as HEAD. */
export function isStoredName(name: string): boolean {
  return /^[A-Z][A-Z_]*$/.test(name) || (name.startsWith('refs/') && isRefName(name))
}

/** Throws `invalid_name` for what git refuses as the name of a reference. */
export function checkRefName(name: string): void {
  // A lone surrogate is a byte that is not UTF-8, which no name that we make has.
  if (!isStoredName(name) || !name.isWellFormed()) {
    throw new FilewrightError(
      'invalid_name',
      `${JSON.stringify(name)} is not a name that git allows for a reference. Use letters, digits, "-", "_" and "/", such as refs/heads/topic.`,
    )
  }
}

/** The full name of a tag. Throws `invalid_name` for what `git tag` refuses. */
export function tagRef(tag: string): string {
  const name = `refs/tags/${tag}`
  if (tag.startsWith('-') || tag === 'HEAD') {
    throw new FilewrightError('invalid_name', `${JSON.stringify(tag)} is not a name that git allows for a tag. Choose another name.`)
  }
  checkRefName(name)
  return name
}

/** The full name of a branch. Throws `invalid_name` for what `git branch` refuses. */
export function branchRef(branch: string): string {
  const name = `refs/heads/${branch}`
  if (branch.startsWith('-') || branch === 'HEAD' || branch === '@') {
    throw new FilewrightError('invalid_name', `${JSON.stringify(branch)} is not a name that git allows for a branch. Choose another name.`)
  }
  checkRefName(name)
  return name
}
