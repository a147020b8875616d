/** The commands of `filewright git`: what a person does with the repository that a workspace is of. */
import { type AddCommand, type Invocation, nonNegativeInteger, positiveInteger, type Words } from './command_builder.ts'
import type { Output, Streams } from './output.ts'

/** Where the repository is, and how it is reached. */
const REPOSITORY = ['repo', 'workspace', 'branch', 'base', 'db', 'durability', 'credentials']
const READING = [...REPOSITORY, 'subject']
const CHANGING = [...READING, 'read-only', 'author', 'approval', 'trust-policy']
const REMOTE = ['repo', 'db', 'durability', 'credentials', 'read-only']
const FRESH = ['db', 'durability', 'credentials']

/** Adds them to the command `git`; `words` are those of the command line. */
export function addGitCommands(add: AddCommand, output: Output, streams: Streams, words: readonly string[] = []): void {
  addReading(add, output, streams, words)
  addChanging(add, output)
  addRemote(add, output)
}

/** What stands in the help of the command itself. */
export const GIT_HELP = `
A workspace of --fs git is one reference of the repository, below refs/filewright/. Worktrees, the index and other branches are never
touched: only \`filewright git commit\` moves a branch, the workspace's own. More: docs/git.md

Examples:
  $ filewright git status                                   what the next commit would take
  $ filewright git commit -m "Fix the build" src            commit a part of it
  $ filewright git clone --filter blob:none URL DIR         a repository whose files come when they are read
`

function addReading(add: AddCommand, output: Output, streams: Streams, all: readonly string[]): void {
  const status = add(
    'status',
    'what the next commit would take',
    ['filewright git status', 'filewright git status --repo ~/project src --json'],
    READING,
  )
  status.command.argument('[paths...]', 'only what is at or below these').option('--all', 'new files that are ignored, too', false)
  status.run(async ({ settings, flags }, ...paths) =>
    (await import('./git/status.ts')).status(settings, output, given(paths), flags.all === true),
  )

  const log = add(
    'log',
    'commits, newest first',
    ['filewright git log --oneline --limit 5', 'filewright git log v1.0..main -- src', 'filewright git log --json'],
    READING,
  )
  log.command
    .argument(
      '[words...]',
      'where to begin, or A..B for what B has and A has not (default: the newest commit of the workspace); then paths',
    )
    .option('--oneline', 'a line each', false)
    .option('--limit <N>', 'at most this many', positiveInteger, 20)
    .option('--skip <N>', 'without the first N', nonNegativeInteger, 0)
    .option('--first-parent', 'of merges, only the side that was merged into', false)
  log.run(async ({ settings, flags }, ...words) =>
    (await import('./git/log.ts')).log(settings, output, {
      words: separated(given(words), all),
      oneline: flags.oneline === true,
      limit: flags.limit as number,
      skip: flags.skip as number,
      firstParent: flags.firstParent === true,
    }),
  )

  const show = add(
    'show',
    'one commit with its diff, or a file as a commit has it',
    ['filewright git show', 'filewright git show HEAD~2 --stat', 'filewright git show v1.0:README.md > README.old'],
    READING,
  )
  show.command
    .argument('[revision]', 'a commit, a branch or a tag, or REVISION:PATH (default: the newest commit of the branch)')
    .option('--stat', 'only how much each file changed', false)
  show.run(async ({ settings, flags }, revision) =>
    (await import('./git/show.ts')).show(settings, output, streams, revision, { stat: flags.stat === true }),
  )

  const diff = add(
    'diff',
    'what changed, as a patch that git apply takes',
    ['filewright git diff', 'filewright git diff main -- src | git apply --stat', 'filewright git diff v1.0 v2.0 --stat'],
    READING,
  )
  diff.command
    .argument('[words...]', 'commits, then paths. No commit: since the last one; one: since that; two, or A..B: between them')
    .option('--all', 'new files that are ignored, too', false)
    .option('--stat', 'only how much each file changed', false)
  diff.run(async ({ settings, flags }, ...words) =>
    (await import('./git/diff.ts')).diff(settings, output, separated(given(words), all), {
      stat: flags.stat === true,
      all: flags.all === true,
    }),
  )

  add('workspaces', 'the workspaces of the repository', ['filewright git workspaces'], READING).run(async ({ settings }) =>
    (await import('./git/workspaces.ts')).workspaces(settings, output),
  )
}

