/** `filewright call`: runs one tool and prints its answer. */
import { ERRORS, FilewrightError } from '../../core/errors.ts'
import { structureAlone } from '../../profiles/plain.ts'
import { untilInterrupted } from '../interrupted.ts'
import type { Output } from '../output.ts'
import { withWorkspace } from '../session.ts'
import type { Settings } from '../settings.ts'
import { visible } from '../terminal.ts'

/** Runs a tool. Prints the text block, or the structured result as JSON; returns the exit status. */
export async function call(settings: Settings, output: Output, tool: string, json: string | undefined): Promise<number> {
  const args = parseArguments(json === '-' ? await readInput() : (json ?? '{}'))
  const onProgress = (done: number, total: number | null) => output.progress(total === null ? `${done}` : `${done} of ${total}`)
  const { outcome, structure } = await withWorkspace(settings, output, async (workspace) => {
    const outcome = await untilInterrupted((signal) => workspace.call(tool, args, { signal, onProgress }))
    const bound = workspace.profile.tools.find((one) => one.tool.name === tool)
    return { outcome, structure: bound ? structureAlone(bound, outcome) : outcome.result }
  })
  output.progress('')
  if (outcome.error && !output.json) output.note(outcome.text)
  // Text that goes to another program must stay what it is.
  else output.answer(structure, () => (output.terminal ? visible(outcome.text) : outcome.text))
  if (outcome.approvalId !== null) {
    output.note(`A person decides in a terminal: filewright approve ${outcome.approvalId}, with the same storage: --root, --db or --repo.`)
  }
  return outcome.error ? ERRORS[outcome.error.code].exit : 0
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new FilewrightError('invalid_argument', `The arguments are not JSON: ${(error as Error).message}.`, { cause: error })
  }
}

async function readInput(): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}
