/** The operator's settings (contract W-7): one row each, as a flag of the command line and as a key of the config file. */
import { type Command, Option } from 'commander'
import { FilewrightError } from '../core/errors.ts'
import type { OutputChoice } from '../mcp/index.ts'

/** The storages that a command can open. */
export type StorageName = 'node' | 'memory' | 'memfs' | 'sqlite' | 'git'

/** What the operator decided, flags and config file together. */
export interface Settings {
  root?: string
  fs?: StorageName
  db?: string
  repo?: string
  workspace?: string
  branch?: string
  base?: string
  credentials?: boolean
  seed?: string
  export?: string
  durability?: 'power' | 'process'
  profile?: string
  readOnly?: boolean
  disable?: string[]
  approval?: 'off' | 'risky' | 'trusted'
  trustPolicy?: string
  allowGitInternals?: boolean
  portableNames?: boolean
  unconfinedFileBytes?: boolean
  runner?: string
  subject?: string
  author?: string
  output?: OutputChoice
  resultLimit?: number
  clientRoots?: 'narrow' | 'ignore'
  watch?: boolean
  http?: string
  httpHosts?: string[]
  keepRecords?: number
  keepDays?: number
  keepBytes?: number
}

/** One setting. `name` is the flag without dashes and the key in a config file. */
export interface SettingRow {
  readonly name: string
  readonly key: keyof Settings
  /** `path` is relative to the working directory on the command line, and to its file in a config file. */
  readonly kind: 'path' | 'text' | 'list' | 'switch' | 'choice' | 'number' | 'size'
  /** How the value is shown in help; absent for switches. */
  readonly value?: string
  readonly choices?: readonly string[]
  readonly description: string
  readonly group: 'Storage' | 'Policy' | 'History' | 'HTTP'
  /** The only command that has the flag; a config file has the key for all. */
  readonly command?: string
}

