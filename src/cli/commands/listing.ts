/** `filewright tools` and `filewright profiles`: what there is. */
import { allProfiles, DEFAULT_PROFILE, profileNamed } from '../../profiles/index.ts'
import { offeredTools } from '../../profiles/offered.ts'
import type { BoundTool } from '../../profiles/profile.ts'
import { inputSchema } from '../../tools/json_schema.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'

/** Lists the tools of a profile; as JSON with their schemas. */
export async function tools(settings: Settings, output: Output): Promise<void> {
  const profile = await profileNamed(settings.profile ?? DEFAULT_PROFILE)
  const offered = await offeredTools(profile, settings.disable ?? [])
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

/** Lists the profiles. */
export async function profiles(output: Output): Promise<void> {
  const known = (await allProfiles()).map(({ name, title, tools: bound }) => ({ name, title, tools: bound.map(({ tool }) => tool.name) }))
  output.answer({ profiles: known }, () =>
    known.map(({ name, title, tools: names }) => `${name}  ${title}: ${names.join(', ')}`).join('\n'),
  )
}
