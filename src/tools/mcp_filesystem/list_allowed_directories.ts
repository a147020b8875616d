/** `list_allowed_directories`: where the other tools may work. */
import { z } from 'zod'
import { defineTool, type Tool } from '../tool.ts'
import { reading } from './answer.ts'

/** Names the root of the workspace, in every spelling that absolute paths may have; or the directories that the client shares. */
export const listAllowedDirectories: Tool = defineTool({
  name: 'list_allowed_directories',
  title: 'List Allowed Directories',
  description: 'Names the directories in which these tools work, with all that is below them.',
  ...reading,
  input: z.strictObject({}),
  targets: () => [],
  async run({ view }) {
    const { root, aliases } = view.traits
    const directories = view.places?.map((place) => view.display(place)) ?? new Set([...aliases, root || '/'])
    return { result: { content: `Allowed directories:\n${[...directories].join('\n')}` } }
  },
})
