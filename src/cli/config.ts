/** Reads the operator's config file and joins it with the flags. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { FilewrightError } from '../core/errors.ts'
import { nearestName } from '../tools/nearest_name.ts'
import { parseSetting, SETTINGS, type Settings } from './settings.ts'

/**
 * The settings of a command: its flags, and where a flag is missing, the file that `--config` names. Paths are absolute
 * afterwards: flags start at the working directory, the file's entries at its own folder.
 * Throws `invalid_argument` for a file that cannot be read, is not a JSON object, or has an unknown key.
 */
export function readSettings(flags: { readonly [key: string]: unknown }): Settings {
  const settings: { [key: string]: unknown } = {}
  if (typeof flags.config === 'string') Object.assign(settings, readConfig(flags.config))
  for (const { key, kind } of SETTINGS) {
    const value = flags[key]
    if (value !== undefined) settings[key] = kind === 'path' ? resolve(value as string) : value
  }
  return settings as Settings
}

function readConfig(file: string): { [key: string]: unknown } {
  const settings: { [key: string]: unknown } = {}
  for (const [name, value] of Object.entries(readJsonObject(file))) {
    const row = SETTINGS.find((setting) => setting.name === name)
    if (!row) {
      const near = nearestName(
        name,
        SETTINGS.map((setting) => setting.name),
      )
      throw new FilewrightError('invalid_argument', `${file}: there is no setting ${JSON.stringify(name)}; the nearest is ${near}.`, {
        field: name,
      })
    }
    const checked = parseSetting(row, value, `${file}: ${name}`)
    settings[row.key] = row.kind === 'path' ? resolve(dirname(file), checked as string) : checked
  }
  return settings
}

function readJsonObject(file: string): object {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const why = error instanceof SyntaxError ? `is not JSON: ${error.message}` : 'cannot be read'
    throw new FilewrightError('invalid_argument', `${file} ${why}.`, { field: 'config', cause: error })
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new FilewrightError('invalid_argument', `${file} must hold a JSON object.`, { field: 'config' })
  }
  return parsed
}
