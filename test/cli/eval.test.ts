/** `filewright eval` as a process: scripted tasks, an agent that is a real MCP client, and what it says of bad ones. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run, start, temporaryFolder } from './command.ts'

const ROOT = join(import.meta.dirname, '../..')
const EXAMPLE = join(ROOT, 'examples/evaluation')
const TASKS = join(EXAMPLE, 'tasks')
const AGENT = `'${process.execPath}' '${join(EXAMPLE, 'agent.mjs')}'`
/** What the example's script gets wrong on purpose. */
const WRONG = ['many-files', 'one-word']

interface Report {
  readonly results: readonly {
    readonly task: string
    readonly passed: boolean
    readonly problem: string | null
    readonly calls: number
    readonly failedCalls: number
    readonly changed: readonly string[]
    readonly diff: string
  }[]
  readonly passed: number
  readonly total: number
}

function report(stdout: string): Report {
  return JSON.parse(stdout)
}

/** A folder with one task, which wants `a.txt` to hold `2`. */
function oneTask(parts: object = {}): string {
  const folder = temporaryFolder()
  const task = {
    instruction: 'Write 2 to a.txt.',
    repository: { files: { 'a.txt': '1\n' } },
    check: { files: { 'a.txt': '2\n' } },
    ...parts,
  }
  writeFileSync(join(folder, 'one.json'), JSON.stringify(task))
  return folder
}

/** An agent in a few lines of JavaScript. */
function agentOf(code: string): string {
  const file = join(temporaryFolder(), 'agent.mjs')
  writeFileSync(file, code)
  return `'${process.execPath}' '${file}'`
}

