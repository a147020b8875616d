/** The `apply-patch` profile: the one tool that Codex edits with. */
import { applyPatch } from '../tools/apply_patch/apply_patch.ts'
import { sentMembers } from '../tools/arguments.ts'
import { outputSchema } from '../tools/json_schema.ts'
import type { Tool } from '../tools/tool.ts'
import type { BoundTool, Profile } from './profile.ts'

/** The patch may come as `patch`, too. A failure is told in words alone; its facts are in the result. */
function bind(tool: Tool): BoundTool {
  return {
    tool,
    outputSchema: () => outputSchema(tool),
    route(sent) {
      const { patch, ...args } = sentMembers(sent)
      return { tool, args: patch === undefined || 'input' in args ? sent : { ...args, input: patch } }
    },
    render: ({ result, error }) => ({ result, text: error ? error.message : tool.text(result) }),
  }
}

/** `apply_patch`. */
export const applyPatchProfile: Profile = {
  name: 'apply-patch',
  title: "for models that write Codex's patches",
  guarded: false,
  tools: [bind(applyPatch)],
}
