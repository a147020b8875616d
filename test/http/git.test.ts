/** The repository over HTTP: what is read and done, by whom, and how it is refused. */
import { beforeEach, describe, expect, test } from 'vitest'
import { makeOneTimeToken } from '../../src/http/credentials.ts'
import type { GitBranches, GitCommitted, GitDiff, GitLog, GitMerged, GitStatus } from '../../src/http/git.ts'
import type { AgentAnswer, ChangePage, Problem, SessionAnswer } from '../../src/http/routes.ts'
import { createWorkspaceApp } from '../../src/http/workspace_app.ts'
import { commitFiles } from '../git/real_git.ts'
import { type Place, placeWith } from '../tools/git/setup.ts'
import { createServer, SECRET, type Sent } from './setup.ts'

let place: Place
let person: (method: string, path: string, sent?: Sent) => Promise<Response>
let agent: typeof person

beforeEach(async () => {
  place = await placeWith({ 'a.txt': 'one\n', 'src/b.txt': 'b\n' })
  const server = createServer()
  const id = await server.create()
  // The server's own workspace is in memory: the one of the repository takes its place.
  const opened = server.host.opened.get(id) as NonNullable<ReturnType<typeof server.host.opened.get>>
  server.host.opened.set(id, { ...opened, workspace: place.workspace, app: createWorkspaceApp(place.workspace) })
  const as =
    (token: string): typeof person =>
    (method, path, sent = {}) =>
      server.send(method, `/v1/workspaces/${id}${path}`, { ...sent, headers: { authorization: `Bearer ${token}`, ...sent.headers } })
  const session = await server.send('POST', '/v1/session', { json: { token: await makeOneTimeToken(SECRET) } })
  const { token } = (await session.json()) as SessionAnswer
  person = as(token)
  const made = await server.send('POST', '/v1/agents', { json: { name: 'bot' }, headers: { authorization: `Bearer ${token}` } })
  agent = as(((await made.json()) as AgentAnswer).token)
  expect((await person('PUT', '/files/new.txt', { body: 'new\n' })).status).toBe(201)
  expect((await person('PUT', '/files/a.txt', { body: 'two\n', headers: { 'if-match': '*' } })).status).toBe(200)
})

async function get<Answer>(path: string, by = person): Promise<Answer> {
  const answer = await by('GET', `/git${path}`)
  expect(answer.status, path).toBe(200)
  return (await answer.json()) as Answer
}

async function problem(answer: Promise<Response>): Promise<readonly [number, string, string | undefined]> {
  const response = await answer
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  const { status, code, field } = (await response.json()) as Problem
  expect(status).toBe(response.status)
  return [status, code, field]
}

test('a person sees what changed, commits a part of it, and reads it again', async () => {
  const status = await get<GitStatus>('/status?limit=1')
  expect(status).toMatchObject({ branch: 'filewright/main', total: 2, changes: [{ path: 'a.txt', kind: 'modified' }], next_offset: 1 })
  expect(status).not.toHaveProperty('content')
  expect((await get<GitDiff>('/diff?path=a.txt')).diff).toContain('-one\n+two\n')
  expect((await get<GitDiff>('/diff?path=a.txt&path=new.txt&stat=true')).changes).toHaveLength(2)
  const dry = await person('POST', '/git/commits', { json: { message: 'm', dry_run: true } })
  expect([dry.status, ((await dry.json()) as GitCommitted).total]).toEqual([200, 2])
  const made = await person('POST', '/git/commits', { json: { message: 'One', paths: ['a.txt'] } })
  expect(made.status).toBe(201)
  const { commit, change } = (await made.json()) as GitCommitted
  expect(place.git('rev-parse', 'filewright/main')).toBe(commit)
  const log = await get<GitLog>('/log?from=main..HEAD')
  expect(log.commits.map(({ oid }) => oid)).toEqual([commit])
  expect((await get<GitLog>(`/show?revision=filewright/main`)).diff).toContain('+two\n')
  const shown = (await (await person('GET', `/changes/${change}`)).json()) as ChangePage
  expect(shown).toMatchObject({ record: { kind: 'git', tool: 'git_commit', count: 0 }, changes: [], next: null })
  expect(await problem(person('POST', `/changes/${change}/undo`))).toEqual([501, 'unsupported', undefined])
})

