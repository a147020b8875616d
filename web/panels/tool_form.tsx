/** A form for a tool's arguments, and its fields. */
import type { VNode } from 'preact'
import type { JsonSchema } from '../../src/tools/json_schema.ts'
import { configExample, pathOf } from './call_examples.ts'
import type { Field, Typed } from './form_fields.ts'
import { shapeProblem, syntaxProblem } from './json_problem.ts'

/** What {@link ToolForm} needs. */
export interface ToolFormProps {
  readonly tool: string
  readonly fields: readonly Field[]
  readonly typed: Typed
  readonly type: (typed: Typed) => void
  /** The schema of another tool's arguments; undefined when it has no form of its own. */
  readonly schemaOf: (tool: string) => JsonSchema | undefined
  readonly busy: boolean
  readonly run: () => void
}

/** The tool of which a call names another one, with a configuration for it. */
const HUB = 'file_ops_hub'

/** Draws the form: what nearly every call gives, then the options. */
export function ToolForm({ tool, fields, typed, type, schemaOf, busy, run }: ToolFormProps): VNode {
  const operation = typed.operation ?? ''
  const change = (name: string, value: string): void => {
    const next = { ...typed, [name]: value }
    // An example that nobody touched gives way to that of the operation.
    const untouched = typed.config === '' || typed.config === exampleText(operation)
    type(tool === HUB && name === 'operation' && untouched ? { ...next, config: exampleText(value) } : next)
  }
  const input = (field: Field): VNode => {
    const isConfig = tool === HUB && field.name === 'config'
    const schema = isConfig ? configSchema(field.schema, operation, schemaOf(operation)) : field.schema
    return (
      <FieldInput
        key={field.name}
        field={field}
        schema={schema}
        value={typed[field.name] ?? ''}
        change={(value) => change(field.name, value)}
      >
        {isConfig && (
          <Options schema={schema} operation={operation} value={typed.config ?? ''} change={(value) => change('config', value)} />
        )}
      </FieldInput>
    )
  }
  const options = fields.filter(({ isMain }) => !isMain)
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault()
        run()
      }}
    >
      {fields.filter(({ isMain }) => isMain).map(input)}
      {options.length === fields.length
        ? options.map(input)
        : options.length > 0 && (
            <details>
              <summary>Options</summary>
              {options.map(input)}
            </details>
          )}
      <button type="submit" class="primary" disabled={busy}>
        {busy ? 'Running…' : `Run ${tool}`}
      </button>
    </form>
  )
}

function exampleText(operation: string): string {
  return JSON.stringify(configExample(operation), null, 2)
}

/** The schema of a configuration: that of the operation's tool without its path, else the hub's own for all of them. */
function configSchema(all: JsonSchema, operation: string, own: JsonSchema | undefined): JsonSchema {
  if (!own) return all
  const path = pathOf(operation)
  const properties = Object.entries((own.properties ?? {}) as { readonly [name: string]: JsonSchema }).filter(([name]) => name !== path)
  const required = ((own.required ?? []) as readonly string[]).filter((name) => name !== path)
  return { ...own, properties: Object.fromEntries(properties), required, description: all.description }
}

interface OptionsProps {
  readonly schema: JsonSchema
  readonly operation: string
  readonly value: string
  readonly change: (value: string) => void
}

/** The options of an operation, each of which is put into the configuration by a click. */
function Options({ schema, operation, value, change }: OptionsProps): VNode | null {
  const properties = Object.entries((schema.properties ?? {}) as { readonly [name: string]: JsonSchema })
  if (schema.additionalProperties !== false || properties.length === 0) return null
  const config = syntaxProblem(value) === null ? JSON.parse(value) : null
  const add = (name: string, option: JsonSchema): void => {
    change(JSON.stringify({ ...config, [name]: configExample(operation)[name] ?? beginningOf(option) }, null, 2))
  }
  return (
    <details class="options">
      <summary>Options of {operation}</summary>
      <ul>
        {properties.map(([name, option]) => (
          <li key={name}>
            <button
              type="button"
              disabled={typeof config !== 'object' || config === null || name in config}
              onClick={() => add(name, option)}
            >
              {name}
            </button>{' '}
            <span class="quiet">{String(option.description ?? '')}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** What an option is set to at first: what it is not when it is left out. */
function beginningOf({ type, minimum, default: byDefault, enum: choices }: JsonSchema): unknown {
  if (type === 'boolean') return byDefault !== true
  if (type === 'integer') return byDefault ?? minimum ?? 0
  if (Array.isArray(choices)) return choices[0]
  return type === 'array' ? [] : ''
}

interface FieldInputProps {
  readonly field: Field
  /** What a value in JSON must be. */
  readonly schema: JsonSchema
  readonly value: string
  readonly change: (value: string) => void
  readonly children?: VNode | false
}

function FieldInput({ field, schema, value, change, children }: FieldInputProps): VNode {
  const id = `field-${field.name}`
  const problem = field.kind === 'json' && value.trim() !== '' ? problemOf(schema, value) : null
  const common = { id, 'aria-describedby': `${id}-help`, 'aria-invalid': problem !== null, required: field.required, value }
  return (
    <div class="field">
      <label for={id}>
        {field.name}
        {field.required && <span class="quiet"> required</span>}
      </label>
      {field.choices ? (
        <select {...common} onChange={(event) => change(event.currentTarget.value)}>
          {!field.required && <option value="">{field.byDefault === undefined ? '' : `default: ${field.byDefault}`}</option>}
          {field.choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : field.long ? (
        <textarea {...common} rows={rowsOf(field, value)} spellcheck={false} onInput={(event) => change(event.currentTarget.value)} />
      ) : (
        <input
          {...common}
          placeholder={field.byDefault}
          inputMode={field.kind === 'integer' ? 'numeric' : 'text'}
          onInput={(event) => change(event.currentTarget.value)}
        />
      )}
      {problem !== null && <p class="problem small">{problem}</p>}
      <p id={`${id}-help`} class="quiet">
        {field.description}
        {field.kind === 'json' && ' As JSON.'}
      </p>
      {children}
    </div>
  )
}

const ROWS = { min: 4, max: 20 }

function rowsOf({ kind }: Field, value: string): number {
  return kind === 'json' ? Math.min(ROWS.max, Math.max(ROWS.min, value.split('\n').length + 1)) : 6
}

function problemOf(schema: JsonSchema, value: string): string | null {
  const syntax = syntaxProblem(value)
  return syntax === null ? shapeProblem(schema, JSON.parse(value)) : `Not valid JSON, ${syntax}.`
}