describe('filewright eval', { timeout: 60_000 }, () => {
  test('plays the scripts of the example: eight pass, two do not, and the table says why', async () => {
    const ended = await run(['eval', TASKS])
    expect(ended).toMatchObject({ status: 5, stderr: '' })
    expect(ended.stdout).toContain('8 of 10 passed')
    for (const task of WRONG) expect(ended.stdout).toMatch(new RegExp(`^${task} +NO .*\\n  \\S`, 'm'))
    expect(ended.stdout).toMatch(
      /^rename-function +yes +4 +src\/v4\/core\/checks\.ts, src\/v4\/core\/compile\.ts, src\/v4\/core\/util\.ts +[0-9.]+ s$/m,
    )
  })

  test('an agent over MCP comes to the same', async () => {
    const [scripted, agent] = [await run(['eval', TASKS, '--json']), await run(['eval', TASKS, '--agent', AGENT, '--jobs', '2', '--json'])]
    expect(agent.status).toBe(5)
    const facts = ({ results }: Report) =>
      results.map(({ task, passed, calls, failedCalls, changed, diff }) => [task, passed, calls, failedCalls, changed, diff])
    expect(facts(report(agent.stdout))).toEqual(facts(report(scripted.stdout)))
    expect(
      report(agent.stdout)
        .results.filter(({ passed }) => !passed)
        .map(({ task }) => task),
    ).toEqual(WRONG)
  })

  test('only some tasks, with their diffs', async () => {
    const ended = await run(['eval', TASKS, '--only', 'raise-version,remove-file', '--diff'])
    expect(ended.status).toBe(0)
    expect(ended.stdout).toContain('-  "version": "4.6.7",\n+  "version": "5.0.0",\n')
    expect(ended.stdout).toContain('2 of 2 passed')
  })

  test('every task of the example has a check that its untouched repository does not pass, but for the one that wants nothing', async () => {
    const ended = await run(['eval', TASKS, '--agent', agentOf(''), '--json'])
    expect(
      report(ended.stdout)
        .results.filter(({ passed }) => passed)
        .map(({ task }) => task),
    ).toEqual(['leave-alone'])
    expect(readdirSync(TASKS).filter((name) => name.endsWith('.json'))).toHaveLength(10)
  })

  test('the agent is told what to do, in its words and in variables', async () => {
    const out = join(temporaryFolder(), 'out.json')
    const agent = agentOf(`import { readFileSync, writeFileSync } from 'node:fs'
      const [config, ...rest] = process.argv.slice(2)
      const { FILEWRIGHT_INSTRUCTION, FILEWRIGHT_TASK, FILEWRIGHT_MCP_URL, FILEWRIGHT_MCP_TOKEN } = process.env
      writeFileSync(${JSON.stringify(out)}, JSON.stringify({ config, content: JSON.parse(readFileSync(config, 'utf8')), rest,
        env: [FILEWRIGHT_TASK, FILEWRIGHT_INSTRUCTION, FILEWRIGHT_MCP_URL, FILEWRIGHT_MCP_TOKEN] }))`)
    await run(['eval', oneTask(), '--agent', `${agent} {config} {task} --say={instruction} {url} {token} {other} '{'`])
    const { config, content, rest, env } = JSON.parse(readFileSync(out, 'utf8'))
    const [, , url, token] = env
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
    expect(env.slice(0, 2)).toEqual(['one', 'Write 2 to a.txt.'])
    expect(rest).toEqual(['one', '--say=Write 2 to a.txt.', url, token, '{other}', '{'])
    expect(content.mcpServers.filewright).toEqual({ type: 'http', url, headers: { Authorization: `Bearer ${token}` } })
    expect(() => readFileSync(config)).toThrow('ENOENT')
  })

  test('a foreign client finds the tools by the file, and does the task', { timeout: 120_000 }, async () => {
    const inspector = join(ROOT, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
    const command = `'${process.execPath}' '${inspector}' --cli --config {config} --server filewright --method tools/call`
    const call = `--tool-name write --tool-arg path=a.txt --tool-arg content=two --format json`
    const env = { HOME: temporaryFolder(), MCP_INSPECTOR_SECRET_STORE: 'memory' }
    const folder = oneTask({ check: { files: { 'a.txt': 'two' }, changed: ['a.txt'] } })
    const ended = await run(['eval', folder, '--agent', `${command} ${call}`, '--json'], { env })
    expect(report(ended.stdout).results[0]).toMatchObject({ passed: true, problem: null, calls: 1, failedCalls: 0 })
    expect(ended.status).toBe(0)
  })

  test('an agent that fails, and one that is not there', async () => {
    const failed = await run(['eval', oneTask(), '--agent', agentOf(`console.error('no model'); process.exit(3)`), '--json'])
    expect(failed.status).toBe(5)
    expect(report(failed.stdout).results[0]?.problem).toBe('The agent failed: it ended with status 3: no model')
    const missing = await run(['eval', oneTask(), '--agent', 'no-such-program', '--json'])
    expect(report(missing.stdout).results[0]?.problem).toContain('no-such-program')
  })

  test('an agent whose time is up is ended, with what it started', async () => {
    const pids = join(temporaryFolder(), 'pids')
    const agent = agentOf(`import { spawn } from 'node:child_process'
      import { writeFileSync } from 'node:fs'
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
      writeFileSync(${JSON.stringify(pids)}, process.pid + ' ' + child.pid)
      setInterval(() => {}, 1000)`)
    const ended = await run(['eval', oneTask({ timeout_seconds: 2 }), '--agent', agent, '--json'])
    expect(report(ended.stdout).results[0]).toMatchObject({ passed: false, problem: 'The agent was not done after 2 s.' })
    const alive = (): number[] => readFileSync(pids, 'utf8').split(' ').map(Number).filter(isAlive)
    await expect.poll(alive, { timeout: 5000 }).toEqual([])
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('%s stops it, and the agent with it', async (signal) => {
    const pid = join(temporaryFolder(), 'pid')
    const agent = agentOf(`import { writeFileSync } from 'node:fs'
      writeFileSync(${JSON.stringify(pid)}, String(process.pid))
      setInterval(() => {}, 1000)`)
    const child = start(['eval', oneTask(), '--agent', agent])
    const ended = new Promise((resolve) => child.on('close', resolve))
    let told = ''
    child.stderr.on('data', (text) => {
      told += text
    })
    await expect.poll(() => existsSync(pid) && readFileSync(pid, 'utf8') !== '', { timeout: 20_000 }).toBe(true)
    child.kill(signal)
    expect(await ended).toBe(6)
    expect(told).toContain('stopped after 0 of 1 tasks')
    expect(isAlive(Number(readFileSync(pid, 'utf8')))).toBe(false)
  })

  test.each([
    ['no such folder', () => join(temporaryFolder(), 'none'), [], 3, 'no folder'],
    ['no tasks', () => temporaryFolder(), [], 3, 'no tasks'],
    ['a task that is not sound', () => oneTask({ check: {} }), [], 2, 'must check something'],
    ['an unknown member', () => oneTask({ checks: {} }), [], 2, 'checks'],
    ['no script and no agent', () => oneTask(), [], 2, 'has no script'],
    ['an unknown task', () => oneTask(), ['--only', 'two'], 3, 'There is no task two; there are one.'],
    ['a command that is not closed', () => oneTask(), ['--agent', `node "x`], 2, 'agent'],
    ['an empty command', () => oneTask(), ['--agent', ' '], 2, 'must be a command'],
  ] as const)('says what is wrong: %s', async (_, folder, args, status, message) => {
    const ended = await run(['eval', folder(), ...args])
    expect(ended).toMatchObject({ status, stdout: '' })
    expect(ended.stderr).toContain(message)
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A dead one that nobody asked about yet counts as gone.
    return !/^State:\sZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
