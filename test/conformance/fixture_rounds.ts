/** The fixture's tools that ask the client: forms, its model, its roots, over one round or several. */
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type ElicitInputParams,
  type InputRequests,
  inputRequired,
  inputResponse,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { text } from './fixture_content.ts'

/** What travels through the client, signed. */
interface State {
  readonly round: number
}

/** Signs what travels, and checks what comes back. */
export function createState(): RequestStateCodec<State> {
  return createRequestStateCodec<State>({ key: crypto.getRandomValues(new Uint8Array(32)) })
}

const done = (value: string) => ({ content: [text(value)] })

const form = (message: string, properties: object, required: readonly string[] = Object.keys(properties)) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: [...required] } } as ElicitInputParams)
const named = (message: string) => form(message, { name: { type: 'string' } })
const sampled = (question: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(question) }], maxTokens })
const confirmed = form('Please confirm', { ok: { type: 'boolean' } })

const name = z.object({ name: z.string() })

/** Adds them. */
export function addRounds(server: McpServer, state: RequestStateCodec<State>): void {
  addOldEra(server)
  addOneRound(server)
  addWithState(server, state)

  server.registerTool('test_missing_capability', { description: 'Needs the model of the client' }, () =>
    inputRequired({ inputRequests: { question: sampled('Ready?', 10) } }),
  )
  server.registerTool('test_input_required_result_capabilities', { description: 'Asks for what the client can' }, (context) => {
    const { sampling, elicitation } = capabilities(context)
    const inputRequests: InputRequests = {
      ...(sampling && { question: sampled('Ready?', 10) }),
      ...(elicitation && { user_name: named('What is your name?') }),
    }
    return context.mcpReq.inputResponses ? done('Answered.') : inputRequired({ inputRequests })
  })
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks first' }, ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'user_context', z.object({ context: z.string() }))
    if (answer) return { messages: [{ role: 'user', content: text(answer.context) }] }
    const ask = form('What context should the prompt use?', { context: { type: 'string' } })
    return inputRequired({ inputRequests: { user_context: ask } })
  })
}

/** Tools that ask once and remember nothing. */
function addOneRound(server: McpServer): void {
  for (const tool of ['test_input_required_result_elicitation', 'test_streaming_elicitation']) {
    server.registerTool(tool, { description: 'Asks for a name' }, ({ mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, 'user_name', name)
      return answer ? done(`Hello, ${answer.name}!`) : inputRequired({ inputRequests: { user_name: named('What is your name?') } })
    })
  }
  server.registerTool('test_input_required_result_sampling', { description: 'Asks the model' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'capital_question')
    if (answer.kind === 'sampling') return done(JSON.stringify(answer.result.content))
    return inputRequired({ inputRequests: { capital_question: sampled('What is the capital of France?', 100) } })
  })
  server.registerTool('test_input_required_result_list_roots', { description: 'Asks for the roots' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'client_roots')
    if (answer.kind === 'roots') return done(answer.roots.map(({ uri }) => uri).join(' '))
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  })
}

/** Tools whose state goes through the client. */
function addWithState(server: McpServer, state: RequestStateCodec<State>): void {
  const ask = async (context: ServerContext, round: number, inputRequests: InputRequests) =>
    inputRequired({ inputRequests, requestState: await state.mint({ round }, context) })
  const roundOf = ({ mcpReq }: ServerContext): number => mcpReq.requestState<State>()?.round ?? 0

  for (const tool of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    server.registerTool(tool, { description: 'Keeps its state in the client' }, (context) =>
      roundOf(context) === 1 ? done('state-ok') : ask(context, 1, { confirm: confirmed }),
    )
  }
  server.registerTool('test_input_required_result_multiple_inputs', { description: 'Asks three things at once' }, (context) => {
    if (roundOf(context) === 1) return done('Three answers.')
    return ask(context, 1, {
      user_name: named('What is your name?'),
      greeting: sampled('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    })
  })
  server.registerTool('test_input_required_result_multi_round', { description: 'Asks twice' }, (context) => {
    const round = roundOf(context)
    if (round === 2) return done('Two rounds.')
    if (round === 1) return ask(context, 2, { step2: form('Step 2: What is your favorite color?', { color: { type: 'string' } }) })
    return ask(context, 1, { step1: named('Step 1: What is your name?') })
  })
}

/** Tools of the older era, whose questions are requests of the server. */
function addOldEra(server: McpServer): void {
  const asking = (tool: string, message: string, properties: object, required?: readonly string[]): void => {
    server.registerTool(tool, { description: 'Asks with a form' }, ({ mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'form')
      if (answer.kind === 'elicit') return done(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content)}`)
      return inputRequired({ inputRequests: { form: form(message, properties, required) } })
    })
  }
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model', inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'question')
      if (answer.kind === 'sampling') return done(`LLM response: ${JSON.stringify(answer.result.content)}`)
      return inputRequired({ inputRequests: { question: sampled(prompt, 100) } })
    },
  )
  server.registerTool(
    'test_elicitation',
    { description: 'Asks with a form', inputSchema: z.object({ message: z.string() }) },
    ({ message }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'form')
      if (answer.kind === 'elicit') return done(`User response: action=${answer.action}, content=${JSON.stringify(answer.content)}`)
      const ask = form(message, {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      })
      return inputRequired({ inputRequests: { form: ask } })
    },
  )
  asking(
    'test_elicitation_sep1034_defaults',
    'Check the defaults',
    {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
    [],
  )
  const titled = (values: readonly string[]) => values.map((value) => ({ const: value, title: `Title of ${value}` }))
  asking(
    'test_elicitation_sep1330_enums',
    'Choose',
    {
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string', oneOf: titled(['value1', 'value2', 'value3']) },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: { type: 'array', items: { anyOf: titled(['value1', 'value2', 'value3']) } },
    },
    [],
  )
}

function capabilities({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope = mcpReq.envelope as { readonly [key: string]: unknown } | undefined
  return (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities
}
