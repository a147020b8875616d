/**
 * Ten small edit tasks on the sources of a real package, in memory. The agent is a script that makes two mistakes, so that the table
 * shows what a failure looks like. Put your own in its place: a function that is given a task and a workspace.
 */
import { evaluate, evaluationTable, scriptedAgent } from 'filewright/testing'
import { readTasks } from 'filewright/testing/node'

const tasks = readTasks(process.argv[2] ?? `${import.meta.dirname}/tasks`)
console.log(evaluationTable(await evaluate(tasks, scriptedAgent)))