/** Every setting, in the order of help. */
export const SETTINGS: readonly SettingRow[] = [
  {
    name: 'root',
    key: 'root',
    kind: 'path',
    value: 'DIR',
    description: 'the folder to work in, for --fs node (default: the working directory)',
    group: 'Storage',
  },
  {
    name: 'fs',
    key: 'fs',
    kind: 'choice',
    value: 'NAME',
    choices: ['node', 'memory', 'memfs', 'sqlite', 'git'],
    description:
      'where files are kept: node (a folder on disk, the default), memory, memfs (a volume of that package), sqlite, git (a commit of a repository, and what changed since; no checkout)',
    group: 'Storage',
  },
  {
    name: 'db',
    key: 'db',
    kind: 'path',
    value: 'FILE',
    description:
      'the database of --fs sqlite, made when missing (default: a temporary one, with --seed); of --fs git, one that holds a repository',
    group: 'Storage',
  },
  {
    name: 'repo',
    key: 'repo',
    kind: 'path',
    value: 'DIR',
    description: 'the repository of --fs git (default: the one that the working directory is in; with --seed, one in memory)',
    group: 'Storage',
  },
  {
    name: 'workspace',
    key: 'workspace',
    kind: 'text',
    value: 'NAME',
    description: 'which workspace of that repository (default: main)',
    group: 'Storage',
  },
  {
    name: 'branch',
    key: 'branch',
    kind: 'text',
    value: 'NAME',
    description: 'the branch that its commits go to, never one that is checked out (default: filewright/ and the name of the workspace)',
    group: 'Storage',
  },
  {
    name: 'base',
    key: 'base',
    kind: 'text',
    value: 'REVISION',
    description: 'the commit that a new workspace of --fs git begins with (default: HEAD)',
    group: 'Storage',
  },
  {
    name: 'credentials',
    key: 'credentials',
    kind: 'switch',
    description: "with --fs git, ask git's own credential helpers when a server wants to know who is there",
    group: 'Storage',
  },
  {
    name: 'seed',
    key: 'seed',
    kind: 'path',
    value: 'DIR',
    description: 'load this folder into the workspace first; the workspace must be empty',
    group: 'Storage',
  },
  {
    name: 'export',
    key: 'export',
    kind: 'path',
    value: 'DIR',
    description: 'write the workspace to this folder at the end; it must be missing or empty',
    group: 'Storage',
  },
  {
    name: 'durability',
    key: 'durability',
    kind: 'choice',
    value: 'CLASS',
    choices: ['power', 'process'],
    description: 'what a success survives: a power cut (default), or only a killed process, which is faster',
    group: 'Storage',
  },
  {
    name: 'profile',
    key: 'profile',
    kind: 'text',
    value: 'NAME',
    description: 'names and shapes of the tools (default: native; see `filewright profiles`)',
    group: 'Policy',
  },
  { name: 'read-only', key: 'readOnly', kind: 'switch', description: 'refuse every change', group: 'Policy' },
  {
    name: 'disable',
    key: 'disable',
    kind: 'list',
    value: 'NAME,…',
    description: 'tools that are neither listed nor run',
    group: 'Policy',
  },
  {
    name: 'approval',
    key: 'approval',
    kind: 'choice',
    value: 'MODE',
    choices: ['off', 'risky', 'trusted'],
    description:
      'what waits for a person: off, only what file_ops_hub always asks about; risky, what is not small and reversible; trusted, as risky but for what --trust-policy covers (default: risky for file_ops_hub, off for the other tools)',
    group: 'Policy',
  },
  {
    name: 'trust-policy',
    key: 'trustPolicy',
    kind: 'path',
    value: 'FILE',
    description: 'a JSON file: which tools may change which paths unasked, with --approval trusted',
    group: 'Policy',
  },
  {
    name: 'allow-git-internals',
    key: 'allowGitInternals',
    kind: 'switch',
    description: 'let tools change what is in .git',
    group: 'Policy',
  },
  {
    name: 'portable-names',
    key: 'portableNames',
    kind: 'switch',
    description: 'refuse new names that another platform cannot hold',
    group: 'Policy',
  },
  {
    name: 'unconfined-file-bytes',
    key: 'unconfinedFileBytes',
    kind: 'switch',
    description: 'let file_bytes read any file that this process may read, also outside of the folder, and take ~ for the home folder',
    group: 'Policy',
  },
  {
    name: 'runner',
    key: 'runner',
    kind: 'text',
    value: 'TARGET',
    description:
      'where run_command runs: local, as processes of this machine in the folder of --fs node. No sandbox: a command may do whatever this process may (default: nowhere)',
    group: 'Policy',
  },
  {
    name: 'subject',
    key: 'subject',
    kind: 'text',
    value: 'NAME',
    description: 'who the journal names as the author of changes (default: local)',
    group: 'Policy',
  },
  {
    name: 'author',
    key: 'author',
    kind: 'text',
    value: 'WHO',
    description:
      'who commits of --fs git are by, as "Name <address>" (default: the subject; for `filewright git`, as git itself would say)',
    group: 'Policy',
  },
  {
    name: 'output',
    key: 'output',
    kind: 'choice',
    value: 'PARTS',
    choices: ['text', 'structured', 'both'],
    description: 'what an MCP result consists of (default: both)',
    group: 'Policy',
  },
  {
    name: 'result-limit',
    key: 'resultLimit',
    kind: 'size',
    value: 'SIZE',
    description: 'most characters of one result; a larger one is cut, and kept as a resource to be read in parts (default: 16M)',
    group: 'Policy',
    command: 'mcp',
  },
  {
    name: 'client-roots',
    key: 'clientRoots',
    kind: 'choice',
    value: 'EFFECT',
    choices: ['narrow', 'ignore'],
    description: 'what the roots of a client do: narrow (default), its calls stay in those that lie in the folder; ignore',
    group: 'Policy',
    command: 'mcp',
  },
  {
    name: 'watch',
    key: 'watch',
    kind: 'switch',
    description: 'record at once what other programs do to the files (default: when a change meets it)',
    group: 'History',
    command: 'mcp',
  },
  {
    name: 'http',
    key: 'http',
    kind: 'text',
    value: '[HOST:]PORT',
    description:
      'serve over streamable HTTP instead of standard input and output; 0 takes a free port, the host is 127.0.0.1 unless given; the token is made and printed, or set in FILEWRIGHT_TOKEN',
    group: 'HTTP',
    command: 'mcp',
  },
  {
    name: 'http-hosts',
    key: 'httpHosts',
    kind: 'list',
    value: 'NAME:PORT,…',
    description: 'more names, with ports, under which clients reach the server; nobody approves in a form then',
    group: 'HTTP',
    command: 'mcp',
  },
  {
    name: 'keep-records',
    key: 'keepRecords',
    kind: 'number',
    value: 'N',
    description: 'keep the contents of the newest N changes',
    group: 'History',
    command: 'gc',
  },
  {
    name: 'keep-days',
    key: 'keepDays',
    kind: 'number',
    value: 'N',
    description: 'keep the contents of changes up to N days old',
    group: 'History',
    command: 'gc',
  },
  {
    name: 'keep-bytes',
    key: 'keepBytes',
    kind: 'size',
    value: 'SIZE',
    description: 'keep the contents of the newest changes up to this many bytes; 500K, 500M and 2G are sizes too',
    group: 'History',
    command: 'gc',
  },
]

