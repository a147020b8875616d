/**
 * The long crash test: a real process, really killed, before and after every operation of every scenario.
 *
 *     node test/fs/node/crash_sweep.ts [part of a scenario's name]
 */
import { careful, killAt, onFolder, reopened, statesOf } from './crash_points.ts'
import { MANY, SCENARIOS } from './scenarios.ts'

const wanted = process.argv[2] ?? ''
let bad = 0
let total = 0
for (const scenario of [...SCENARIOS, MANY]) {
  if (!scenario.name.includes(wanted)) continue
  const states = await statesOf(careful, scenario)
  const counts = { OLD: 0, NEW: 0, TORN: 0 }
  // The long one repeats itself: the ends and a sample of the middle.
  const step = states.operations > 500 ? Math.ceil(states.operations / 100) : 1
  for (const mode of ['kill-before', 'kill-after'] as const) {
    for (let at = 1; at <= states.operations; at += at < 20 || at > states.operations - 20 ? 1 : step) {
      await onFolder(scenario, async (root) => {
        const acknowledged = killAt(scenario, root, mode, at)
        const { outcome, recorded, problems } = await reopened(root, states)
        counts[outcome]++
        total++
        const wrong = outcome === 'TORN' || recorded !== (outcome === 'NEW') || (acknowledged && outcome !== 'NEW') || problems.length > 0
        if (!wrong) return
        bad++
        console.log(`  ${mode} ${at}: ${outcome}, recorded ${recorded}, acknowledged ${acknowledged}`, problems)
      })
    }
  }
  console.log(`${scenario.name}: ${states.operations} operations, ${JSON.stringify(counts)}`)
}
console.log(`${total} kills, ${bad} of them with a wrong state afterwards`)
process.exitCode = bad === 0 && total > 0 ? 0 : 1
