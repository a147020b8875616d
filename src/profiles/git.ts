/** The `git` profile: the repository that a workspace is of, to be used beside tools for files (`native+git`). */
import { parseArguments, sentMembers } from '../tools/arguments.ts'
import { gitBranch, gitBranchChange, gitBranches } from '../tools/git/git_branch.ts'
import { gitCommit } from '../tools/git/git_commit.ts'
import { gitDiff } from '../tools/git/git_diff.ts'
import { gitLog } from '../tools/git/git_log.ts'
import { gitStatus } from '../tools/git/git_status.ts'
import { type JsonSchema, resultSchema } from '../tools/json_schema.ts'
import type { Tool, ToolFacts } from '../tools/tool.ts'
import { listedInput } from './native_schemas.ts'
import { itself } from './plain.ts'
import type { BoundTool, Finished, Profile, Rendered } from './profile.ts'

/** Members of results that the text is made of, and that a structure beside it need not repeat. */
const TOLD: readonly string[] = ['content', 'diff']

function bind(tool: ToolFacts, route: BoundTool['route']): BoundTool {
  return { tool, textual: true, inputSchema: () => listedInput(tool), outputSchema: () => listedOutput(tool), route, render }
}

/** The facts of a result by their names and types. */
function listedOutput(tool: ToolFacts): JsonSchema {
  const { properties } = resultSchema(tool) as { readonly properties: { readonly [name: string]: JsonSchema } }
  const facts = Object.entries(properties).filter(([name]) => !TOLD.includes(name))
  const shapes = facts.map(([name, { type, anyOf }]): [string, JsonSchema] => [name, type === undefined ? { anyOf } : { type }])
  return { type: 'object', properties: { ...Object.fromEntries(shapes), error: { type: 'string' } } }
}

function render({ result, error }: Finished): Rendered {
  if (error) return { result: { ...result, code: error.code }, text: String(result.error) }
  return { result: Object.fromEntries(Object.entries(result).filter(([name]) => !TOLD.includes(name))), text: String(result.content) }
}

/** A list is read where nothing may be changed, so it is a tool of its own behind the one name. */
const branchRoute: BoundTool['route'] = (sent) => {
  parseArguments(gitBranch, sent)
  const { action } = sentMembers(sent)
  const lists = action === undefined || action === 'list' || action === 'list_tags'
  return { tool: lists ? gitBranches : gitBranchChange, args: sent }
}

const own = (tool: Tool): BoundTool => bind(tool, itself(tool))

/** Five tools. What a commit takes is judged as a change of it would be. */
export const git: Profile = {
  name: 'git',
  title: 'for the repository of a workspace, beside tools for files: native+git',
  guarded: true,
  tools: [own(gitStatus), own(gitDiff), own(gitLog), own(gitCommit), bind(gitBranch, branchRoute)],
}