function addChanging(add: AddCommand, output: Output): void {
  const commit = add(
    'commit',
    "commit what changed to the workspace's branch",
    ['filewright git commit -m "Fix the build"', 'filewright git commit -m "Docs" docs README.md --author "Ana <ana@example.org>"'],
    CHANGING,
  )
  commit.command
    .argument('[paths...]', 'only what changed at or below these')
    .requiredOption('-m, --message <TEXT>', 'the message; it may have several lines')
    .option('--allow-ignored', 'also what .gitignore names', false)
    .option('--allow-sensitive', 'also what looks like a secret, such as .env', false)
    .option('--allow-markers', 'also what still holds the markers of a conflict', false)
    .option('--dry-run', 'only tell what it would take', false)
  commit.run(async ({ settings, flags }, ...paths) =>
    (await import('./git/commit.ts')).commit(settings, output, {
      message: flags.message as string,
      paths: given(paths),
      allowIgnored: flags.allowIgnored === true,
      allowSensitive: flags.allowSensitive === true,
      allowMarkers: flags.allowMarkers === true,
      dryRun: flags.dryRun === true,
    }),
  )

  const branch = add(
    'branch',
    'list branches, make one, or delete one',
    ['filewright git branch', 'filewright git branch idea v1.0', 'filewright git branch idea --delete'],
    CHANGING,
  )
  branch.command
    .argument('[name]', 'a new branch')
    .argument('[revision]', 'where it begins (default: the newest commit of the workspace)')
    .option('--delete', 'delete that branch', false)
  branch.run(async ({ settings, flags }, name, revision) =>
    (await import('./git/names.ts')).branch(settings, output, name, revision, flags.delete === true),
  )

  const tag = add(
    'tag',
    'list tags, or make one',
    ['filewright git tag', 'filewright git tag v1.0', 'filewright git tag v1.0 -m "The first one"'],
    CHANGING,
  )
  tag.command
    .argument('[name]', 'a new tag')
    .argument('[revision]', 'what it names (default: the newest commit of the workspace)')
    .option('-m, --message <TEXT>', 'makes a tag object with this message')
  tag.run(async (call, name, revision) =>
    (await import('./git/names.ts')).tag(call.settings, output, name, revision, text(call, 'message')),
  )

  const merge = add(
    'merge',
    'merge another commit into the workspace',
    ['filewright git merge main', 'filewright git merge main --dry-run', 'filewright git merge --abort'],
    CHANGING,
  )
  merge.command
    .argument('[revision]', 'a branch, a tag or a commit')
    .option('--abort', 'forget a merge that is not committed; the files stay as they are', false)
    .option('--dry-run', 'only tell what it would change, and where it conflicts', false)
  merge.run(async ({ settings, flags }, revision) =>
    (await import('./git/merge.ts')).merge(settings, output, revision, { abort: flags.abort === true, dryRun: flags.dryRun === true }),
  )

  const change = add(
    'switch',
    'make the files those of another commit, while the workspace has no commits of its own',
    ['filewright git switch main', 'filewright git switch v2.0 --dry-run'],
    CHANGING,
  )
  change.command.argument('<revision>', 'a branch, a tag or a commit').option('--dry-run', 'only tell which paths would change', false)
  change.run(async ({ settings, flags }, revision) =>
    (await import('./git/merge.ts')).switchTo(settings, output, revision as string, flags.dryRun === true),
  )

  const fork = add(
    'fork',
    'a workspace of its own that begins as this one is now',
    ['filewright git fork idea', 'filewright git fork idea && filewright git status --workspace idea'],
    CHANGING,
  )
  fork.command.argument('<name>', 'of the new workspace')
  fork.run(async ({ settings }, name) => (await import('./git/workspaces.ts')).fork(settings, output, name as string))
}

