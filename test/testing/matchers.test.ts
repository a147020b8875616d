/** Matchers and assertions: each passes where it should, and fails with a message that says why. */
import { describe, expect, test } from 'vitest'
import {
  assertChanged,
  assertFile,
  assertNoFile,
  assertPatch,
  assertUnchanged,
  Difference,
  finalDiff,
  repo,
} from '../../src/testing/index.ts'
import '../../src/testing/vitest.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'

const LINES = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join('')

async function changed(): Promise<Workspace> {
  const workspace = await repo({
    'src/a.ts': 'export const a = 1\n',
    'src/b.ts': LINES,
    'old.txt': 'old\n',
    'bin/run': 'run\n',
    'no-end': 'one\ntwo',
    image: Uint8Array.of(0, 255, 1),
    'ä b': 'umlaut\n',
  })
  await workspace.call('edit', { path: 'src/a.ts', old: '1', new: '2' })
  await workspace.call('edit', {
    path: 'src/b.ts',
    edits: [
      { old: 'line 5\n', new: 'LINE 5\n' },
      { old: 'line 25\n', new: '' },
    ],
  })
  await workspace.call('batch', { operations: [{ op: 'delete', path: 'old.txt' }] })
  await workspace.call('write', { path: 'new/c.txt', content: 'new\n' })
  return workspace
}

/** The message with which an expectation fails. */
async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('It did not fail.')
}

describe('toHaveFile', () => {
  test('passes', async () => {
    const workspace = await changed()
    await expect(workspace).toHaveFile('src/a.ts')
    await expect(workspace).toHaveFile('/src/a.ts', 'export const a = 2\n')
    await expect(workspace).toHaveFile('src/a.ts', /a = \d$/m)
    await expect(workspace).toHaveFile('src/a.ts', (text) => text.endsWith('2\n'))
    await expect(workspace).toHaveFile('image', Uint8Array.of(0, 255, 1))
    await expect(workspace).not.toHaveFile('old.txt')
    await expect(workspace).not.toHaveFile('src/a.ts', 'else')
    await assertFile(workspace, 'src/a.ts', /2/)
    await assertNoFile(workspace, 'old.txt')
  })

  test('a pattern with a state is asked from the start each time', async () => {
    const workspace = await changed()
    const pattern = /const/g
    for (let i = 0; i < 3; i++) await expect(workspace).toHaveFile('src/a.ts', pattern)
  })

  test.each([
    ['another text', 'src/a.ts', 'export const a = 3\n', '-export const a = 3\n+export const a = 2'],
    ['a pattern', 'src/a.ts', /a = 3/, 'export const a = 2'],
    ['a function', 'src/a.ts', () => false, 'export const a = 2'],
    ['other bytes', 'image', Uint8Array.of(0, 254, 1), 'from byte 1 on'],
    ['bytes as a text', 'image', '\u0000\ufffd\u0001', 'image'],
    ['nothing there', 'src/x.ts', undefined, 'src holds a.ts, b.ts.'],
    ['no directory either', 'lib/x.ts', undefined, 'The root holds bin, image, new, no-end, src, ä b.'],
    ['a directory', 'src', undefined, 'src is a directory'],
    ['below a file', 'src/a.ts/x', undefined, 'src/a.ts/x'],
  ] as const)('fails: %s', async (_, path, content, message) => {
    const workspace = await changed()
    expect(await failure(expect(workspace).toHaveFile(path, content))).toContain(message)
    await expect(assertFile(workspace, path, content)).rejects.toBeInstanceOf(Difference)
  })

  test('the contrary fails too', async () => {
    const workspace = await changed()
    expect(await failure(expect(workspace).not.toHaveFile('src/a.ts'))).toContain('is there')
    await expect(assertNoFile(workspace, 'src/a.ts')).rejects.toBeInstanceOf(Difference)
  })
})

describe('toHaveChanged', () => {
  test('passes', async () => {
    const workspace = await changed()
    await expect(workspace).toHaveChanged()
    await expect(workspace).toHaveChanged('src/a.ts')
    await expect(workspace).toHaveChanged('/src/')
    await expect(workspace).not.toHaveChanged('bin/run')
    await expect(workspace).toHaveChanged(['old.txt', './src/b.ts', 'new/c.txt', 'src/a.ts'])
    await assertChanged(workspace, 'src/a.ts')
    await assertUnchanged(await repo({ a: 'x' }))
    await expect(await repo({ a: 'x' })).not.toHaveChanged()
  })

  test('what was changed back is not changed', async () => {
    const workspace = await repo({ a: 'x\n' })
    await workspace.call('write', { path: 'a', content: 'y\n' })
    await workspace.undo('last')
    await expect(workspace).toHaveChanged([])
  })

  test('fails with what was changed', async () => {
    const workspace = await changed()
    expect(await failure(expect(workspace).toHaveChanged('bin/run'))).toContain('Changed: new/c.txt, old.txt, src/a.ts, src/b.ts.')
    const message = await failure(expect(workspace).toHaveChanged(['src/a.ts', 'bin/run', 'new/c.txt', 'src/b.ts']))
    expect(message).toContain('Not changed, but expected to be: bin/run')
    expect(message).toContain('Changed, but not expected to be: old.txt')
    expect(message).toContain('-old\n')
    await expect(assertUnchanged(workspace)).rejects.toThrow('+export const a = 2')
    await expect(assertChanged(await repo({ a: 'x' }))).rejects.toThrow('Nothing was changed.')
    expect(await failure(expect(workspace).not.toHaveChanged('src/a.ts'))).toContain('+export const a = 2')
  })
})

