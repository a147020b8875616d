/** The tools of a profile that an operator leaves on. */
import { FilewrightError } from '../core/errors.ts'
import { nearestName } from '../tools/nearest_name.ts'
import { isOperation, OPERATIONS, SWITCHES } from '../tools/operations.ts'
import { allProfiles } from './index.ts'
import type { BoundTool, Disabled, Profile } from './profile.ts'

/** Judges a tool or an operation of the hub by what is disabled: its own name, or the switch that it hangs on (W-7, settled detail 32). */
export function disabledBy(names: readonly string[]): Disabled {
  const disabled = new Set(names)
  return (name) => disabled.has(name) || (isOperation(name) && disabled.has(OPERATIONS[name].switch))
}

/**
 * The tools of a profile without those that are disabled. Another profile's tools may be among these, since one config file
 * serves all. Throws `invalid_argument` for a name that is none of a tool, an operation or a switch: one that was misspelt would
 * stay on unnoticed.
 */
export async function offeredTools(profile: Profile, disabled: readonly string[]): Promise<readonly BoundTool[]> {
  if (disabled.length === 0) return profile.tools
  const tools = (await allProfiles()).flatMap((one) => one.tools.map(({ tool }) => tool.name))
  const known = [...tools, ...Object.keys(OPERATIONS), ...SWITCHES]
  for (const name of disabled) {
    if (known.includes(name)) continue
    const near = nearestName(name, known)
    throw new FilewrightError(
      'invalid_argument',
      `There is no tool or switch ${JSON.stringify(name)} to disable; the nearest is ${near}.`,
      {
        field: 'disable',
      },
    )
  }
  const isDisabled = disabledBy(disabled)
  return profile.tools.filter(({ tool }) => !isDisabled(tool.name))
}
