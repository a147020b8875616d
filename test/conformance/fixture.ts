/** What the official conformance suite wants of a server, by the names that it calls. It stands on the product's own HTTP transport. */
import { McpServer, type McpServerFactory, ResourceTemplate, type ServerNotifier } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { addContentTools, PNG, text } from './fixture_content.ts'
import { addRounds, createState } from './fixture_rounds.ts'

const CACHED = { ttlMs: 60_000, cacheScope: 'private' } as const

/** A factory of such servers; `notify` tells open subscriptions. */
export function createFixture(notify: () => ServerNotifier): McpServerFactory {
  const state = createState()
  return ({ era }) => {
    const server = new McpServer(
      { name: 'conformance-fixture', version: '1.0.0' },
      {
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          completions: {},
          logging: {},
        },
        cacheHints: {
          'tools/list': CACHED,
          'prompts/list': CACHED,
          'resources/list': CACHED,
          'resources/templates/list': CACHED,
          'resources/read': CACHED,
        },
        requestState: { verify: state.verify },
      },
    )
    addContentTools(server)
    addRounds(server, state)
    addResources(server, era)
    addPrompts(server)
    addTriggers(server, notify)
    return server
  }
}

function addResources(server: McpServer, era: 'legacy' | 'modern'): void {
  const fixed = (name: string, mimeType: string, content: { text: string } | { blob: string }): void => {
    const uri = `test://${name}`
    server.registerResource(name, uri, { description: name, mimeType }, () => ({ contents: [{ uri, mimeType, ...content }] }))
  }
  fixed('static-text', 'text/plain', { text: 'This is the content of the static text resource.' })
  fixed('static-binary', 'image/png', { blob: PNG })
  fixed('watched-resource', 'text/plain', { text: 'Watched.' })
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, { description: 'By id', mimeType: 'application/json' }, (uri, { id }) => ({
    contents: [
      { uri: uri.href, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) },
    ],
  }))
  if (era === 'modern') return
  const subscribed = new Set<string>()
  server.server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri)
    return {}
  })
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
}

function addPrompts(server: McpServer): void {
  const said = (content: ReturnType<typeof text>) => ({ messages: [{ role: 'user' as const, content }] })
  server.registerPrompt('test_simple_prompt', { description: 'No arguments' }, () => said(text('This is a simple prompt for testing.')))
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Two arguments', argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  )
  server.server.setRequestHandler('completion/complete', ({ params }) => {
    const values = ['test', 'testing', 'other'].filter((value) => value.startsWith(params.argument.value))
    return { completion: { values, total: values.length, hasMore: false } }
  })
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A resource inside', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        { role: 'user', content: text('Please process the embedded resource above.') },
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'An image inside' }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
      { role: 'user', content: text('Please analyze the image above.') },
    ],
  }))
}

/** Tools that make the server tell of changes. */
function addTriggers(server: McpServer, notify: () => ServerNotifier): void {
  server.registerTool('test_trigger_tool_change', { description: 'Tells that the tools changed' }, () => {
    notify().toolsChanged()
    return { content: [text('Told.')] }
  })
  server.registerTool('test_trigger_prompt_change', { description: 'Tells that the prompts changed' }, () => {
    notify().promptsChanged()
    return { content: [text('Told.')] }
  })
}
