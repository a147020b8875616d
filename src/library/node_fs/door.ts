/** How the writes of an `fs` reach the workspace: each as a change of its own, or many as one. */
import { z } from 'zod'
import type { Content } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import type { View } from '../../core/view.ts'
import { defineTool, type Target, type Tool, type ToolContext } from '../../tools/tool.ts'
import { createQueue } from '../../workspace/queue.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** What was decided on a view: what to stage there, or nothing; and what the call answers. */
export interface Decided<Result> {
  readonly stage?: (view: View) => void
  readonly result: Result
}

/** One call that writes. */
export interface Act<Result> {
  readonly targets: readonly Target[]
  /** What the journal's digest of the call covers. */
  readonly args: { readonly [name: string]: unknown }
  /** Looks at what is there; stages nothing itself. Throws {@link FilewrightError}. */
  decide(view: View): Promise<Decided<Result>>
}

/** How an `fs` acts in its workspace. */
export interface NodeFsOptions {
  /** What the journal names as the tool; default `node-fs`. */
  readonly tool?: string
  /** Who the journal names; default that of the workspace. */
  readonly subject?: string
  /** Ignored files may be changed, such as those in `node_modules`. Default false: `EPERM`. */
  readonly allowIgnored?: boolean
  /** Sensitive files may be changed, such as `.env`. Default false: `EPERM`. */
  readonly allowSensitive?: boolean
  /** When it is aborted, nothing more is written. */
  readonly signal?: AbortSignal
}

/** The way in and out of a workspace. */
export interface Door {
  /** What a call sees now. */
  view(): Promise<View>
  /** Content for a change, in an array of its own; large content is stored at once. */
  content(bytes: Uint8Array): Promise<Content>
  act<Result>(act: Act<Result>): Promise<Result>
}

const ANYTHING = z.looseObject({})

function toolOf(
  { tool = 'node-fs', allowIgnored = false, allowSensitive = false }: NodeFsOptions,
  parts: Pick<Tool, 'targets' | 'run'> & Partial<Tool>,
): Tool {
  return defineTool({
    name: tool,
    title: tool,
    description: 'A call of the file system interface.',
    kind: 'write',
    idempotent: false,
    destructive: true,
    input: ANYTHING,
    output: ANYTHING,
    // Where the operator asks about what replaces or removes, these are asked about too.
    risk: () => 'replaces',
    allowances: () => ({ ignored: allowIgnored, sensitive: allowSensitive }),
    failed: () => ({}),
    text: () => '',
    ...parts,
  })
}

async function contentOf(workspace: Workspace, view: View, bytes: Uint8Array): Promise<Content> {
  return bytes.length > view.traits.limits.inlineBytes ? workspace.stage(bytes) : view.content(bytes)
}

/** Runs a tool; what it throws is thrown here as it was, with its details. */
async function run(workspace: Workspace, tool: Tool, args: object, { subject, signal }: NodeFsOptions): Promise<void> {
  let thrown: unknown
  const watched: Tool = {
    ...tool,
    async run(context, checked) {
      thrown = undefined
      try {
        return await tool.run(context, checked)
      } catch (error) {
        thrown = error
        throw error
      }
    },
  }
  const { error } = await workspace.run(watched, args, { ...(subject !== undefined && { subject }), ...(signal && { signal }) })
  if (error) throw thrown ?? new FilewrightError(error.code, error.message)
}

/** Every act is a change of its own, committed when its promise is kept. */
export function singleDoor(workspace: Workspace, options: NodeFsOptions): Door {
  return {
    view: () => workspace.view(),
    content: async (bytes) => contentOf(workspace, await workspace.view(), bytes),
    async act<Result>(act: Act<Result>) {
      let decided: Decided<Result> | undefined
      const stage = async ({ view }: ToolContext): Promise<{ result: object }> => {
        decided = await act.decide(view)
        decided.stage?.(view)
        return { result: {} }
      }
      await run(workspace, toolOf(options, { targets: () => act.targets, run: stage }), act.args, options)
      return (decided as Decided<Result>).result
    },
  }
}

/** A door behind which acts wait until they are committed together. */
export interface GatheringDoor extends Door {
  /** Commits all that was done, as one change; nothing when there is nothing. Throws `conflict` when what an act replaces has changed since. */
  commit(): Promise<void>
  /** Nothing of it is committed. */
  abandon(): void
}

/** Acts see what was done before them; the workspace sees nothing of it before the commit. After that, an act throws `canceled`. */
export async function gatheringDoor(workspace: Workspace, options: NodeFsOptions): Promise<GatheringDoor> {
  const view = await workspace.view()
  const queue = createQueue()
  const waiting: Tool[] = []
  const digests: object[] = []
  let isOver = false
  return {
    view: async () => view,
    content: (bytes) => contentOf(workspace, view, bytes),
    act: <Result>({ targets, args, decide }: Act<Result>) =>
      // What one decides on must not change before it is staged.
      queue(async () => {
        options.signal?.throwIfAborted()
        // Of what nobody waited for, nothing must seem to be written that is not.
        if (isOver) throw new FilewrightError('canceled', 'The work that this was a part of is over: wait for each call in it.')
        const { stage, result } = await decide(view)
        if (!stage) return result
        stage(view)
        const again = async (context: ToolContext): Promise<{ result: object }> => {
          stage(context.view)
          return { result: {} }
        }
        waiting.push(toolOf(options, { targets: () => targets, run: again }))
        digests.push(args)
        return result
      }),
    abandon() {
      isOver = true
    },
    async commit() {
      // With what was begun before.
      await queue(async () => {
        isOver = true
      })
      if (waiting.length === 0) return
      const all = async (context: ToolContext): Promise<{ result: object }> => {
        for (const tool of waiting) await context.perform(tool, {})
        return { result: {} }
      }
      await run(workspace, toolOf(options, { targets: () => [], performs: true, run: all }), { acts: digests }, options)
    },
  }
}
