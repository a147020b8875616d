/** Acts on the repository: calls of the git tools, through the workspace's door like every other. */
import { spawnSync } from 'node:child_process'
import { ERRORS } from '../../core/errors.ts'
import type { Tool } from '../../tools/tool.ts'
import { untilInterrupted } from '../interrupted.ts'
import type { Output } from '../output.ts'
import type { Settings } from '../settings.ts'
import { visible } from '../terminal.ts'
import { withRepository } from './session.ts'

/** Runs a tool as the person at the command line, and prints what it came to; returns the exit status. */
export async function act(settings: Settings, output: Output, tool: Tool, args: object): Promise<number> {
  const { result, text, error, approvalId } = await withRepository(asPerson(settings), output, (_, workspace) =>
    untilInterrupted((signal) => workspace.run(tool, args, { signal })),
  )
  if (error && !output.json) output.note(text)
  else output.answer(result, () => (output.terminal ? visible(text) : text))
  if (approvalId !== null)
    output.note(`A person decides in a terminal: filewright approve ${approvalId}, with --fs git and the same --repo or --db.`)
  return error ? ERRORS[error.code].exit : 0
}

/** The settings with the author that git itself would name, where the operator names none. */
function asPerson(settings: Settings): Settings {
  if (settings.author !== undefined) return settings
  const [name, email] = [gitIdentity('name', settings), gitIdentity('email', settings)]
  return name && email && !/[<>\n]/.test(name + email) ? { ...settings, author: `${name} <${email}>` } : settings
}

/** What the environment or the settings of git say; undefined without both, and where git is not installed. */
function gitIdentity(what: 'name' | 'email', { repo }: Settings): string | undefined {
  const given = process.env[`GIT_AUTHOR_${what.toUpperCase()}`]
  if (given) return given.trim()
  const { status, stdout } = spawnSync('git', ['config', '--get', `user.${what}`], {
    ...(repo !== undefined && { cwd: repo }),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return status === 0 ? stdout.trim() : undefined
}
