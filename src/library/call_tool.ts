/** Running a call that a model made. */
import { toolFinder } from '../profiles/listed.ts'
import type { CallOptions, CallResult, Workspace } from '../workspace/workspace.ts'

/**
 * Runs a call by the name under which the tool was listed, or by its documented one; the `text` of the answer is what the model
 * should read. `args` may be the JSON text of the arguments. Never throws: what cannot be run is an answer with `error`.
 */
export async function callTool(workspace: Workspace, name: string, args: unknown, options?: CallOptions): Promise<CallResult> {
  const bound = toolFinder(workspace.profile.tools)(name)
  return workspace.call(bound?.tool.name ?? name, typeof args === 'string' ? parsed(args) : args, options)
}

/** A text that is no JSON stays what it is; the tool says so. */
function parsed(args: string): unknown {
  if (args.trim() === '') return {}
  try {
    return JSON.parse(args)
  } catch {
    return args
  }
}
