/** One-time tokens become session tokens, once. */
import { expect, test } from 'vitest'
import { makeOneTimeToken } from '../../src/http/credentials.ts'
import type { SessionAnswer } from '../../src/http/routes.ts'
import { createServer, SECRET, type TestServer } from './setup.ts'

async function exchange(server: TestServer, token: unknown): Promise<Response> {
  return server.send('POST', '/v1/session', { json: { token }, headers: { authorization: null } })
}

test('a one-time token gives a session that opens every door', async () => {
  const server = createServer()
  const answer = await exchange(server, await makeOneTimeToken(SECRET))
  expect(answer.status).toBe(201)
  const { token } = (await answer.json()) as SessionAnswer
  expect((await server.send('GET', '/v1/workspaces', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
})

test('the second use fails, and the first session goes on', async () => {
  const server = createServer()
  const once = await makeOneTimeToken(SECRET)
  const { token } = (await (await exchange(server, once)).json()) as SessionAnswer
  expect((await exchange(server, once)).status).toBe(401)
  expect((await server.send('GET', '/v1/workspaces', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
})

test('of many uses at once, one succeeds', async () => {
  const server = createServer()
  const once = await makeOneTimeToken(SECRET)
  const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(server, once)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
})

test('tokens of another secret, cut, changed or of another kind are refused', async () => {
  const server = createServer()
  const once = await makeOneTimeToken(SECRET)
  const { token: session } = (await (await exchange(server, await makeOneTimeToken(SECRET))).json()) as SessionAnswer
  const [, id, mac] = once.split('.')
  const wrong = [
    await makeOneTimeToken(`another-${SECRET}`),
    once.slice(0, -1),
    `${once}0`,
    `${once}.x`,
    `once.${id}x.${mac}`,
    `once.${id}`,
    'once..',
    '',
    session,
    SECRET,
  ]
  for (const token of wrong) expect((await exchange(server, token)).status).toBe(401)
  for (const token of [once, session.replace('session', 'once'), `${session.slice(0, -1)}${session.endsWith('0') ? '1' : '0'}`]) {
    expect((await server.send('GET', '/v1/workspaces', { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
  }
  // None of them used the real one up.
  expect((await exchange(server, once)).status).toBe(201)
})

test('a body that is not a token is a bad request', async () => {
  const server = createServer()
  for (const token of [undefined, null, 1, {}, 'x'.repeat(501)]) expect((await exchange(server, token)).status).toBe(400)
})

test('the session outlives nothing: another secret ends it', async () => {
  const { token } = (await (await exchange(createServer(), await makeOneTimeToken(SECRET))).json()) as SessionAnswer
  const restarted = createServer({ secret: `${SECRET}-renewed` })
  expect((await restarted.send('GET', '/v1/workspaces', { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
})
