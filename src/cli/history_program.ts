/** The commands that concern the past of a workspace as a whole. */
import type { AddCommand, Invocation } from './command_builder.ts'
import type { Output, Streams } from './output.ts'

const DRY_RUN = ['--dry-run', 'only tell what would happen'] as const

/** Adds them. */
export function addHistoryCommands(add: AddCommand, output: Output, streams: Streams): void {
  const text = ({ flags }: Invocation, name: string): string | undefined => flags[name] as string | undefined

  const revert = add('revert-to', 'take back all that came after a change, as one change', [
    'filewright revert-to 12 --dry-run',
    'filewright revert-to 12 && filewright undo',
  ])
  revert.command.argument('<which>', 'its number or its id').option(...DRY_RUN)
  revert.run(async ({ settings, flags }, which) =>
    (await import('./commands/revert_to.ts')).revertTo(settings, output, which as string, flags.dryRun === true),
  )

  const backups = add('backups', 'list the backups of a file, or of all files', ['filewright backups', 'filewright backups src/a.ts'])
  backups.command.argument('[path]', 'a file, as it was called then')
  backups.run(async ({ settings }, path) => (await import('./commands/backups.ts')).backups(settings, output, path))

  const rollback = add('rollback', 'put a file back as a backup holds it', [
    'filewright rollback src/a.ts --dry-run',
    'filewright rollback src/a.ts 20260102T030405678Z-0000abcd',
  ])
  rollback.command
    .argument('<path>', 'the file')
    .argument('[id]', 'a backup; see `filewright backups`', 'last')
    .option(...DRY_RUN)
  rollback.run(async ({ settings, flags }, path, id) =>
    (await import('./commands/backups.ts')).rollback(settings, output, path as string, id as string, flags.dryRun === true),
  )

  const gc = add('gc', 'give up the contents of old changes', [
    'filewright gc --keep-records 1000 --keep-days 90 --dry-run',
    'filewright gc --keep-bytes 500M',
  ])
  gc.command.option(...DRY_RUN)
  gc.run(async ({ settings, flags }) => (await import('./commands/forgetting.ts')).gc(settings, output, flags.dryRun === true))

  const purge = add('purge', 'take a secret out of history, for good', [
    'filewright purge .env --dry-run',
    'filewright purge src --containing "$(cat leaked-key)"',
  ])
  purge.command
    .argument('<what>', 'a path, with what is below it, or the SHA-256 of a content')
    .option('--containing <TEXT>', 'only contents that hold this text')
    .option('--force', 'also when a file holds it now; the next change of that file brings it back to history', false)
    .option(...DRY_RUN)
  purge.run(async (call, what) =>
    (await import('./commands/forgetting.ts')).purge(call.settings, output, what as string, {
      containing: text(call, 'containing'),
      force: call.flags.force === true,
      dryRun: call.flags.dryRun === true,
    }),
  )

  const watch = add('watch', 'record what other programs do to the files, until it is interrupted', [
    'filewright watch --root ~/project',
    'filewright watch --once && filewright show',
  ])
  watch.command.option('--once', 'only what they did until now', false)
  watch.run(async ({ settings, flags }) => (await import('./commands/watch.ts')).watch(settings, output, streams, flags.once === true))

  const leave = add('export', 'write changes as a patch or as data, or the workspace with its history', [
    'filewright export --patch - --from 12 | git apply',
    'filewright export --records changes.jsonl --from 12 --to 20',
    'filewright export --history work.tar',
  ])
  leave.command
    .option('--patch <FILE>', 'one patch of what the changes did together; - is standard output')
    .option('--records <FILE>', 'the changes with their contents, a line of JSON each; `filewright replay` reads it')
    .option('--history <FILE>', 'the files and all that was ever done, a tar; `filewright import --history` reads it')
    .option('--from <WHICH>', 'the first change, for --patch and --records (default: the first there is)')
    .option('--to <WHICH>', 'the last change (default: the newest)')
  leave.run(async (call) =>
    (await import('./commands/export.ts')).exportCommand(call.settings, output, streams, {
      patch: text(call, 'patch'),
      records: text(call, 'records'),
      history: text(call, 'history'),
      from: text(call, 'from'),
      to: text(call, 'to'),
    }),
  )

  const replay = add('replay', 'make the changes of another workspace again in this one', [
    'filewright replay changes.jsonl --dry-run',
    'filewright replay ~/other-project --from 12 --root ~/project',
  ])
  replay.command
    .argument(
      '<source>',
      'a file that `filewright export --records` wrote, - for standard input, or a workspace: a folder, a repository or a database',
    )
    .option('--from <WHICH>', 'the first change, when the source is a workspace (default: the first there is)')
    .option('--to <WHICH>', 'the last change (default: the newest)')
    .option(...DRY_RUN)
  replay.run(async (call, source) =>
    (await import('./commands/replay.ts')).replay(call.settings, output, source as string, {
      from: text(call, 'from'),
      to: text(call, 'to'),
      dryRun: call.flags.dryRun === true,
    }),
  )
}
