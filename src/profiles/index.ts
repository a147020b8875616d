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
  git: async () => (await import('./git.ts')).git,
}

/** The names of all profiles. */
export const PROFILE_NAMES: readonly string[] = Object.keys(LOADERS)

/** The profile that is used when none is named. */
export const DEFAULT_PROFILE = 'native'

/** The profile that is used when none is named: where there is a repository its tools come along. */
export function defaultProfile(hasRepository: boolean): string {
  return hasRepository ? `${DEFAULT_PROFILE}+git` : DEFAULT_PROFILE
}

/**
 * The profile of a name, or of several joined by `+`, whose tools are listed one after another. Throws `invalid_argument` for a name
 * that there is not, naming those that there are, and for a tool that two of them have.
 */
export async function profileNamed(name: string): Promise<Profile> {
  const [first, ...others] = await Promise.all(name.split('+').map(single))
  return others.reduce(joined, first as Profile)
}

async function single(name: string): Promise<Profile> {
  const load = Object.hasOwn(LOADERS, name) ? LOADERS[name] : undefined
  if (load) return load()
  const known = PROFILE_NAMES.join(', ')
  throw new FilewrightError('invalid_argument', `There is no profile ${JSON.stringify(name)}; there is: ${known}.`, { field: 'profile' })
}

function joined(one: Profile, other: Profile): Profile {
  const names = new Set(one.tools.map(({ tool }) => tool.name))
  const twice = other.tools.find(({ tool }) => names.has(tool.name))
  if (twice) {
    const message = `The profiles ${one.name} and ${other.name} both have a tool ${twice.tool.name}: name only one of them.`
    throw new FilewrightError('invalid_argument', message, { field: 'profile' })
  }
  return {
    name: `${one.name}+${other.name}`,
    title: `${one.title}; ${other.title}`,
    guarded: one.guarded || other.guarded,
    tools: [...one.tools, ...other.tools],
  }
}

/** Every profile. */
export async function allProfiles(): Promise<readonly Profile[]> {
  return Promise.all(PROFILE_NAMES.map(single))
}
