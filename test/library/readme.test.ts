/** The programs that README shows for model interfaces run as they stand, with a scripted model. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { modelServer } from './model_server.ts'
import { chatCompletionRequest } from './request_schemas.ts'

const ROOT = join(import.meta.dirname, '../..')
const SECTION =
  readFileSync(join(ROOT, 'README.md'), 'utf8').split('## From the AI SDK, OpenAI and Anthropic\n')[1]?.split('\n## ')[0] ?? ''
const [AI_SDK, OPENAI] = [...SECTION.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string)

const source = (path: string): string => pathToFileURL(join(ROOT, 'src', path)).href

const PACKAGES: { readonly [name: string]: string } = {
  filewright: source('index.ts'),
  'filewright/definitions': source('library/definitions.ts'),
  ai: import.meta.resolve('ai'),
  'ai/test': import.meta.resolve('ai/test'),
  openai: import.meta.resolve('openai'),
}

const WORKSPACE = `import { createMemoryFs, openWorkspace } from 'filewright'
  const workspace = await openWorkspace({ fs: createMemoryFs(), profile: 'sessions' })`

/** Runs a program after what it takes for granted; answers what it printed. */
async function run(before: string, program: string, after = ''): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'filewright-readme-'))
  try {
    const file = join(folder, 'program.mjs')
    const text = [WORKSPACE, before, program, after].join('\n')
    writeFileSync(
      file,
      text.replace(/(?<=from )'([^']+)'/g, (_, name: string) => JSON.stringify(PACKAGES[name])),
    )
    return (await promisify(execFile)(process.execPath, ['--no-warnings', file])).stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const args = JSON.stringify({ path: 'sessions/a.txt', content: 'one' })

test('AI SDK', async () => {
  const before = `import { MockLanguageModelV4 } from 'ai/test'
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
    const prompt = 'go'
    const model = new MockLanguageModelV4({ doGenerate: [
      { content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'write_file', input: ${JSON.stringify(args)} }],
        finishReason: { unified: 'tool-calls' }, usage, warnings: [] },
      { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop' }, usage, warnings: [] } ] })`
  const after = `console.log((await workspace.call('read_file', { path: 'sessions/a.txt' })).text)`
  expect(await run(before, AI_SDK as string, after)).toMatch(/^done\n[\s\S]*one\n$/)
})

test('OpenAI', async () => {
  const answer = (message: object): object => ({
    id: 'c',
    object: 'chat.completion',
    created: 0,
    model: 'm',
    choices: [{ index: 0, message }],
  })
  const tool_calls = [{ id: 'c', type: 'function', function: { name: 'write_file', arguments: args } }]
  const server = await modelServer('/v1/chat/completions', chatCompletionRequest, [
    answer({ role: 'assistant', content: null, tool_calls }),
    answer({ role: 'assistant', content: 'done' }),
  ])
  try {
    const before = `import OpenAI from 'openai'
      const client = new OpenAI({ apiKey: 'none', baseURL: '${server.url}/v1', maxRetries: 0 })
      const messages = [{ role: 'user', content: 'go' }]`
    const after = `console.log(messages.map(({ role }) => role).join(), messages.at(-1).content)
      console.log((await workspace.call('read_file', { path: 'sessions/a.txt' })).text)`
    expect(await run(before, OPENAI as string, after)).toMatch(/^user,assistant,tool,assistant done\n[\s\S]*one\n$/)
  } finally {
    await server.close()
  }
})
