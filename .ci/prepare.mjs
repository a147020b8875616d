/**
 * What a fresh clone needs before anything else runs. Plain JavaScript without dependencies: it runs on whatever Node the
 * machine has, and puts the Node that the lock file pins first on the path for all that follows.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..')
process.chdir(root)
process.env.PATH = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)

/** Runs a command with the terminal of this process; returns whether it succeeded. */
export function run(command, ...args) {
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0
}

/** Whether what is installed is what the lock file asks for. npm writes its own list last, so an interrupted installation is not. */
function isInstalled() {
  const packagesOf = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {})
  const there = packagesOf('node_modules/.package-lock.json')
  return Object.entries(packagesOf('package-lock.json')).every(([path, { version, optional }]) => {
    return !path.startsWith('node_modules/') || (there[path] ? there[path].version === version : optional === true)
  })
}

/** Installs the dependencies as locked, unless they are there. Throws when that fails or Node is too old. */
export function install() {
  if (!isInstalled() && !run('npm', 'ci', '--loglevel=error', '--no-audit', '--no-fund')) throw new Error('npm ci failed.')
  const version = spawnSync('node', ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim()
  if (Number.parseInt(version, 10) < 24) throw new Error(`Node ${version} is too old for this checkout: it needs 24 or newer.`)
}