test.each([
  ['a promise', repo({}), /await it first/],
  ['something else', {}, /no workspace/],
  ['nothing', undefined, /no workspace/],
])('%s in the place of a workspace', async (_, asked, message) => {
  await expect(expect(asked).toHaveFile('a')).rejects.toThrow(message)
  await expect(expect(asked).toHaveChanged()).rejects.toThrow(message)
  await expect(expect(asked).toMatchPatch('')).rejects.toThrow(message)
})

describe('toMatchPatch', () => {
  const REST = `
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-old
diff --git a/new/c.txt b/new/c.txt
new file mode 100644
--- /dev/null
+++ b/new/c.txt
@@ -0,0 +1 @@
+new
--- a/src/b.ts
+++ b/src/b.ts
@@ -4,3 +4,3 @@ function name that is not looked at
 line 4
-line 5
+LINE 5
 line 6
@@ -25 +24,0 @@
-line 25
`
  const WHOLE = `--- a/src/a.ts
+++ b/src/a.ts
@@ -1 +1 @@
-export const a = 1
+export const a = 2
${REST}`

  test('passes for the diff itself, and for one with other context and form', async () => {
    const workspace = await changed()
    await expect(workspace).toMatchPatch(await finalDiff(workspace))
    await expect(workspace).toMatchPatch(WHOLE)
    await assertPatch(workspace, WHOLE)
  })

  test.each([
    ['more lines than the hunk says', '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n+3\n', /more lines than it says/],
    ['fewer lines than the hunk says', '--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n-1\n+2\n', /ends too early/],
    ['a hunk without numbers', '--- a/a\n+++ b/a\n@@ changed @@\n-1\n+2\n', /no head of a hunk/],
    ['a second hunk without numbers', '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n@@\n+3\n', /no head of a hunk/],
  ])('a patch that cannot be believed: %s', async (_, patch, message) => {
    const workspace = await repo({ a: '1\n' })
    await workspace.call('write', { path: 'a', content: '2\n' })
    await expect(assertPatch(workspace, patch)).rejects.toThrow(message)
    await assertPatch(workspace, `From: me\n\n---\n a | 2 +-\n\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n-- \n2.39\n`)
  })

  test('odd files: no line end, a mode, binary, a name in quotes, a rename', async () => {
    const workspace = await repo({ 'no-end': 'one\ntwo', image: Uint8Array.of(0, 255), 'ä b': 'x\n', 'bin/run': 'run\n', 'to-move': 'm\n' })
    await workspace.call('write', { path: 'no-end', content: 'one\n2' })
    await workspace.call('write', { path: 'ä b', content: 'y' })
    await workspace.importFiles([{ path: 'bin/run', mode: 0o755, content: await workspace.stage(new TextEncoder().encode('run\n')) }], {
      replace: true,
    })
    await workspace.importFiles([{ path: 'image', content: await workspace.stage(Uint8Array.of(0, 254)) }], { replace: true })
    await workspace.call('batch', { operations: [{ op: 'move', path: 'to-move', to: 'moved' }] })
    const diff = await finalDiff(workspace)
    expect(diff).toContain('old mode 100644\nnew mode 100755')
    await expect(workspace).toMatchPatch(diff)
    await expect(workspace).not.toMatchPatch(diff.replace('new mode 100755', 'new mode 100644'))
    await expect(workspace).not.toMatchPatch(diff.replace(/^literal 2\n.{4}/m, 'literal 2\nJc$@'))
    const renamed = diff
      .replace(/diff --git a\/moved[\s\S]*?(?=diff --git|$)/, '')
      .replace(/diff --git a\/to-move[\s\S]*?(?=diff --git|$)/, '')
    await expect(workspace).not.toMatchPatch(renamed)
    await expect(workspace).toMatchPatch(
      `${renamed}diff --git a/to-move b/moved\nsimilarity index 100%\nrename from to-move\nrename to moved\n`,
    )
  })

  test.each([
    ['another text', WHOLE.replace('a = 2', 'a = 3'), '-export const a = 3\n+export const a = 2'],
    ['a file too few', REST, 'src/a.ts was changed, and the patch does not'],
    ['a file too many', `${WHOLE}--- a/bin/run\n+++ b/bin/run\n@@ -1 +1 @@\n-run\n+ran\n`, 'bin/run differs'],
    ['what does not fit', WHOLE.replace('-line 5', '-line V'), 'does not fit src/b.ts'],
    ['the wrong place', WHOLE.replace('@@ -4,3 +4,3', '@@ -5,3 +5,3'), 'Line 5 is "line 5\\n"'],
    [
      'a file that is gone',
      WHOLE.replace('deleted file mode 100644\n', '').replace(
        '+++ /dev/null\n@@ -1 +0,0 @@\n-old',
        '+++ b/old.txt\n@@ -1 +1 @@\n-old\n+new',
      ),
      'old.txt is not there',
    ],
    ['a file that should be gone', `${WHOLE}--- a/bin/run\n+++ /dev/null\n@@ -1 +0,0 @@\n-run\n`, 'bin/run is still there'],
    ['no patch', 'src/a.ts: a = 2', 'no unified diff'],
    ['a hunk that is cut', WHOLE.replace('@@ -25 +24,0', '@@ -25,9 +24,8'), 'ends too early'],
  ])('fails: %s', async (_, patch, message) => {
    const workspace = await changed()
    expect(await failure(expect(workspace).toMatchPatch(patch))).toContain(message)
    await expect(assertPatch(workspace, patch)).rejects.toThrow()
  })
})