/** Adds the operator's flags to a command; `names` leaves all others out. */
export function addSettings(command: Command, names?: readonly string[]): Command {
  for (const row of SETTINGS) {
    if (names ? !names.includes(row.name) : row.command !== undefined && row.command !== command.name()) continue
    const option = new Option(row.value === undefined ? `--${row.name}` : `--${row.name} <${row.value}>`, row.description)
    if (row.kind !== 'switch') option.argParser((text: string) => parseSetting(row, text, `--${row.name}`))
    command.addOption(option.helpGroup(`${row.group}:`))
  }
  command.addOption(new Option('--config <FILE>', 'a JSON file with the same names; flags win').helpGroup('Policy:'))
  return command
}

/** Checks one value. Throws `invalid_argument`, naming `where`. */
export function parseSetting(row: SettingRow, value: unknown, where: string): string | boolean | number | string[] {
  if (row.kind === 'switch') {
    if (typeof value === 'boolean') return value
    throw wrong(row, where, 'must be true or false')
  }
  if (row.kind === 'list') {
    const names = typeof value === 'string' ? value.split(',') : value
    if (!Array.isArray(names) || names.some((name) => typeof name !== 'string')) throw wrong(row, where, 'must be a list of names')
    return names.map((name: string) => name.trim()).filter((name) => name !== '')
  }
  if (row.kind === 'number' || row.kind === 'size') return parseNumber(row, value, where)
  if (typeof value !== 'string' || value === '') throw wrong(row, where, 'must be a text that is not empty')
  if (row.choices && !row.choices.includes(value)) throw wrong(row, where, `must be ${oneOf(row)}`)
  return value
}

function parseNumber(row: SettingRow, value: unknown, where: string): number {
  const [, digits, unit = ''] = /^([0-9]{1,15})([KMG]?)$/.exec(String(value)) ?? []
  if (digits === undefined || (unit !== '' && row.kind !== 'size')) throw wrong(row, where, 'must be a whole number from 0 on')
  return Number(digits) * 1024 ** ' KMG'.indexOf(unit || ' ')
}

function oneOf({ choices = [] }: SettingRow): string {
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}

function wrong(row: SettingRow, where: string, problem: string): FilewrightError {
  return new FilewrightError('invalid_argument', `${where} ${problem}.`, { field: row.name })
}
