/**
 * `npm start`: installs, builds, runs the worker on this machine, and prints the one address that opens the page. Plain
 * JavaScript without dependencies, since it runs before anything is installed.
 */
import { spawn } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const HELP = `Usage: npm start -- [options]

Runs Filewright on this machine and prints the address of its page, with a token in it that works once.

  --port N     port to listen on (default 8787; the next free one if it is taken)
  --state DIR  where workspaces are kept (default .wrangler/state)
  --help       this text
`

/** What the worker serves, once it is built. */
const PAGE = 'dist/web/index.html'
/** How many ports are tried. */
const PORTS = 50
/** Longest wait for the first answer, in milliseconds. */
const START_MS = 90_000
/** Longest wait for the server to end by itself, in milliseconds. */
const END_MS = 5_000

/** Nothing of this leaves the machine. */
const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  NO_UPDATE_NOTIFIER: '1',
}

/** A message for the person, without a stack. */
class Refusal extends Error {}

function options() {
  let values
  try {
    values = parseArgs({ options: { port: { type: 'string' }, state: { type: 'string' }, help: { type: 'boolean' } } }).values
  } catch (error) {
    throw new Refusal(`${error.message}\n\n${HELP}`)
  }
  const port = Number(values.port ?? 8787)
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new Refusal(`--port must be a number from 1 to 65535.\n\n${HELP}`)
  return { help: values.help ?? false, port, state: resolve(values.state ?? '.wrangler/state') }
}

/** Whether the page was built after the last change of what it is made of. */
function isBuilt() {
  const built = statSync(PAGE, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = ['web', 'src'].flatMap((dir) => [dir, ...readdirSync(dir, { recursive: true }).map((name) => join(dir, name))])
  return ['package-lock.json', ...sources].every((file) => statSync(file).mtimeMs < built)
}

function isFree(port) {
  return new Promise((answer) => {
    const probe = createServer()
    probe.once('error', () => answer(false))
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => answer(true)))
  })
}

async function freePort(wanted) {
  for (let port = wanted; port < wanted + PORTS && port <= 65535; port++) {
    if (!(await isFree(port))) continue
    if (port !== wanted) console.error(`Port ${wanted} is taken: using ${port}.`)
    return port
  }
  throw new Refusal(`Port ${wanted} and the ${PORTS - 1} after it are taken: choose another with --port.`)
}

/** The token of the address: `once.id.mac`, as src/http/credentials.ts makes it. */
function oneTimeToken(secret) {
  const head = `once.${randomBytes(16).toString('hex')}`
  return `${head}.${createHmac('sha256', secret).update(head).digest('hex')}`
}

/** Secrets go by a file that only this user can read: arguments and environments are seen by others. */
function writeSecrets(secret, port) {
  mkdirSync('.wrangler', { recursive: true })
  const file = resolve('.wrangler', `start-${process.pid}.env`)
  const hosts = `127.0.0.1:${port},localhost:${port}`
  rmSync(file, { force: true })
  writeFileSync(file, `FILEWRIGHT_SECRET=${secret}\nFILEWRIGHT_HOSTS=${hosts}\n`, { mode: 0o600, flag: 'wx' })
  return file
}

/** The server in a process group of its own, so that all of it can be ended. */
function serve({ port, state, secrets }) {
  const args = ['dev', '--local', '--ip', '127.0.0.1', '--port', String(port), '--inspector-port', '0', '--persist-to', state]
  args.push('--env-file', secrets, '--log-level', 'error', '--show-interactive-dev-session=false')
  return spawn('wrangler', args, { detached: true, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...QUIET } })
}

/** Waits until the server answers. It is asked without a token: the port could have been taken by another program meanwhile. */
async function untilReady(address, ended) {
  const end = Date.now() + START_MS
  while (Date.now() < end) {
    if (ended()) throw new Refusal('The server ended before it answered.')
    try {
      const answer = await fetch(`${address}/v1/workspaces`)
      if (answer.status === 401 && answer.headers.get('content-type') === 'application/problem+json') return
    } catch {
      // Not listening yet.
    }
    await new Promise((wake) => setTimeout(wake, 100))
  }
  throw new Refusal(`The server did not answer within ${START_MS / 1000} s.`)
}

function signalGroup(child, signal) {
  try {
    process.kill(-child.pid, signal)
  } catch {
    // It is gone.
  }
}

async function run() {
  const { help, port: wanted, state } = options()
  if (help) return console.log(HELP)
  process.chdir(join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..'))
  const { install, run: step } = await import('../.ci/prepare.mjs')
  install()
  if (!isBuilt() && !step('npm', 'run', '--silent', 'build:page')) throw new Refusal('The page was not built.')

  const port = await freePort(wanted)
  const address = `http://127.0.0.1:${port}`
  const secret = randomBytes(32).toString('hex')
  const secrets = writeSecrets(secret, port)
  const child = serve({ port, state, secrets })
  const ended = new Promise((done) => child.once('exit', done).once('error', done))
  let over = false
  ended.then(() => {
    over = true
  })

  let stopping = null
  const stop = () => {
    stopping ??= (async () => {
      signalGroup(child, 'SIGTERM')
      const late = setTimeout(() => signalGroup(child, 'SIGKILL'), END_MS)
      await ended
      clearTimeout(late)
      // What the group's leader left behind.
      signalGroup(child, 'SIGKILL')
      rmSync(secrets, { force: true })
    })()
    return stopping
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
  // The reader of our output is gone: nobody can stop us any more but the one that ended it.
  process.stdout.on('error', stop)

  try {
    await untilReady(address, () => over)
    console.log(
      `\nFilewright is running. Open this address; it works once:\n\n  ${address}/#token=${oneTimeToken(secret)}\n\nPress Ctrl-C to stop.`,
    )
    await ended
    if (!stopping) throw new Refusal('The server ended by itself.')
  } finally {
    await stop()
  }
}

run().catch((error) => {
  console.error(error instanceof Refusal ? error.message : error)
  process.exitCode = 1
})
