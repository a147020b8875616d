/** Unified diffs: their form (C-43, C-44, T-P-DF), and that patch and git turn one side into the other with them. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { quoteName, type UnifiedDiff, type UnifiedOptions, unifiedDiff } from '../../../src/text/diff/unified.ts'
import { encodeText } from '../../../src/text/utf8.ts'
import { linesText } from '../arbitraries.ts'

const diff = (a: string, b: string, options: Partial<UnifiedOptions> = {}): UnifiedDiff =>
  unifiedDiff(encodeText(a), encodeText(b), { oldPath: 'f.txt', newPath: 'f.txt', ...options })

const nine = (five: string): string => `l1\nl2\nl3\nl4\n${five}\nl6\nl7\nl8\nl9\n`

describe('unifiedDiff', () => {
  it.each<[string, string, string, Partial<UnifiedOptions>, string]>([
    ['a changed last line without an end', 'x\ny\n', 'x\nz', {}, '@@ -1,2 +1,2 @@\n x\n-y\n+z\n\\ No newline at end of file\n'],
    ['a new last line end', 'a\nb', 'a\nb\n', {}, '@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n'],
    ['an unchanged last line without an end', 'a\nb', 'x\nb', {}, '@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n'],
    ['line ends alone', 'a\r\nb\r\n', 'a\nb\n', {}, '@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b\n'],
    ['an empty new side', 'x\ny\n', '', {}, '@@ -1,2 +0,0 @@\n-x\n-y\n'],
    ['an empty old side', '', 'new\n', {}, '@@ -0,0 +1 @@\n+new\n'],
    ['no context', nine('l5'), nine('L5'), { context: 0 }, '@@ -5 +5 @@\n-l5\n+L5\n'],
    ['no context, an insertion', 'a\nb\n', 'a\nx\nb\n', { context: 0 }, '@@ -1,0 +2 @@\n+x\n'],
    ['no context, a removal', 'a\nx\nb\n', 'a\nb\n', { context: 0 }, '@@ -2 +1,0 @@\n-x\n'],
    ['one line of context', nine('l5'), nine('L5'), { context: 1 }, '@@ -4,3 +4,3 @@\n l4\n-l5\n+L5\n l6\n'],
    ['three by default', nine('l5'), nine('L5'), {}, '@@ -2,7 +2,7 @@\n l2\n l3\n l4\n-l5\n+L5\n l6\n l7\n l8\n'],
    ['one hunk for near changes', 'a\nb\nc\n', 'A\nb\nC\n', { context: 1 }, '@@ -1,3 +1,3 @@\n-a\n+A\n b\n-c\n+C\n'],
    [
      'two hunks for far ones',
      '1\n2\n3\n4\n5\n',
      'A\n2\n3\n4\nE\n',
      { context: 1 },
      '@@ -1,2 +1,2 @@\n-1\n+A\n 2\n@@ -4,2 +4,2 @@\n 4\n-5\n+E\n',
    ],
  ])('writes %s', (_, a, b, options, body) => {
    expect(diff(a, b, options).text).toBe(`--- a/f.txt\n+++ b/f.txt\n${body}`)
  })

  it('is empty for equal texts', () => {
    expect(diff('a\n', 'a\n')).toEqual({ text: '', truncated: false, added: 0, removed: 0 })
  })

  it('names a side that does not exist', () => {
    expect(diff('', 'x\n', { oldPath: null }).text).toBe('--- /dev/null\n+++ b/f.txt\n@@ -0,0 +1 @@\n+x\n')
    expect(diff('x\n', '', { newPath: null }).text).toBe('--- a/f.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n')
  })

  it('is cut at the end of a line, and counts the whole', () => {
    const long = diff('a\n'.repeat(100_000), 'é\n'.repeat(100_000))
    expect(long).toMatchObject({ truncated: true, added: 100_000, removed: 100_000 })
    expect([...long.text].length).toBeLessThanOrEqual(100_000)
    expect([...long.text].length).toBeGreaterThan(99_990)
    expect(long.text).toMatch(/^--- a\/f\.txt\n\+\+\+ b\/f\.txt\n@@ -1,100000 \+1,100000 @@\n(?:-a\n)+$/)
  })

  it('is whole at exactly the limit', () => {
    const whole = diff('a\n', 'b')
    const { length } = whole.text
    expect(diff('a\n', 'b', { maxChars: length })).toEqual(whole)
    expect(diff('a\n', 'b', { maxChars: length - 1 })).toMatchObject({
      truncated: true,
      text: '--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-a\n',
    })
  })

  it('shows bytes that are not UTF-8 as U+FFFD', () => {
    const options = { oldPath: 'f', newPath: 'f' }
    expect(unifiedDiff(Uint8Array.of(0xe9, 10), Uint8Array.of(0xe8, 10), options).text).toContain('-\ufffd\n+\ufffd\n')
  })
})

describe('with git and patch', () => {
  const dir = mkdtempSync(join(tmpdir(), 'filewright-unified-'))
  afterAll(() => rmSync(dir, { recursive: true }))
  const runs = Number(process.env.FILEWRIGHT_RUNS ?? 60)

  function applied(command: string, args: readonly string[], name: string, base: string, patch: string): string {
    writeFileSync(join(dir, name), base)
    execFileSync(command, args, { cwd: dir, input: patch, stdio: ['pipe', 'pipe', 'pipe'] })
    return readFileSync(join(dir, name), 'utf8')
  }

  it(
    'turns every text into every other',
    () => {
      fc.assert(
        fc.property(linesText, linesText, fc.integer({ min: 0, max: 4 }), (a, b, context) => {
          const { text } = diff(a, b, { context })
          expect(text === '').toBe(a === b)
          if (text === '') return
          expect(applied('git', ['apply', '--unidiff-zero', '--whitespace=nowarn'], 'f.txt', a, text)).toBe(b)
          if (b !== '') expect(applied('patch', ['-p1', '-s', '--binary', '--no-backup-if-mismatch'], 'f.txt', a, text)).toBe(b)
        }),
        { numRuns: runs },
      )
    },
    60_000 + 100 * runs,
  )

  it(
    'never shows more lines than git',
    () => {
      fc.assert(
        fc.property(linesText, linesText, (a, b) => {
          writeFileSync(join(dir, 'a'), a)
          writeFileSync(join(dir, 'b'), b)
          const options = { cwd: dir, encoding: 'utf8', stdio: 'pipe' } as const
          let theirs = ''
          try {
            execFileSync('git', ['diff', '--no-index', '--numstat', 'a', 'b'], options)
          } catch (error) {
            theirs = (error as { stdout: string }).stdout
          }
          const ours = diff(a, b)
          const [added = 0, removed = 0] = theirs.split('\t').slice(0, 2).map(Number)
          expect(ours.added - ours.removed).toBe(added - removed)
          expect(ours.added).toBeLessThanOrEqual(added)
          expect(theirs === '').toBe(a === b)
        }),
        { numRuns: runs },
      )
    },
    60_000 + 50 * runs,
  )

  it.each(['with space.txt', 'café.txt', 'a"b\\c.txt', 'tab\there.txt', '日本 語.txt'])('names %s as git does', (name) => {
    const { text } = diff('x\n', 'y\n', { oldPath: name, newPath: name })
    expect(applied('git', ['apply'], name, 'x\n', text)).toBe('y\n')
    expect(applied('patch', ['-p1', '-s'], name, 'x\n', text)).toBe('y\n')
    writeFileSync(join(dir, 'other'), 'z\n')
    let theirs = ''
    try {
      execFileSync('git', ['diff', '--no-index', name, 'other'], { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    } catch (error) {
      theirs = (error as { stdout: string }).stdout
    }
    expect(theirs.split('\n')).toContain(text.split('\n')[0])
  })
})

describe('quoteName', () => {
  it.each([
    ['plain.txt', 'plain.txt'],
    ['\u0001', '"\\001"'],
    ['\udce9', '"\\351"'],
    ['\u007f', '"\\177"'],
  ])('writes %j as %s', (name, quoted) => {
    expect(quoteName(name)).toBe(quoted)
  })
})
