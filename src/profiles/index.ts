/** The profiles by name. */
import { FilewrightError } from '../core/errors.ts'
import { builtin } from './builtin.ts'
import { fileops } from './fileops.ts'
import { fsproc } from './fsproc.ts'
import type { Profile } from './profile.ts'
import { sessions } from './sessions.ts'

/** All profiles. */
export const PROFILES: readonly Profile[] = [fileops, fsproc, sessions, builtin]

/** The profile of a name. Throws `invalid_argument`, naming those that there are. */
export function profileNamed(name: string): Profile {
  const profile = PROFILES.find((one) => one.name === name)
  if (profile) return profile
  const known = PROFILES.map((one) => one.name).join(', ')
  throw new FilewrightError('invalid_argument', `There is no profile ${JSON.stringify(name)}; there is: ${known}.`, { field: 'profile' })
}
