/** Files that usually hold secrets; changing them takes the caller's explicit word (contract C-39). */
import type { Path } from '../core/path.ts'
import { namesOf } from '../core/path.ts'
import type { Refusal } from './refusal.ts'

/** A rule and the pattern as it is shown. All names are compared in lower case. */
type NameRule = readonly [shown: string, test: (name: string) => boolean]

const exact = (...names: string[]): NameRule[] => names.map((name) => [name, (given) => given === name])
const ending = (...ends: string[]): NameRule[] => ends.map((end) => [`*${end}`, (given) => given.endsWith(end)])

const HARMLESS_ENV = new Set(['.env.example', '.env.sample', '.env.template', '.env.dist'])

const NAME_RULES: readonly NameRule[] = [
  ...exact('.env'),
  ['.env.*', (name) => name.startsWith('.env.') && !HARMLESS_ENV.has(name)],
  ...exact('id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519'),
  ...ending('.pem', '.key', '.p12', '.pfx', '.jks', '.keystore', '.ppk', '.kdbx'),
  ...exact('.netrc', '_netrc', '.pgpass', '.npmrc', '.pypirc', '.htpasswd', '.git-credentials', 'credentials.json'),
  ['service-account*.json', (name) => name.startsWith('service-account') && name.endsWith('.json')],
  ...exact('secrets.json', 'secrets.yml', 'secrets.yaml', 'secrets.toml'),
]

const SECRET_DIRECTORIES = new Set(['.ssh', '.gnupg', '.aws', '.azure', '.kube'])

/** The rule that makes the path sensitive, or null. */
export function checkSensitive(path: Path): Refusal | null {
  const names = namesOf(path).map((name) => name.toLowerCase())
  const last = names[names.length - 1]
  if (last === undefined) return null
  const rule = NAME_RULES.find(([, test]) => test(last))?.[0] ?? directoryRule(names)
  return rule === undefined ? null : { code: 'sensitive_path', rule, source: 'the list of sensitive files' }
}

function directoryRule(names: readonly string[]): string | undefined {
  const secret = names.slice(0, -1).find((name) => SECRET_DIRECTORIES.has(name))
  if (secret !== undefined) return `${secret}/`
  return names.length > 1 && names[names.length - 2] === '.docker' && names[names.length - 1] === 'config.json'
    ? '.docker/config.json'
    : undefined
}
