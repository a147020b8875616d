/** Who asks a git server: what the environment says, or git's own credential helpers. Never an argument, which every program of the machine can read. */
import { spawn } from 'node:child_process'
import { devNull } from 'node:os'
import { FilewrightError } from '../../core/errors.ts'
import type { AskCredentials, CredentialRequest, Credentials } from '../../git/wire/credentials.ts'

/** The variables that are read. */
const [USERNAME, PASSWORD, TOKEN] = ['FILEWRIGHT_GIT_USERNAME', 'FILEWRIGHT_GIT_PASSWORD', 'FILEWRIGHT_GIT_TOKEN']
/** The hosts that the environment's credentials are for, with commas between them. */
const HOSTS = 'FILEWRIGHT_GIT_CREDENTIALS_FOR'

/** Where credentials come from. */
export interface CredentialSources {
  /** Whether git's own helpers are asked, who know which host a credential is for. */
  readonly helpers: boolean
  /** The address that the person named in this command, whose host may have what is in the environment. */
  readonly named?: string
  readonly env?: NodeJS.ProcessEnv
}

/**
 * Answers a server that wants to know who asks: from the environment, and with `helpers` from `git credential fill`, which is told when
 * its answer was refused. What is in the environment goes to hosts that the person named, never to one that only the settings of a
 * repository name: those may be anybody's. Throws `unsupported` where git is not installed, `invalid_argument` for half of a name and
 * password, `permission_denied` where nothing is to be sent.
 */
export function credentialsOf({ helpers, named, env = process.env }: CredentialSources): AskCredentials {
  const fromHelpers = helpers ? createHelpers(env) : null
  const hosts = (env[HOSTS] ?? '').split(',').map((host) => host.trim().toLowerCase())
  if (named !== undefined) hosts.push(new URL(named).host)
  return async (request) => {
    const given = fromEnvironment(env)
    const { host } = new URL(request.url)
    const isFor = hosts.includes(host)
    if (given && isFor && !request.rejected) return given
    if (fromHelpers) return fromHelpers(request)
    if (given && !isFor) {
      const why = 'what is in the environment is not sent to a host that only the settings of the repository name'
      throw new FilewrightError('permission_denied', `${request.url} wants credentials, and ${why}: set ${HOSTS}=${host} to send it there.`)
    }
    throw new FilewrightError('permission_denied', `${request.url} ${request.rejected ? 'refuses' : 'wants'} credentials: ${HINT}`)
  }
}

const HINT = `set ${TOKEN}, or ${USERNAME} and ${PASSWORD}, or allow git's own helpers with --credentials.`

function fromEnvironment(env: NodeJS.ProcessEnv): Credentials | null {
  const [username, password, token] = [env[USERNAME], env[PASSWORD], env[TOKEN]]
  if (token) return username ? { username, password: token } : { token }
  if (username && password) return { username, password }
  if (!username && !password) return null
  throw new FilewrightError('invalid_argument', `${USERNAME} and ${PASSWORD} need each other, or ${TOKEN} instead.`)
}

function createHelpers(env: NodeJS.ProcessEnv): (request: CredentialRequest) => Promise<Credentials | null> {
  let last: string | null = null
  return async ({ url, rejected }) => {
    if (rejected && last !== null) await askGit('reject', last, env)
    const { protocol, host, pathname } = new URL(url)
    const asked = `protocol=${protocol.replace(':', '')}\nhost=${host}\npath=${pathname.slice(1)}\n`
    const answer = await askGit('fill', `${asked}\n`, env)
    const value = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(answer)?.[1]
    const [username, password] = [value('username'), value('password')]
    if (username === undefined || password === undefined) return null
    last = `${asked}username=${username}\npassword=${password}\n\n`
    return { username, password }
  }
}

/**
 * Runs `git credential`. It asks nobody at the terminal: its helpers know, or the answer is empty. Helpers are programs, and come from the
 * settings of the person and the machine alone: those of a repository that happens to be in the current folder may be anybody's.
 */
function askGit(act: 'fill' | 'reject', input: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const quiet = { ...env, GIT_DIR: devNull, GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '', SSH_ASKPASS: '' }
    const child = spawn('git', ['credential', act], { env: quiet, stdio: ['pipe', 'pipe', 'ignore'] })
    let answer = ''
    child.on('error', (cause) => {
      reject(new FilewrightError('unsupported', `--credentials needs git, which cannot be run: ${HINT}`, { field: 'credentials', cause }))
    })
    child.stdin.on('error', () => {})
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      answer += text
    })
    child.on('close', (status) => resolve(status === 0 ? answer : ''))
    child.stdin.end(input)
  })
}
