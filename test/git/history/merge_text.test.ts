/** Three-way merges of texts, against `git merge-file`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { diffLines } from '../../../src/git/history/line_diff.ts'
import { type MarkerStyle, mergeText } from '../../../src/git/history/merge_text.ts'
import { numbers, tempDir, tryGit } from '../real_git.ts'
import { below } from './histories.ts'

const temp = tempDir()
afterAll(() => temp.remove(), 300_000)
const ROUNDS = Number(process.env.HISTORY_ROUNDS ?? 40)
const PLAIN: MarkerStyle = { ours: 'one', theirs: 'other', base: null }

/** Bytes as characters and back: what is merged need not be text. */
const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const merged = (base: string, ours: string, theirs: string, style: MarkerStyle = PLAIN): string =>
  Buffer.from(mergeText(bytes(base), bytes(ours), bytes(theirs), style).bytes).toString('latin1')

function mergeFile(base: string, ours: string, theirs: string, style: MarkerStyle): { text: string; conflicts: number } {
  const path = (name: string, text: string): string => {
    const file = join(temp.dir, name)
    writeFileSync(file, bytes(text))
    return file
  }
  const labels = [style.ours, style.base ?? 'base', style.theirs].flatMap((label) => ['-L', label])
  const options = style.base === null ? [] : ['--diff3']
  const { status, stdout } = tryGit(temp.dir, [
    'merge-file',
    '-p',
    '-q',
    ...options,
    ...labels,
    path('a', ours),
    path('o', base),
    path('b', theirs),
  ])
  return { text: stdout.toString('latin1'), conflicts: status }
}

describe('random texts', () => {
  test.each(Array.from({ length: ROUNDS }, (_, at) => at + 1))('%i', (seed) => {
    const random = numbers(seed * 7919)
    let made = 0
    const end = random() < 0.3 ? '\r\n' : '\n'
    // Every line is found once, so that no alignment is a choice.
    const line = (): string => `${made++} \xe4\xff${below(random, 9)}${random() < 0.03 ? '\n' : end}`
    const base = Array.from({ length: 5 + below(random, 30) }, line)
    const edit = (lines: readonly string[]): string[] => {
      const edited = [...lines]
      for (let edits = below(random, 5); edits > 0; edits--) {
        edited.splice(below(random, edited.length + 1), below(random, 3), ...Array.from({ length: below(random, 3) }, line))
      }
      if (random() < 0.2) edited.push('no end')
      return edited
    }
    const [ours, theirs] = [edit(base).join(''), edit(base).join('')]
    for (const style of [PLAIN, { ...PLAIN, base: 'both' }]) {
      const found = mergeText(bytes(base.join('')), bytes(ours), bytes(theirs), style)
      const expected = mergeFile(base.join(''), ours, theirs, style)
      expect(Buffer.from(found.bytes).toString('latin1')).toBe(expected.text)
      expect(found.conflicts).toBe(expected.conflicts)
    }
  })
})

describe('what stays as it is', () => {
  test('equal changes, and changes of one side', () => {
    expect(merged('a\nb\n', 'a\nc\n', 'a\nc\n')).toBe('a\nc\n')
    expect(merged('a\nb\n', 'a\nb\n', 'x\nb\n')).toBe('x\nb\n')
    expect(merged('a\nb\nc\nd\n', 'A\nb\nc\nd\n', 'a\nb\nc\nD\n')).toBe('A\nb\nc\nD\n')
  })

  test('a missing line end at the end', () => {
    expect(merged('a\nb\nc', 'A\nb\nc', 'a\nb\nC')).toBe('A\nb\nC')
    expect(merged('a', 'b', 'c')).toBe('<<<<<<< one\nb\n=======\nc\n>>>>>>> other\n')
  })

  test('line ends of each side; markers have those around them', () => {
    expect(merged('a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n', 'a\r\nX\r\nc\r\n')).toBe(
      'a\r\n<<<<<<< one\r\nB\r\n=======\r\nX\r\n>>>>>>> other\r\nc\r\n',
    )
    expect(merged('', 'a\r\n', 'b\r\n')).toBe('<<<<<<< one\r\na\r\n=======\r\nb\r\n>>>>>>> other\r\n')
    expect(merged('a\r\nb\nc\n', 'a\r\nb\nC\n', 'A\nb\nc\n')).toBe('A\nb\nC\n')
  })

  test('bytes that are no text', () => {
    expect(merged('\xff\xfe\nm\n\xc3\n', '\xff\xfd\nm\n\xc3\n', '\xff\xfe\nm\n\x80\n')).toBe('\xff\xfd\nm\n\x80\n')
  })
})

describe('markers', () => {
  test('are longer where a line begins as one', () => {
    expect(merged('a\n', '<<<<<<< x\n', 'b\n')).toBe('<<<<<<<< one\n<<<<<<< x\n========\nb\n>>>>>>>> other\n')
    expect(merged('a\n', 'c\n', 'head\n========\n=======\n')).toBe(
      '<<<<<<<<< one\nc\n=========\nhead\n========\n=======\n>>>>>>>>> other\n',
    )
    expect(merged('a\n', '==== x\n', 'b\n')).toBe('<<<<<<< one\n==== x\n=======\nb\n>>>>>>> other\n')
  })

  test('show what both began with when asked to', () => {
    expect(merged('a\n', 'b\n', 'c\n', { ...PLAIN, base: 'start' })).toBe('<<<<<<< one\nb\n||||||| start\na\n=======\nc\n>>>>>>> other\n')
  })

  test('stand around what differs, and around what is near together once', () => {
    expect(merged('', 'x\n1\ny\n', 'x\n2\ny\n')).toBe('x\n<<<<<<< one\n1\n=======\n2\n>>>>>>> other\ny\n')
    const near = merged('', '1\nm\n2\n', '3\nm\n4\n')
    expect(near).toBe('<<<<<<< one\n1\nm\n2\n=======\n3\nm\n4\n>>>>>>> other\n')
    expect(merged('', '1\na\nb\nc\nd\n2\n', '3\na\nb\nc\nd\n4\n').match(/<<<<<<</g)).toHaveLength(2)
  })
})

describe('texts that are hard to compare', () => {
  const apply = (a: Int32Array, b: Int32Array): number[] => {
    const made: number[] = []
    let at = 0
    for (const { aStart, aCount, bStart, bCount } of diffLines(a, b)) {
      made.push(...a.subarray(at, aStart), ...b.subarray(bStart, bStart + bCount))
      at = aStart + aCount
    }
    return [...made, ...a.subarray(at)]
  }

  test('one line again and again', () => {
    const a = new Int32Array(50_000)
    const b = Int32Array.from({ length: 50_100 }, (_, at) => (at === 30_000 ? 1 : 0))
    expect(apply(a, b)).toEqual([...b])
  })

  test('every second line is another', () => {
    const a = Int32Array.from({ length: 40_000 }, (_, at) => (at % 2 ? at : 40_000 + at))
    const b = Int32Array.from({ length: 40_000 }, (_, at) => (at % 2 ? at : 80_000 + at))
    expect(apply(a, b)).toEqual([...b])
  })

  test('the same lines, mixed', () => {
    const random = numbers(3)
    const a = Int32Array.from({ length: 20_000 }, () => below(random, 400))
    const b = Int32Array.from({ length: 20_000 }, () => below(random, 400))
    expect(apply(a, b)).toEqual([...b])
  })
})
