/** Every tool with a form made from its schema: what an agent would call, by hand. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ToolAnswer, ToolInfo } from '../../src/http/routes.ts'
import type { WorkspaceClient } from '../api/client.ts'
import { messageOf } from '../api/transport.ts'
import { Diff } from './diff.tsx'
import { argumentOf, type Field, fieldsOf } from './form_fields.ts'
import { visible } from './visible.tsx'

/** What {@link ToolConsole} needs. */
export interface ToolConsoleProps {
  readonly workspace: WorkspaceClient
  readonly tools: readonly ToolInfo[]
}

/** A tool, its form, and the answer of the last call. */
export function ToolConsole({ workspace, tools }: ToolConsoleProps): VNode {
  const [name, setName] = useState(tools[0]?.name ?? '')
  const tool = tools.find((one) => one.name === name)
  return (
    <article class="tool-console">
      <header class="actions">
        <h2>
          <label>
            Tool{' '}
            <select value={name} onChange={(event) => setName(event.currentTarget.value)}>
              {tools.map((one) => (
                <option key={one.name}>{one.name}</option>
              ))}
            </select>
          </label>
        </h2>
      </header>
      {tool && <ToolForm key={tool.name} workspace={workspace} tool={tool} />}
    </article>
  )
}

function ToolForm({ workspace, tool }: { readonly workspace: WorkspaceClient; readonly tool: ToolInfo }): VNode {
  const [values, setValues] = useState<{ readonly [name: string]: string }>({})
  const [answer, setAnswer] = useState<ToolAnswer | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const fields = fieldsOf(tool.input)

  const run = async (event: Event): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      const given = fields.map((field) => [field.name, argumentOf(field, values[field.name] ?? '')] as const)
      const args = Object.fromEntries(given.filter(([, value]) => value !== undefined))
      setAnswer(await workspace.call(tool.name, args))
    } catch (cause) {
      setAnswer(null)
      setError(messageOf(cause))
    }
    setBusy(false)
  }

  const input = (field: Field): VNode => (
    <FieldInput
      key={field.name}
      field={field}
      value={values[field.name] ?? ''}
      change={(value) => setValues({ ...values, [field.name]: value })}
    />
  )
  const diff = typeof answer?.result.diff === 'string' ? answer.result.diff : ''
  return (
    <>
      <p>{tool.description}</p>
      <form class="fields" onSubmit={run}>
        {fields.filter((field) => field.required).map(input)}
        {fields.some((field) => !field.required) && (
          <details open={fields.filter((field) => field.required).length < 2}>
            <summary>Options</summary>
            {fields.filter((field) => !field.required).map(input)}
          </details>
        )}
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Running…' : `Run ${tool.name}`}
        </button>
      </form>
      {error !== null && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {answer && (
        <section class="answer" aria-label="Answer" ref={(section) => section?.scrollIntoView({ block: 'nearest' })}>
          <pre class={answer.error ? 'problem' : ''} role="status">
            {visible(answer.text)}
          </pre>
          {diff !== '' && <Diff diff={diff} />}
          <details>
            <summary>Structured result</summary>
            <pre>{visible(JSON.stringify(answer.result, null, 2))}</pre>
          </details>
        </section>
      )}
    </>
  )
}

interface FieldInputProps {
  readonly field: Field
  readonly value: string
  readonly change: (value: string) => void
}

function FieldInput({ field, value, change }: FieldInputProps): VNode {
  const id = `field-${field.name}`
  const common = { id, 'aria-describedby': `${id}-help`, required: field.required, value }
  return (
    <div class="field">
      <label for={id}>
        {field.name}
        {field.required && <span class="quiet"> required</span>}
      </label>
      {field.choices ? (
        <select {...common} onChange={(event) => change(event.currentTarget.value)}>
          <option value="">{field.byDefault === undefined ? '' : `default: ${field.byDefault}`}</option>
          {field.choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : field.long ? (
        <textarea {...common} rows={field.kind === 'json' ? 4 : 6} onInput={(event) => change(event.currentTarget.value)} />
      ) : (
        <input
          {...common}
          placeholder={field.byDefault}
          inputMode={field.kind === 'integer' ? 'numeric' : 'text'}
          onInput={(event) => change(event.currentTarget.value)}
        />
      )}
      <p id={`${id}-help`} class="quiet">
        {field.description}
        {field.kind === 'json' && ' As JSON.'}
      </p>
    </div>
  )
}