test('branches, tags and forks', async () => {
  expect((await person('POST', '/git/branches', { json: { name: 'topic/one', from: 'main' } })).status).toBe(201)
  expect((await get<GitBranches>('/branches')).branches?.map(({ name }) => name)).toEqual(['main', 'topic/one'])
  expect((await person('DELETE', '/git/branches/topic/one')).status).toBe(200)
  expect(place.git('branch', '--list', 'topic/*')).toBe('')
  expect((await person('POST', '/git/tags', { json: { name: 'v1', message: 'One' } })).status).toBe(201)
  expect((await get<GitBranches>('/tags')).tags).toEqual([{ name: 'v1', oid: place.git('rev-parse', 'main') }])
  expect((await person('POST', '/git/workspaces', { json: { name: 'idea' } })).status).toBe(201)
  expect(await get('/workspaces')).toEqual({ workspaces: ['idea', 'main'] })
})

test('a merge, its end, and another commit to stand on', async () => {
  const theirs = commitFiles(place.dir, 'Theirs', { 'a.txt': 'three\n' })
  const dry = await person('POST', '/git/merge', { json: { revision: 'main', dry_run: true } })
  expect((await dry.json()) as GitMerged).toMatchObject({ record: null, conflicts: [{ path: 'a.txt', kind: 'content' }] })
  const merged = await person('POST', '/git/merge', { json: { revision: 'main' } })
  expect([merged.status, (await merged.json()) as GitMerged]).toMatchObject([
    200,
    { oid: theirs, paths: ['a.txt'], record: { tool: 'git_merge' } },
  ])
  expect(await problem(person('DELETE', '/git/merge'))).toEqual([404, 'not_found', undefined])
  expect((await person('POST', '/changes/last/undo')).status).toBe(200)
  expect((await get<GitStatus>('/status')).base).not.toBe(theirs)
  expect(await problem(person('POST', '/git/switch', { json: { revision: 'main' } }))).toEqual([409, 'conflict', undefined])
  expect(await problem(person('POST', '/git/switch', { json: { revision: 'nowhere' } }))).toEqual([404, 'not_found', 'revision'])
})

describe('what is refused', () => {
  test.each([
    ['GET', '/git/diff?from=nowhere', 404, 'not_found', 'from'],
    ['GET', '/git/diff?from=', 400, 'invalid_argument', 'from'],
    ['GET', '/git/diff?to=HEAD^{/x}', 501, 'unsupported', 'to'],
    ['GET', '/git/show?revision=nowhere', 404, 'not_found', 'revision'],
    ['GET', '/git/show?revision=', 400, 'invalid_argument', 'revision'],
    ['GET', '/git/diff?path=../x', 403, 'outside_root', undefined],
    ['GET', '/git/log?limit=0', 400, 'invalid_argument', 'limit'],
    ['GET', '/git/show', 400, 'missing_argument', 'revision'],
    ['POST', '/git/commits', 400, 'missing_argument', 'message'],
    ['POST', '/git/branches', 400, 'missing_argument', 'name'],
    ['POST', '/git/merge', 400, 'missing_argument', 'revision'],
    ['POST', '/git/workspaces', 400, 'missing_argument', 'name'],
    ['DELETE', '/git/branches/main', 501, 'unsupported', 'name'],
    ['GET', '/git/nothing', 404, 'not_found', undefined],
  ])('%s %s', async (method, path, status, code, field) => {
    expect(await problem(person(method, path, method === 'POST' ? { json: {} } : {}))).toEqual([status, code, field])
  })

  test('an agent reads, and commits by its tools alone', async () => {
    expect((await get<GitStatus>('/status', agent)).total).toBe(2)
    for (const [method, path] of [
      ['POST', '/git/commits'],
      ['POST', '/git/merge'],
      ['POST', '/git/branches'],
      ['DELETE', '/git/branches/x'],
    ]) {
      expect(await problem(agent(method as string, path as string, { json: {} }))).toEqual([403, 'permission_denied', undefined])
    }
    expect((await agent('POST', '/tools/git_commit', { json: { message: 'Mine' } })).status).toBe(200)
    expect((await place.workspace.log({ limit: 1 }))[0]?.record).toMatchObject({ kind: 'git', subject: 'bot' })
  })

  test('what the operator disabled, and everything where there is no repository', async () => {
    const server = createServer()
    const id = await server.create()
    const answer = await server.send('GET', `/v1/workspaces/${id}/git/status`)
    expect(await problem(Promise.resolve(answer))).toEqual([501, 'unsupported', undefined])
    const other = await server.send('POST', `/v1/workspaces/${id}/git/merge`, { json: { revision: 'main' } })
    expect(await problem(Promise.resolve(other))).toEqual([501, 'unsupported', undefined])
    await place.workspace.close()
    const without = await place.again({ settings: { disabled: ['git_log'] } })
    const app = createWorkspaceApp(without.workspace)
    expect((await app.request('/v1/workspaces/x/git/log')).status).toBe(501)
    expect((await app.request('/v1/workspaces/x/git/status')).status).toBe(200)
  })
})
