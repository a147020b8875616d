/** The profiles by name. Each is loaded when it is asked for: a server offers one, and should not wait for the others. */
import { FilewrightError } from '../core/errors.ts'
import type { Profile } from './profile.ts'

const LOADERS: { readonly [name: string]: () => Promise<Profile> } = {
  native: async () => (await import('./native.ts')).native,
  fileops: async () => (await import('./fileops.ts')).fileops,
  fsproc: async () => (await import('./fsproc.ts')).fsproc,
  sessions: async () => (await import('./sessions.ts')).sessions,
  builtin: async () => (await import('./builtin.ts')).builtin,
  'mcp-filesystem': async () => (await import('./mcp_filesystem.ts')).mcpFilesystem,
  'text-editor': async () => (await import('./text_editor.ts')).textEditor,
  'apply-patch': async () => (await import('./apply_patch.ts')).applyPatchProfile,
}

/** The names of all profiles. */
export const PROFILE_NAMES: readonly string[] = Object.keys(LOADERS)

/** The profile that is used when none is named. */
export const DEFAULT_PROFILE = 'native'

/** The profile of a name. Throws `invalid_argument`, naming those that there are. */
export async function profileNamed(name: string): Promise<Profile> {
  const load = Object.hasOwn(LOADERS, name) ? LOADERS[name] : undefined
  if (load) return load()
  const known = PROFILE_NAMES.join(', ')
  throw new FilewrightError('invalid_argument', `There is no profile ${JSON.stringify(name)}; there is: ${known}.`, { field: 'profile' })
}

/** Every profile. */
export async function allProfiles(): Promise<readonly Profile[]> {
  return Promise.all(PROFILE_NAMES.map(profileNamed))
}
