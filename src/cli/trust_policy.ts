/** Reads the file of `--trust-policy`. */
import { readFileSync } from 'node:fs'
import { FilewrightError } from '../core/errors.ts'
import { parseJson } from '../http/json.ts'
import { parseTrustPolicy, type TrustPolicy } from '../policy/trust.ts'
import type { Settings } from './settings.ts'

/**
 * The policy that the settings name; undefined when they name none. Throws `invalid_argument` for a file that cannot be read, is not
 * strict JSON or is no policy, `missing_argument` for the mode `trusted` without one, and `invalid_argument` for one without that mode:
 * nobody should believe that it holds.
 */
export function readTrustPolicy({ approval, trustPolicy: file }: Settings): TrustPolicy | undefined {
  if (file === undefined) {
    if (approval !== 'trusted') return undefined
    throw new FilewrightError('missing_argument', '--approval trusted needs --trust-policy FILE.', { field: 'trust-policy' })
  }
  if (approval !== 'trusted') throw wrong('--trust-policy has a meaning with --approval trusted only.')
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw wrong(`${file} cannot be read.`, error)
  }
  try {
    return parseTrustPolicy(parseJson(text))
  } catch (error) {
    throw wrong(`${file}: ${(error as Error).message}`, error)
  }
}

function wrong(message: string, cause?: unknown): FilewrightError {
  return new FilewrightError('invalid_argument', message, { field: 'trust-policy', cause })
}
