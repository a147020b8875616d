/** The test command: prepares the machine, then lint, types, build and every test. With arguments: only vitest, with them. */
import { existsSync } from 'node:fs'
import { install, run } from './prepare.mjs'

const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium'

/** Gets Chromium where that is allowed; elsewhere the browser tests say how. */
function installChromium() {
  if (existsSync(CHROMIUM) || process.env.CHROMIUM || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  process.env.DEBIAN_FRONTEND = 'noninteractive'
  run('apt-get', 'update', '-q') && run('apt-get', 'install', '-qy', '--no-install-recommends', 'chromium', 'fonts-liberation')
}

function stop(what) {
  console.error(`\n${what}`)
  console.log('0 passed, 1 failed')
  process.exit(1)
}

try {
  install()
} catch (error) {
  stop(error.message)
}
installChromium()
const args = process.argv.slice(2)
if (args.length === 0) {
  for (const step of ['lint', 'typecheck', 'build', 'build:page'])
    run('npm', 'run', step, '--if-present') || stop(`npm run ${step} failed.`)
}
process.exit(run('vitest', 'run', ...args) ? 0 : 1)
