/** The process that is killed: `NAME ROOT MODE AT` commits a scenario, and says when it is done. */
import { writeSync } from 'node:fs'
import { openNodeFsOn } from '../../../src/fs/node.ts'
import { type FaultMode, faultySys } from './fault_sys.ts'
import { act, MANY, SCENARIOS } from './scenarios.ts'

const [, , name, root, mode, at] = process.argv as [string, string, string, string, FaultMode, string]
const scenario = [...SCENARIOS, MANY].find((one) => one.name === name)
if (!scenario) throw new Error(`There is no scenario ${name}.`)
const fs = await openNodeFsOn(faultySys({ mode, at: Number(at) }).sys, { root, durability: 'power' })
await act(scenario, fs)
writeSync(1, 'done\n')
await fs.close()
