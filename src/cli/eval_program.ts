/** The command that evaluates agents. */
import { type AddCommand, positiveInteger } from './command_builder.ts'
import type { Output } from './output.ts'

const HELP = `
A task is NAME.json, or NAME/task.json: {"instruction": …, "repository": {"package": …}, "check": {…}}. Its repository is in memory;
no task sees another's. In the words of the agent's command, {url}, {token}, {instruction}, {task} and {config} stand for those of
the task; FILEWRIGHT_MCP_URL, FILEWRIGHT_MCP_TOKEN, FILEWRIGHT_INSTRUCTION and FILEWRIGHT_TASK hold the same. More: docs/testing.md
`

/** Adds it. */
export function addEvalCommand(add: AddCommand, output: Output): void {
  const evaluation = add(
    'eval',
    'let an agent work on a folder of tasks, each in a repository in memory, and tell which it did',
    [
      'filewright eval examples/evaluation/tasks',
      `filewright eval tasks --agent "node agent.mjs"`,
      `filewright eval tasks --agent "claude -p {instruction} --mcp-config {config}" --only rename,add-test --json`,
    ],
    [],
  )
  const list = (text: string): string[] => text.split(',').map((name) => name.trim())
  evaluation.command
    .argument('<dir>', 'the folder of tasks')
    .option('--agent <COMMAND>', "a program that speaks MCP as a client (default: plays each task's own script)")
    .option('--only <NAME,…>', 'only these tasks', list)
    .option('--timeout <SECONDS>', 'for tasks that do not say', positiveInteger, 120)
    .option('--jobs <N>', 'how many tasks at once', positiveInteger, 1)
    .option('--profile <NAME>', 'names and shapes of the tools, for tasks that do not say (default: native+git)')
    .option('--diff', 'show what each task changed, too', false)
    .addHelpText('after', HELP)
  evaluation.run(async ({ flags }, folder) =>
    (await import('./commands/eval.ts')).evalCommand(folder as string, output, {
      agent: flags.agent as string | undefined,
      only: flags.only as string[] | undefined,
      timeoutSeconds: flags.timeout as number,
      jobs: flags.jobs as number,
      profile: flags.profile as string | undefined,
      diff: flags.diff === true,
    }),
  )
}
