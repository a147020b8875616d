/** Every tool with a form made from its schema: what an agent would call, by hand. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ToolAnswer, ToolInfo } from '../../src/http/routes.ts'
import type { WorkspaceClient } from '../api/client.ts'
import { messageOf } from '../api/transport.ts'
import type { Approvals } from './approvals_state.ts'
import { argumentsOf, fieldsOf, startOf, type Typed, typedOf } from './form_fields.ts'
import { ToolAnswerView } from './tool_answer.tsx'
import { ToolForm } from './tool_form.tsx'

/** What {@link ToolConsole} needs. */
export interface ToolConsoleProps {
  readonly workspace: WorkspaceClient
  readonly tools: readonly ToolInfo[]
  readonly approvals: Approvals
  readonly openApprovals: (request: string) => void
  /** Whether it is what the page shows: it is kept while something else is, since a call may wait for what a person does there. */
  readonly isShown: boolean
}

/** A tool, its form, and the answer of the last call. */
export function ToolConsole({ tools, isShown, ...rest }: ToolConsoleProps): VNode {
  const [name, setName] = useState(tools[0]?.name ?? '')
  const tool = tools.find((one) => one.name === name)
  return (
    <article class="tool-console" hidden={!isShown}>
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
      {tool && <Calls key={tool.name} tool={tool} tools={tools} isShown={isShown} {...rest} />}
    </article>
  )
}

/** A call that was answered. */
interface Answered {
  readonly args: object
  readonly answer: ToolAnswer
}

function Calls({ workspace, tool, tools, approvals, openApprovals, isShown }: ToolConsoleProps & { readonly tool: ToolInfo }): VNode {
  const fields = fieldsOf(tool.name, tool.input)
  const [typed, setTyped] = useState<Typed>(() => startOf(tool.name, fields))
  const [answered, setAnswered] = useState<Answered | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const send = async (argumentsNow: () => object): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      const args = argumentsNow()
      setAnswered({ args, answer: await workspace.call(tool.name, args) })
    } catch (cause) {
      setAnswered(null)
      setError(messageOf(cause))
    }
    setBusy(false)
  }

  return (
    <>
      <p>{tool.description}</p>
      <ToolForm
        tool={tool.name}
        fields={fields}
        typed={typed}
        type={setTyped}
        schemaOf={(name) => tools.find((one) => one.name === name)?.input}
        busy={busy}
        run={() => void send(() => argumentsOf(fields, typed))}
      />
      {error !== null && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {answered && (
        <ToolAnswerView
          answer={answered.answer}
          approvals={approvals}
          openApprovals={openApprovals}
          isShown={isShown}
          sendAgain={() => void send(() => answered.args)}
          use={(call) => {
            setTyped(typedOf(call))
            setAnswered(null)
          }}
        />
      )}
    </>
  )
}
