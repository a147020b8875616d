/** `filewright tools` and `filewright profiles`: what there is. */
import { allProfiles, DEFAULT_PROFILE, defaultProfile, profileNamed } from '../../profiles/index.ts'
import { listBytes } from '../../profiles/listed.ts'
import { offeredTools } from '../../profiles/offered.ts'
import type { BoundTool } from '../../profiles/profile.ts'
import { counted } from '../../tools/counted.ts'
import { inputSchema } from '../../tools/json_schema.ts'
import { checkCapabilities } from '../capabilities.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'

/** Lists the tools of a profile; as JSON with their schemas. */
export async function tools(settings: Settings, output: Output): Promise<void> {
  checkCapabilities(settings)
  const profile = await profileNamed(settings.profile ?? defaultProfile(settings.fs === 'git'))
  const enabled = await offeredTools(profile, settings.disable ?? [])
  const has = { runner: settings.runner !== undefined, repository: settings.fs === 'git' }
  const offered = enabled.filter(({ tool }) => tool.needs === undefined || has[tool.needs])
  const described = offered.map(({ tool, outputSchema }) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    kind: tool.kind,
    inputSchema: inputSchema(tool),
    outputSchema: outputSchema?.() ?? null,
  }))
  const { paint } = output
  const width = Math.max(...offered.map(({ tool }) => tool.name.length))
  const line = ({ tool }: BoundTool): string => `${paint.bold(tool.name.padEnd(width))}  ${paint.dim(tool.kind.padEnd(5))}  ${tool.title}`
  output.answer({ profile: profile.name, tools: described }, () => offered.map(line).join('\n'))
}

/** Lists the profiles: for whom each is, its tools, and the bytes of their list as MCP sends it. */
export async function profiles(output: Output): Promise<void> {
  const known = (await allProfiles()).map(({ name, title, guarded, tools: bound }) => ({
    name,
    title,
    default: name === DEFAULT_PROFILE,
    guarded,
    tools: bound.map(({ tool }) => tool.name),
    list_bytes: listBytes(bound),
  }))
  const { paint } = output
  const width = Math.max(...known.map(({ name }) => name.length))
  const line = (profile: (typeof known)[number]): string => {
    const size = `${(profile.list_bytes / 1000).toFixed(1)} KB`.padStart(8)
    const facts = `${counted(profile.tools.length, 'tool').padStart(8)} ${size}`
    return `${paint.bold(profile.name.padEnd(width))}  ${paint.dim(facts)}  ${profile.title}${profile.default ? ' (default)' : ''}`
  }
  output.answer({ profiles: known }, () => known.map(line).join('\n'))
}
