/** The tools of `builtin` as functions that return their result or throw, and how a host's registry gets them (contract 4.7). */
import { FilewrightError } from '../core/errors.ts'
import { inputSchema, type JsonSchema, resultSchema } from '../tools/json_schema.ts'
import type { ToolFacts } from '../tools/tool.ts'
import type { CallOptions, CallResult, Workspace } from '../workspace/workspace.ts'
import type { ChangeSetCapture } from './changeset.ts'
import { thrownBy, ValueError } from './file_errors.ts'

/** One registered tool. */
export interface FileTool {
  /** `builtin/file-read` and the like. */
  readonly name: string
  readonly title: string
  /** For models. */
  readonly description: string
  /** Whether it can change files (contract B-1). */
  readonly metadata: { readonly effect: 'read_only' | 'writes' }
  readonly inputSchema: JsonSchema
  /** Of what it returns. */
  readonly outputSchema: JsonSchema
  /** Runs the tool in its workspace. Throws a `FileToolError`, such as `ValueError` or `FileNotFoundError`; nothing has changed then. */
  execute(args: unknown, options?: CallOptions): Promise<{ readonly [key: string]: unknown }>
}

/** Where tools are registered by name: a `Map`, or what has these two of its methods. */
export interface FileToolRegistry {
  has(name: string): boolean
  set(name: string, tool: FileTool): unknown
}

/**
 * Registers the tools of a workspace that was opened with the profile `builtin`, without those that the operator disabled. A call
 * acts on the workspace's root, or on the part of it that its `sandbox_root` names. Throws `ValueError`, having registered nothing,
 * when one of the names is taken, and `FilewrightError` (`invalid_argument`) for a workspace of another profile.
 */
export function registerFileTools(registry: FileToolRegistry, workspace: Workspace): void {
  register(registry, workspace, () => {})
}

/** As {@link registerFileTools}; each successful call of a tool that writes is noted in `capture`, as the commit knew it. */
export function registerFileToolsWithChangeset(registry: FileToolRegistry, capture: ChangeSetCapture, workspace: Workspace): void {
  register(registry, workspace, ({ name, kind }, outcome) => {
    if (kind === 'write') capture.record(name, outcome)
  })
}

type Note = (tool: ToolFacts, outcome: CallResult) => void

function register(registry: FileToolRegistry, workspace: Workspace, note: Note): void {
  const { name: profile } = workspace.profile
  if (profile !== 'builtin') {
    throw new FilewrightError('invalid_argument', `The workspace has the profile ${profile}; open it with the profile builtin.`)
  }
  const tools = workspace.tools().map(({ tool }) => fileTool(workspace, tool, note))
  const taken = tools.find(({ name }) => registry.has(name))
  if (taken) throw new ValueError(`A tool ${taken.name} is registered already.`, { code: 'already_exists' })
  for (const tool of tools) registry.set(tool.name, tool)
}

function fileTool(workspace: Workspace, tool: ToolFacts, note: Note): FileTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    metadata: { effect: tool.kind === 'read' ? 'read_only' : 'writes' },
    inputSchema: inputSchema(tool),
    outputSchema: resultSchema(tool),
    async execute(args, options) {
      const outcome = await workspace.call(tool.name, args, options)
      const thrown = thrownBy(outcome)
      if (thrown) throw thrown
      note(tool, outcome)
      return outcome.result
    },
  }
}
