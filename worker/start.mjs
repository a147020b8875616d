/**
 * `npm start`: installs, builds, runs the worker on this machine, and prints the one address that opens the page. Plain
 * JavaScript without dependencies, since it runs before anything is installed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const HELP = `Usage: npm start -- [options]

Runs Filewright on this machine and prints the address of its page, with a token in it that works once.

  --port N     port to listen on (default 8787; the next free one if it is taken)
  --state DIR  where workspaces are kept (default .wrangler/state)
  --help       this text
`

/** What is built: the page, which the worker serves, and the worker. */
const PAGE = 'dist/web/index.html'
const BUNDLE = '.wrangler/worker/index.js'
/** How many ports are tried. */
const PORTS = 50
/** Longest wait for the server to end by itself, in milliseconds. */
const END_MS = 5_000

/** Nothing of this leaves the machine. */
const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_HIDE_BANNER: 'true',
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

/** Whether a file was built after the last change of what it is made of. */
function isBuilt(file, dirs) {
  const built = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = dirs.flatMap((dir) => [dir, ...readdirSync(dir, { recursive: true }).map((name) => join(dir, name))])
  return ['package-lock.json', 'wrangler.jsonc', ...sources].every((source) => statSync(source).mtimeMs < built)
}

/** Runs a build; its output counts only when it fails. */
function build(what, command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, ...QUIET } })
  if (status !== 0) throw new Refusal(`${stdout}${stderr}\n${what} was not built.`)
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

/**
 * Starts the server in a process group of its own, so that all of it can be ended; it also ends when we do. The secret goes
 * by a channel between the two: arguments and environments are seen by others.
 */
function serve({ port, state, secret }) {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc']
  const child = spawn('node', ['worker/serve.mjs'], { detached: true, stdio, env: { ...process.env, ...QUIET } })
  const { FILEWRIGHT_GIT_HOSTS } = process.env
  const bindings = {
    FILEWRIGHT_SECRET: secret,
    FILEWRIGHT_HOSTS: `127.0.0.1:${port},localhost:${port}`,
    ...(FILEWRIGHT_GIT_HOSTS !== undefined && { FILEWRIGHT_GIT_HOSTS }),
  }
  child.send({ bundle: BUNDLE, port, state, bindings })
  return child
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
  const { install } = await import('../.ci/prepare.mjs')
  install()
  if (!isBuilt(PAGE, ['web', 'src'])) build('The page', 'npm', 'run', '--silent', 'build:page')
  if (!isBuilt(BUNDLE, ['worker', 'src'])) build('The worker', 'wrangler', 'deploy', '--dry-run', '--outdir', dirname(BUNDLE))

  const port = await freePort(wanted)
  const secret = randomBytes(32).toString('hex')
  const child = serve({ port, state, secret })
  let over = false
  const ended = new Promise((done) => child.once('exit', done).once('error', done)).then(() => {
    over = true
  })
  const ready = new Promise((done) => child.once('message', done))

  let stopping = null
  const stop = () => {
    stopping ??= (async () => {
      signalGroup(child, 'SIGTERM')
      const late = setTimeout(() => signalGroup(child, 'SIGKILL'), END_MS)
      await ended
      clearTimeout(late)
      // What the group's leader left behind.
      signalGroup(child, 'SIGKILL')
    })()
    return stopping
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
  // The reader of our output is gone: nobody can stop us any more but the one that ended it.
  process.stdout.on('error', stop)
  // npm's shell passes no signal on: when it is gone, so are we.
  const parent = process.ppid
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && stop(), 500).unref()

  await Promise.race([ready, ended])
  if (!over && !stopping) {
    const address = `http://127.0.0.1:${port}/#token=${oneTimeToken(secret)}`
    console.log(`\nFilewright is running. Open this address; it works once:\n\n  ${address}\n\nPress Ctrl-C to stop.`)
  }
  await ended
  if (!stopping) throw new Refusal('The server ended by itself.')
  await stop()
}

run().catch((error) => {
  console.error(error instanceof Refusal ? error.message : error)
  process.exitCode = 1
})
