/** Sessions as data: recorded, played, and held to what they came to. */
import { describe, expect, test } from 'vitest'
import { Difference, playScript, recordScript, repo, type Script } from '../../src/testing/index.ts'

const FILES = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' }

async function recorded(): Promise<Script> {
  const recording = recordScript(await repo(FILES))
  const { workspace } = recording
  await workspace.call('read', { path: 'a.txt' })
  await workspace.call('edit', { path: 'a.txt', old: 'missing', new: 'x' })
  await workspace.call('edit', { path: 'a.txt', old: 'two', new: '2' })
  return recording.finish()
}

/** A script with one member of one step replaced. */
function expecting(script: Script, step: number, expect: object): Script {
  return { ...script, steps: script.steps.map((one, at) => (at === step ? { ...one, expect } : one)) }
}

describe('a script', () => {
  test('is recorded as JSON, and plays on the same files', async () => {
    const script = await recorded()
    expect(script).toMatchObject({ version: 1, profile: 'native+git' })
    expect(script.steps.map(({ tool, expect }) => [tool, expect?.error])).toEqual([
      ['read', null],
      ['edit', 'no_match'],
      ['edit', null],
    ])
    expect(script.diff).toContain('-two\n+2\n')
    const outcomes = await playScript(await repo(FILES), JSON.parse(JSON.stringify(script)))
    expect(outcomes).toHaveLength(3)
  })

  test('what was recorded is what was sent, whatever becomes of it later', async () => {
    const recording = recordScript(await repo(FILES))
    const args = { path: 'a.txt' }
    const call = recording.workspace.call('read', args)
    args.path = 'b.txt'
    await call
    expect((await recording.finish()).steps[0]?.arguments).toEqual({ path: 'a.txt' })
  })

  test.each([
    ['another text', (script: Script) => expecting(script, 0, { text: 'else' }), /Step 1 of 3, read .*the text is another one/s],
    ['a pattern', (script: Script) => expecting(script, 0, { matches: '^three' }), /does not fit \/\^three\//],
    ['another code', (script: Script) => expecting(script, 1, { error: 'not_found' }), /Step 2 .*expected not_found, got no_match/s],
    ['a success', (script: Script) => expecting(script, 1, { error: null }), /expected success, got no_match/],
    ['a failure', (script: Script) => expecting(script, 2, { error: 'no_match' }), /Step 3 .*expected no_match, got success/s],
    ['a result', (script: Script) => expecting(script, 2, { result: { none: 1 } }), /the result lacks/],
    ['another end', (script: Script) => ({ ...script, diff: '' }), /changes at the end/],
    ['another profile', (script: Script) => ({ ...script, profile: 'fileops' }), /profile fileops/],
    ['another version', (script: Script) => ({ ...script, version: 2 }) as never, /version 1/],
  ])('fails: %s', async (_, change, message) => {
    const work = playScript(await repo(FILES), change(await recorded()))
    await expect(work).rejects.toThrow(message)
  })

  test('fails on other files, and stops there', async () => {
    const workspace = await repo({ ...FILES, 'a.txt': 'one\nthree\n' })
    await expect(playScript(workspace, await recorded())).rejects.toBeInstanceOf(Difference)
    expect(await workspace.log()).toEqual([])
  })

  test('written by hand, it looks at what it names', async () => {
    const workspace = await repo(FILES, { profile: 'fileops' })
    const outcomes = await playScript(workspace, {
      version: 1,
      profile: 'fileops',
      steps: [
        { tool: 'view_file', arguments: { file_path: 'a.txt' }, expect: { result: { total_lines: 2 }, matches: 'two' } },
        { tool: 'view_file', arguments: { file_path: 'none' } },
        { tool: 'file_tree', arguments: { root_path: '.' } },
      ],
    })
    expect(outcomes.map(({ error }) => error?.code ?? null)).toEqual([null, 'not_found', null])
  })
})
