/**
 * Ten small edit tasks on the sources of a real package, in memory: `node examples/evaluation/run.ts`. The agent is a script that makes
 * two mistakes, so that the table shows what a failure looks like. Put your own in its place: it is a function that is given a task
 * and a workspace. (In a project of yours, these imports are `filewright/testing` and `filewright/testing/node`.)
 */
import { evaluate, evaluationTable, scriptedAgent } from '../../src/testing/index.ts'
import { readTasks } from '../../src/testing/node.ts'

const tasks = readTasks(`${import.meta.dirname}/tasks`)
const results = await evaluate(tasks, scriptedAgent)
console.log(evaluationTable(results))
