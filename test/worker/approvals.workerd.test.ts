/** Approvals at the edge: a request and its grant outlive the objects that are evicted between any two steps. */
import { evictDurableObject } from 'cloudflare:test'
import { env as bindings, exports } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { makeOneTimeToken } from '../../src/http/credentials.ts'
import type { AgentAnswer, ApprovalAnswer, ApprovalList, SessionAnswer, ToolAnswer, WorkspaceEntry } from '../../src/http/routes.ts'
import type { Env } from '../../worker/env.ts'

const env = bindings as unknown as Env

async function send<Answer>(token: string | null, method: string, path: string, json?: unknown): Promise<{ status: number; body: Answer }> {
  const headers = {
    host: env.FILEWRIGHT_HOSTS,
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
  }
  const { default: worker } = exports as unknown as { default: Fetcher }
  const request = new Request(`http://${env.FILEWRIGHT_HOSTS}${path}`, {
    method,
    headers,
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  const answer = await worker.fetch(request)
  return { status: answer.status, body: (await answer.json()) as Answer }
}

test('an agent asks, a person grants, the call runs once', async () => {
  const { body: session } = await send<SessionAnswer>(null, 'POST', '/v1/session', { token: await makeOneTimeToken(env.FILEWRIGHT_SECRET) })
  const { body: made } = await send<AgentAnswer>(session.token, 'POST', '/v1/agents', { name: 'bot' })
  const { id } = (await send<WorkspaceEntry>(session.token, 'POST', '/v1/workspaces', { name: 'test' })).body
  const evict = () => evictDurableObject(env.WORKSPACES.get(env.WORKSPACES.idFromString(id)))
  const call = (operation: string, config: object = {}) =>
    send<ToolAnswer>(made.token, 'POST', `/v1/workspaces/${id}/tools/file_ops_hub`, { operation, path: 'a.txt', config })
  expect((await call('write_file', { content: 'one\n' })).status).toBe(200)
  await evict()
  const asked = await call('delete_file')
  expect(asked).toMatchObject({ status: 403, body: { error: { code: 'approval_required' } } })
  await evict()
  expect((await call('delete_file')).body.approvalId).toBe(asked.body.approvalId)
  const { body: waiting } = await send<ApprovalList>(session.token, 'GET', `/v1/workspaces/${id}/approvals`)
  expect(waiting.approvals).toMatchObject([{ id: asked.body.approvalId, subject: 'bot', status: 'pending' }])
  const grant = `/v1/workspaces/${id}/approvals/${asked.body.approvalId}/grant`
  expect((await send(made.token, 'POST', grant)).status).toBe(403)
  expect((await send<ApprovalAnswer>(session.token, 'POST', grant)).body.approval.status).toBe('granted')
  await evict()
  expect((await call('delete_file')).status).toBe(200)
  await evict()
  await call('write_file', { content: 'one\n' })
  expect((await call('delete_file')).body.error?.code).toBe('approval_required')
})
