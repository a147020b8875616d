/** `npm start`'s launcher as a test runs it: on a port of its own, with a state folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

/** A running server. */
export interface LocalServer {
  /** The address with its one-time token. */
  readonly address: string
  stop(): Promise<void>
}

/** Starts the launcher and waits for its address. */
export async function startServer(state: string): Promise<LocalServer> {
  const port = await freePort()
  const child = spawn(process.execPath, [join(ROOT, 'worker', 'start.mjs'), '--port', String(port), '--state', state], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  const address = await addressOf(child)
  return {
    address,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer): void => {
      output += chunk
      const found = /http:\/\/\S+#token=\S+/.exec(output)
      if (found) resolve(found[0])
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`The server ended (${code}) before it printed its address:\n${output}`)))
  })
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done))
  const { port } = probe.address() as { port: number }
  await new Promise((done) => probe.close(done))
  return port
}
