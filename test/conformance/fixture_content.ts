/** The fixture's tools that only answer: with each kind of content, with progress, with log messages, with an error. */
import { fromJsonSchema, type McpServer, type ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** One red pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
/** No sample at all. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

/** A text block. */
export function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value }
}

const pause = (): Promise<void> => new Promise((wake) => setTimeout(wake, 20))

/** Adds them. */
export function addContentTools(server: McpServer): void {
  const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' }
  const resource = (uri: string, mimeType: string, content: string) => ({
    type: 'resource' as const,
    resource: { uri, mimeType, text: content },
  })
  server.registerTool('test_simple_text', { description: 'Text' }, () => ({
    content: [text('This is a simple text response for testing.')],
  }))
  server.registerTool('test_image_content', { description: 'An image' }, () => ({ content: [image] }))
  server.registerTool('test_audio_content', { description: 'Audio' }, () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }))
  server.registerTool('test_embedded_resource', { description: 'A resource' }, () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }))
  server.registerTool('test_multiple_content_types', { description: 'Several kinds of content' }, () => ({
    content: [
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }))
  server.registerTool('test_error_handling', { description: 'Fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  server.registerTool('test_tool_with_progress', { description: 'Tells its progress' }, async (context) => {
    for (const progress of [0, 50, 100]) {
      await tellProgress(context, progress)
      await pause()
    }
    return { content: [text('Done.')] }
  })
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, { description: 'Logs' }, async ({ mcpReq }) => {
      for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.log('info', line)
        await pause()
      }
      return { content: [text('Done.')] }
    })
  }
  server.registerTool(
    'test_x_mcp_header',
    {
      description: 'Has an argument that is also a header',
      inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    },
    ({ region }) => ({ content: [text(region)] }),
  )
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Its schema uses what 2020-12 has', inputSchema: fromJsonSchema<object>(SCHEMA_2020_12) },
    () => ({ content: [text('Done.')] }),
  )
}

async function tellProgress({ mcpReq }: ServerContext, progress: number): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return
  await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
}

const SCHEMA_2020_12 = {
  $schema: DRAFT,
  type: 'object' as const,
  $defs: {
    address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of the schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}
