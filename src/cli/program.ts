/** The command line's grammar: commands, flags, help with examples. What a command does is loaded when it runs. */
import { Command } from 'commander'
import { VERSION } from '../core/version.ts'
import { type AddCommand, positiveInteger } from './command_builder.ts'
import { addEvalCommand } from './eval_program.ts'
import { addGitCommands, GIT_HELP } from './git_program.ts'
import { addHistoryCommands } from './history_program.ts'
import type { Output, Streams } from './output.ts'
import { addSettings } from './settings.ts'

/**
 * The program; `finish` receives the exit status of a command that ran to its end. Usage errors are thrown. With the words of a
 * command line, only a command that is among them gets the operator's flags: to make those of all commands takes a while.
 */
export function createProgram(output: Output, streams: Streams, finish: (status: number) => void, words?: readonly string[]): Command {
  const program = new Command('filewright')
    .description('File tools for AI agents that prove what they changed, on any storage, and can undo it.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: (text) => streams.stdout.write(text), writeErr: (text) => streams.stderr.write(text) })
    .addHelpText('after', EXAMPLES)

  /** What adds commands to the program, or to one of its commands. */
  const addTo =
    (parent: Command): AddCommand =>
    (name, description, examples, settings) => {
      const command = parent.command(name).description(description).option('--json', 'print one JSON document')
      if (settings?.length !== 0 && (words === undefined || words.includes(name))) addSettings(command, settings)
      command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}\n`)
      return {
        command,
        run(action) {
          command.action(async (...all: unknown[]) => {
            const flags = command.opts()
            const { readSettings } = await import('./config.ts')
            finish((await action({ settings: readSettings(flags), flags }, ...(all.slice(0, -2) as (string | undefined)[]))) ?? 0)
          })
        },
      }
    }
  const add = addTo(program)

  const mcp = add('mcp', 'serve the tools to an agent: MCP on standard input and output, or over HTTP', [
    'filewright mcp --root ~/project',
    'filewright mcp --fs memory --seed ~/project --export /tmp/result',
    'filewright mcp --root ~/project --http 8080',
  ])
  mcp.command.addHelpText('after', MCP_HELP)
  mcp.run(async ({ settings }) =>
    settings.http === undefined
      ? (await import('./commands/mcp.ts')).mcp(settings, output)
      : (await import('./commands/mcp_http.ts')).mcpHttp(settings, output),
  )

  const call = add('call', 'run one tool', [
    `filewright call read '{"path": "src/a.ts"}'`,
    `echo '{"path": "a.txt", "content": "hello\\n"}' | filewright call write - --json`,
  ])
  call.command
    .argument('<tool>', 'its name; see `filewright tools`')
    .argument('[json]', 'its arguments, or - to read them from standard input')
  call.run(async ({ settings }, tool, json) => (await import('./commands/call.ts')).call(settings, output, tool as string, json))

  const log = add('log', 'list changes, newest first', ['filewright log --limit 5', 'filewright log --json --root ~/project'])
  log.command
    .option('--limit <N>', 'at most this many', positiveInteger, 20)
    .option('--before <SEQ>', 'only changes before this number', positiveInteger)
  log.run(async ({ settings, flags }) =>
    (await import('./commands/journal.ts')).log(settings, output, {
      limit: flags.limit as number,
      ...(typeof flags.before === 'number' && { before: flags.before }),
    }),
  )

  const show = add('show', 'show one change with its diff', ['filewright show last', 'filewright show 12 | git apply --stat'])
  show.command.argument('[which]', 'its number, its id, or last', 'last').option('--no-diff', 'only the list of paths')
  show.run(async ({ settings, flags }, which) =>
    (await import('./commands/journal.ts')).show(settings, output, which as string, { diff: flags.diff !== false }),
  )

  const undo = add('undo', 'take one change back', ['filewright undo', 'filewright undo 12'])
  undo.command.argument('[which]', 'its number, its id, or last', 'last')
  undo.run(async ({ settings }, which) => (await import('./commands/journal.ts')).undo(settings, output, which as string))

  add('redo', 'take the newest undo back', ['filewright redo']).run(async ({ settings }) =>
    (await import('./commands/journal.ts')).redo(settings, output),
  )

  const approve = add('approve', 'list the calls that wait for a person, or decide about one', [
    'filewright approve',
    'filewright approve 3f0c',
    'filewright approve 3f0c --deny',
  ])
  approve.command
    .argument('[id]', 'a request, or the beginning of its id: shows what would change, and asks')
    .option('--deny', 'refuse it', false)
  approve.run(async ({ settings, flags }, id) => {
    const { decideApproval, listApprovals } = await import('./commands/approve.ts')
    return id === undefined ? listApprovals(settings, output) : decideApproval(settings, output, streams, id, { deny: flags.deny === true })
  })

  add('verify', 'check the hash chain of all changes', ['filewright verify --json']).run(async ({ settings }) =>
    (await import('./commands/journal.ts')).verify(settings, output),
  )

  addHistoryCommands(add, output, streams)
  addEvalCommand(add, output)

  const git = program.command('git').description('the repository of a workspace: status, commits, branches, merges, remotes')
  git.addHelpText('after', GIT_HELP)
  // To make them all takes a while, too.
  if (words === undefined || words.includes('git')) addGitCommands(addTo(git), output, streams, words)

  const bring = add('import', 'bring a folder in as one change, or a workspace with its history', [
    'filewright import ~/project --fs sqlite --db work.sqlite',
    'filewright import --history work.tar --root ~/empty-folder',
  ])
  bring.command
    .argument('[dir]', 'the folder')
    .option('--history <FILE>', 'instead of a folder: what `filewright export --history` wrote; the workspace must be empty')
    .option('--replace', 'replace files that exist', false)
    .option('--note <TEXT>', 'a line for the journal')
  bring.run(async ({ settings, flags }, folder) =>
    (await import('./commands/import.ts')).importCommand(settings, output, folder, {
      ...(typeof flags.history === 'string' && { history: flags.history }),
      replace: flags.replace === true,
      ...(typeof flags.note === 'string' && { note: flags.note }),
    }),
  )

  add('tools', 'list the tools', ['filewright tools', 'filewright tools --json --profile fileops']).run(async ({ settings }) =>
    (await import('./commands/listing.ts')).tools(settings, output),
  )

  add('profiles', 'list the profiles', ['filewright profiles'], []).run(async () =>
    (await import('./commands/listing.ts')).profiles(output),
  )
  return program
}

const MCP_HELP = `
Files, directories and changes are resources, listed and read by URI; clients are told what changes. Roots of a client narrow
the folder, and never widen it. It ends with its input, and on SIGTERM. More: docs/mcp.md
`

const EXAMPLES = `
Examples:
  $ filewright mcp --root ~/project                               an agent's server on a folder
  $ filewright call read '{"path": "src/a.ts"}'                   one tool, in the working directory
  $ filewright log && filewright show last && filewright undo     what changed, and back
  $ filewright mcp --fs git                                       the same on a commit of this repository, without a checkout

Exit status: 0 done, 2 the call is wrong, 3 not found, 4 refused, 5 the state differs, 6 the system failed.
FILEWRIGHT_DEBUG=1 prints the cause of an unexpected failure.
`
