/** The tools of a profile that an operator leaves on. */
import { FilewrightError } from '../core/errors.ts'
import { nearestName } from '../tools/nearest_name.ts'
import { PROFILES } from './index.ts'
import type { BoundTool, Profile } from './profile.ts'

/**
 * The tools of a profile without those that are disabled. Another profile's tools may be among these, since one config file
 * serves all. Throws `invalid_argument` for a name that no profile has: a tool that was misspelt would stay on unnoticed.
 */
export function offeredTools(profile: Profile, disabled: readonly string[]): readonly BoundTool[] {
  const known = PROFILES.flatMap(({ tools }) => tools.map(({ tool }) => tool.name))
  for (const name of disabled) {
    if (known.includes(name)) continue
    const near = nearestName(name, known)
    throw new FilewrightError('invalid_argument', `There is no tool ${JSON.stringify(name)} to disable; the nearest is ${near}.`, {
      field: 'disable',
    })
  }
  return profile.tools.filter(({ tool }) => !disabled.includes(tool.name))
}
