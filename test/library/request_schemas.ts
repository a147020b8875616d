/**
 * What the interfaces of models accept in a request, as JSON Schema. Their packages ship types but no schema: these say what the
 * types and the published limits say of the parts that tools have to do with, and refuse members that the types do not have.
 */

const text = { type: 'string' }
const filled = { type: 'string', minLength: 1 }
const oneOf = (...values: string[]): object => ({ type: 'string', enum: values })
const listOf = (items: object, minItems = 0): object => ({ type: 'array', items, minItems })

/** An object of these members and no others; a name that ends in `?` may be left out. */
function closed(members: { readonly [name: string]: object }): object {
  const properties = Object.fromEntries(Object.entries(members).map(([name, schema]) => [name.replace(/\?$/, ''), schema]))
  const required = Object.keys(members).filter((name) => !name.endsWith('?'))
  return { type: 'object', properties, required, additionalProperties: false }
}

/** The arguments of a function: an object, without choices at the top, which none of the interfaces takes. */
const parameters = {
  type: 'object',
  properties: { type: { const: 'object' }, properties: { type: 'object' }, required: listOf(text) },
  required: ['type', 'properties'],
  not: { anyOf: ['anyOf', 'oneOf', 'allOf', 'not', 'enum', '$ref', '$schema'].map((keyword) => ({ required: [keyword] })) },
}

const openAiName = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' }
/** Longer ones are refused as `string_above_max_length`. */
const description = { type: 'string', minLength: 1, maxLength: 1024 }
const openAiFunction = { name: openAiName, description, parameters, strict: { type: 'boolean' } }

/** `POST /v1/chat/completions`. */
export const chatCompletionRequest: object = closed({
  model: filled,
  tools: listOf(closed({ type: { const: 'function' }, function: closed(openAiFunction) }), 1),
  messages: listOf(
    {
      oneOf: [
        closed({ role: { const: 'user' }, content: text }),
        closed({
          role: { const: 'assistant' },
          content: { type: ['string', 'null'] },
          'refusal?': { type: 'null' },
          tool_calls: listOf(
            closed({ id: filled, type: { const: 'function' }, function: closed({ name: openAiName, arguments: text }) }),
            1,
          ),
        }),
        closed({
          role: { const: 'tool' },
          tool_call_id: filled,
          content: { oneOf: [text, listOf(closed({ type: { const: 'text' }, text }), 1)] },
        }),
      ],
    },
    1,
  ),
})

const imageUrl = { type: 'string', pattern: '^data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$' }
const fileData = { type: 'string', pattern: '^data:application/pdf;base64,[A-Za-z0-9+/]+=*$' }

/** An answer to a function call, as `POST /v1/responses` takes it. */
export const functionCallOutput: object = closed({
  type: { const: 'function_call_output' },
  call_id: filled,
  output: {
    oneOf: [
      text,
      listOf(
        {
          oneOf: [
            closed({ type: { const: 'input_text' }, text: filled }),
            closed({ type: { const: 'input_image' }, image_url: imageUrl, 'detail?': oneOf('low', 'high', 'auto', 'original') }),
            closed({ type: { const: 'input_file' }, filename: filled, file_data: fileData }),
          ],
        },
        1,
      ),
    ],
  },
})

/** `POST /v1/responses`. */
export const responseRequest: object = closed({
  model: filled,
  tools: listOf(closed({ type: { const: 'function' }, ...openAiFunction }), 1),
  input: listOf(
    {
      oneOf: [
        closed({ role: { const: 'user' }, content: text }),
        closed({
          type: { const: 'function_call' },
          'id?': filled,
          call_id: filled,
          name: openAiName,
          arguments: text,
          'status?': text,
        }),
        functionCallOutput,
      ],
    },
    1,
  ),
})

const anthropicName = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,128}$' }
const base64 = { type: 'string', pattern: '^[A-Za-z0-9+/]+=*$' }

/** A `tool_result` block, as `POST /v1/messages` takes it. */
export const toolResultBlock: object = closed({
  type: { const: 'tool_result' },
  tool_use_id: { type: 'string', pattern: '^[a-zA-Z0-9_-]+$' },
  is_error: { type: 'boolean' },
  content: {
    oneOf: [
      text,
      listOf(
        {
          oneOf: [
            closed({ type: { const: 'text' }, text: filled }),
            closed({
              type: { const: 'image' },
              source: closed({
                type: { const: 'base64' },
                media_type: oneOf('image/png', 'image/jpeg', 'image/gif', 'image/webp'),
                data: base64,
              }),
            }),
            closed({
              type: { const: 'document' },
              'title?': filled,
              source: closed({ type: { const: 'base64' }, media_type: { const: 'application/pdf' }, data: base64 }),
            }),
          ],
        },
        1,
      ),
    ],
  },
})

/** `POST /v1/messages`. */
export const messageRequest: object = closed({
  model: filled,
  max_tokens: { type: 'integer', minimum: 1 },
  tools: listOf(closed({ name: anthropicName, description: filled, input_schema: parameters }), 1),
  messages: listOf(
    {
      oneOf: [
        closed({ role: { const: 'user' }, content: { oneOf: [text, listOf(toolResultBlock, 1)] } }),
        closed({
          role: { const: 'assistant' },
          content: listOf(
            closed({
              type: { const: 'tool_use' },
              id: filled,
              name: anthropicName,
              input: { type: 'object' },
              'caller?': { type: 'object' },
            }),
            1,
          ),
        }),
      ],
    },
    1,
  ),
})
