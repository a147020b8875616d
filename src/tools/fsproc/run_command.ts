/** `run_command` of the `fsproc` profile: runs a program and tells what it printed. */
import { z } from 'zod'
import { FilewrightError } from '../../core/errors.ts'
import type { RunOutput } from '../../core/runner.ts'
import { deniedPart } from '../../policy/denied_commands.ts'
import { content, text } from '../arguments.ts'
import { exitCodeOf, planCommand, showOutput, timeoutSeconds } from '../command.ts'
import { defineTool, type Tool } from '../tool.ts'
import { projectPath, projectRoot } from './project_root.ts'

/** Characters of each stream that are shown (F-72). */
const SHOWN = 4096
const MARKER = '\n[truncated]'

const input = z.object({
  command: content('The program and its arguments, quoted as for a POSIX shell.').refine(
    (command) => command.trim() !== '',
    'must not be blank',
  ),
  path: projectPath,
  cwd: text('Directory to start in, relative to path; default: path itself.').optional(),
  timeout: timeoutSeconds,
})

const output = z.object({
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.int().describe('-N after the signal N, -1 when the time was up.'),
  timed_out: z.boolean(),
  truncated: z.boolean().describe(`Either stream had more than ${SHOWN} characters.`),
})

/** Runs a command (F-70 to F-76). */
export const runCommand: Tool = defineTool({
  name: 'run_command',
  title: 'Run command',
  description: `Runs a program directly, without a shell: no pipes, redirections, && or globs; for those, sh -c "…". Nothing is on its standard input. Of stdout and stderr, ${SHOWN} characters each are shown. An exit code other than 0 is no failure. What it changes in the workspace is recorded.`,
  kind: 'write',
  idempotent: false,
  destructive: true,
  needs: 'runner',
  input,
  output,
  root: projectRoot,
  targets: () => [],
  failed: () => ({}),
  async run({ view }, { command, cwd, timeout }) {
    const denied = deniedPart(command)
    if (denied !== null) {
      throw new FilewrightError('permission_denied', `blocked: a command that contains ${JSON.stringify(denied)} is never run here.`, {
        field: 'command',
      })
    }
    return {
      command: await planCommand(view, { command, cwd, timeout }),
      title: command,
      conclude({ stdout, stderr, end }) {
        const [out, err] = [shown(stdout), shown(stderr)]
        return {
          stdout: out.text,
          stderr: err.text,
          exit_code: exitCodeOf(end),
          timed_out: end.reason === 'timeout',
          truncated: out.cut || err.cut,
        }
      },
    }
  },
  text: ({ stdout, stderr, exit_code, timed_out }) =>
    [
      ...(stdout === '' ? [] : [stdout.replace(/\n$/, '')]),
      ...(stderr === '' ? [] : [`[stderr]\n${stderr.replace(/\n$/, '')}`]),
      timed_out ? '[timed out: it was ended, exit code -1]' : `[exit code ${exit_code}]`,
    ].join('\n'),
})

function shown(output: RunOutput): { readonly text: string; readonly cut: boolean } {
  const { text: start, cut } = showOutput(output, SHOWN)
  return { text: cut ? start + MARKER : start, cut }
}
