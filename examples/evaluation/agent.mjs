/**
 * An agent that is an MCP client: `filewright eval examples/evaluation/tasks --agent "node examples/evaluation/agent.mjs"`. It is told
 * where the tools are, connects, and makes the calls that its script has for the task; a real one would ask a model for them.
 */
import { readFileSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const { FILEWRIGHT_MCP_URL: url, FILEWRIGHT_MCP_TOKEN: token, FILEWRIGHT_TASK: task } = process.env
if (!url || !token || !task) throw new Error('Run it with `filewright eval`, which says where the tools are.')

const client = new Client({ name: 'scripted-agent', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }))
try {
  const { script } = JSON.parse(readFileSync(`${import.meta.dirname}/tasks/${task}.json`, 'utf8'))
  for (const { tool, arguments: args } of script) await client.callTool({ name: tool, arguments: args })
} finally {
  await client.close()
}