function addRemote(add: AddCommand, output: Output): void {
  const init = add('init', 'make an empty repository', ['filewright git init ~/new', 'filewright git init --db new.sqlite'], FRESH)
  init.command
    .argument('[dir]', 'the folder, made when missing; not with --db')
    .option('--bare', 'without a place for files beside it', false)
    .option('--initial-branch <NAME>', 'what HEAD names', 'main')
  init.run(async ({ settings, flags }, folder) =>
    (await import('./git/init.ts')).init(settings, output, folder, {
      bare: flags.bare === true,
      initialBranch: flags.initialBranch as string,
    }),
  )

  const clone = add(
    'clone',
    'copy a repository, as a bare one: no files are checked out',
    [
      'filewright git clone https://example.org/project.git project.git',
      'filewright git clone --filter blob:none https://example.org/big.git big.git',
      'filewright git clone --depth 1 https://example.org/project.git --db project.sqlite',
    ],
    FRESH,
  )
  clone.command
    .argument('<url>', 'https://host/path; credentials are asked for elsewhere, see docs/git.md')
    .argument('[dir]', 'a folder that is missing or empty; not with --db')
    .option('--depth <N>', 'only the newest N commits', positiveInteger)
    .option('--branch <NAME>', 'the branch that HEAD names (default: what the server says)')
    .option('--single-branch', 'only that branch', false)
    .option('--filter <WHAT>', 'blob:none: files come from the server when they are read first')
  clone.run(async (call, url, folder) =>
    (await import('./git/clone.ts')).clone(call.settings, output, url as string, folder, {
      depth: call.flags.depth as number | undefined,
      branch: text(call, 'branch'),
      singleBranch: call.flags.singleBranch === true,
      filter: text(call, 'filter'),
    }),
  )

  const fetch = add(
    'fetch',
    'bring what a remote has',
    ['filewright git fetch', 'filewright git fetch origin main && filewright git merge origin/main'],
    REMOTE,
  )
  fetch.command
    .argument('[remote]', 'its name in the settings of the repository, or a URL (default: origin)')
    .argument('[branches...]', 'only these (default: as the settings of the remote say)')
    .option('--depth <N>', 'only the newest N commits', positiveInteger)
    .option('--prune', 'forget branches that the remote has not any more', false)
  fetch.run(async ({ settings, flags }, remote, ...branches) =>
    (await import('./git/fetch.ts')).fetch(settings, output, remote, {
      branches: given(branches),
      depth: flags.depth as number | undefined,
      prune: flags.prune === true,
    }),
  )

  const push = add(
    'push',
    'send a branch to a remote',
    ['filewright git push', 'filewright git push origin filewright/main:fix', 'filewright git push origin :fix'],
    [...REMOTE, 'workspace', 'branch'],
  )
  push.command
    .argument('[remote]', 'its name in the settings of the repository, or a URL (default: origin)')
    .argument(
      '[refs...]',
      'NAME of a branch or tag, NAME:NAME-THERE, or :NAME-THERE to delete it there (default: the branch of the workspace)',
    )
    .option('--force', 'also when commits are lost there by it', false)
  push.run(async ({ settings, flags }, remote, ...refs) =>
    (await import('./git/push.ts')).push(settings, output, remote, given(refs), flags.force === true),
  )
}

function separated(all: readonly string[], line: readonly string[]): Words {
  const at = line.indexOf('--')
  return { all, paths: at < 0 ? null : line.length - at - 1 }
}

/** Words that were given. */
function given(words: readonly (string | undefined)[]): string[] {
  return words.flat().filter((word) => word !== undefined)
}

function text({ flags }: Invocation, name: string): string | undefined {
  return flags[name] as string | undefined
}
