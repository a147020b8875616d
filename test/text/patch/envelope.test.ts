/** The envelope of `apply_patch`: what is read from it, and what is refused with its line. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFilewrightError } from '../../../src/core/errors.ts'
import { parseEnvelope } from '../../../src/text/patch/envelope.ts'

const wrap = (body: string): string => `*** Begin Patch\n${body}\n*** End Patch`
const line = (sign: string, text: string) => ({ sign, text })

describe('what is read', () => {
  it('every operation, in order, with its line', () => {
    const operations = parseEnvelope(
      wrap(
        '*** Add File: a b.txt\n+one\n+\n*** Delete File: gone\n*** Update File: from\n*** Move to: to\n@@ class A\n@@ \tdef m\n kept\n-old\n+new\n*** End of File',
      ),
    )
    expect(operations).toEqual([
      { kind: 'add', line: 2, path: 'a b.txt', lines: ['one', ''] },
      { kind: 'delete', line: 5, path: 'gone' },
      {
        kind: 'update',
        line: 6,
        path: 'from',
        to: 'to',
        hunks: [
          {
            line: 8,
            headers: ['class A', '\tdef m'],
            lines: [line(' ', 'kept'), line('-', 'old'), line('+', 'new')],
            atEnd: true,
            emptyTail: 0,
          },
        ],
      },
    ])
  })

  const HUNKS: readonly (readonly [what: string, body: string, headers: readonly (readonly string[])[]])[] = [
    ['no header', ' a\n+b', [[]]],
    ['an empty header', '@@\n-a\n@@\n-b', [[], []]],
    ['the numbers of a unified diff', '@@ -1,2 +1,3 @@ def f\n-a\n@@ -9 +9 @@\n-b', [[], []]],
    ['empty lines before the first hunk', '\n\n@@ h\n-a', [['h']]],
    ['a header with blanks', '@@   h  \n-a', [['  h  ']]],
  ]
  it.each(HUNKS)('%s', (_, body, headers) => {
    const [operation] = parseEnvelope(wrap(`*** Update File: f\n${body}`))
    expect(operation?.kind === 'update' && operation.hunks.map((hunk) => hunk.headers)).toEqual(headers)
  })

  it('empty lines of a hunk are empty lines of the file, and are told at its end', () => {
    const [operation] = parseEnvelope(wrap('*** Update File: f\n@@\n-a\n\n b\n\n'))
    expect(operation).toMatchObject({
      hunks: [{ emptyTail: 2, lines: [line('-', 'a'), line(' ', ''), line(' ', 'b'), line(' ', ''), line(' ', '')] }],
    })
  })

  it('text of the file that looks like a marker', () => {
    const [operation] = parseEnvelope(wrap('*** Update File: f\n *** End of File\n-*** Delete File: x\n+@@ y'))
    expect(operation).toMatchObject({
      hunks: [{ atEnd: false, lines: [line(' ', '*** End of File'), line('-', '*** Delete File: x'), line('+', '@@ y')] }],
    })
  })

  const SAME: readonly (readonly [what: string, patch: string])[] = [
    ['CRLF', '*** Begin Patch\r\n*** Add File: f\r\n+x\r\n*** End Patch\r\n'],
    ['blanks around the markers', '\n  *** Begin Patch \n *** Add File: f \n+x\n *** End Patch\n\n'],
    ['a heredoc', "<<'EOF'\n*** Begin Patch\n*** Add File: f\n+x\n*** End Patch\nEOF\n"],
    ['a command with a heredoc', 'apply_patch <<"PATCH"\n*** Begin Patch\n*** Add File: f\n+x\n*** End Patch\nPATCH'],
    ['empty lines between files', '*** Begin Patch\n\n*** Add File: f\n+x\n\n*** End Patch'],
  ]
  it.each(SAME)('%s changes nothing', (_, patch) => {
    expect(parseEnvelope(patch)).toMatchObject([{ kind: 'add', path: 'f', lines: ['x'] }])
  })

  it('a move without a hunk, and a file without a line', () => {
    expect(parseEnvelope(wrap('*** Update File: a\n*** Move to: b\n*** Add File: c'))).toMatchObject([
      { kind: 'update', to: 'b', hunks: [] },
      { kind: 'add', lines: [] },
    ])
  })
})

const REFUSED: readonly (readonly [what: string, patch: string, line: number])[] = [
  ['nothing', '', 1],
  ['no beginning', '*** Add File: f\n+x\n*** End Patch', 1],
  ['no end', '*** Begin Patch\n*** Add File: f\n+x', 3],
  ['a beginning alone', '*** Begin Patch', 1],
  ['text after the end', '*** Begin Patch\n*** Delete File: f\n*** End Patch\nmore', 4],
  ['a heredoc that changes the directory', 'cd x && apply_patch <<EOF\n*** Begin Patch\n*** Delete File: f\n*** End Patch\nEOF', 1],
  ['no file', wrap(''), 1],
  ['an unknown marker', wrap('*** Frobnicate File: f'), 2],
  ['a file without a path', wrap('*** Delete File: '), 2],
  ['text before the first file', wrap('hello\n*** Delete File: f'), 2],
  ['text in a new file', wrap('*** Add File: f\n+x\ny'), 4],
  ['an empty line in a new file', wrap('*** Add File: f\n+x\n\n+y'), 5],
  ['text after a deletion', wrap('*** Delete File: f\n-x'), 3],
  ['an update of nothing', wrap('*** Update File: f'), 2],
  ['a hunk without lines', wrap('*** Update File: f\n@@ h'), 3],
  ['a hunk with headers without end', wrap(`*** Update File: f\n${'@@ h\n'.repeat(101)}-x`), 103],
  ['a line without a sign', wrap('*** Update File: f\n@@\nx'), 4],
  ['a second move', wrap('*** Update File: f\n*** Move to: a\n*** Move to: b'), 4],
  ['a move after a hunk', wrap('*** Update File: f\n@@\n-a\n*** Move to: b'), 5],
  ['an end of a file that is no hunk', wrap('*** Update File: f\n*** End of File'), 3],
  ['a line after the end of a file', wrap('*** Update File: f\n-a\n*** End of File\n-b'), 5],
]

it.each(REFUSED)('%s is refused, and its line told', (_, patch, at) => {
  try {
    expect(parseEnvelope(patch)).toBe('refused')
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_argument', field: 'input', details: { line: at } })
  }
})

it('any text is read or refused', () => {
  const piece = fc.constantFrom(
    '*** Begin Patch',
    '*** End Patch',
    '*** Add File: a',
    '*** Update File: b',
    '*** Move to: c',
    '*** Delete File: d',
    '*** End of File',
    '@@',
    '@@ h',
    ' x',
    '-y',
    '+z',
    '',
    '*',
    '\r',
    'text',
    '<<EOF',
    'EOF',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (lines, framed) => {
      const patch = framed ? wrap(lines.join('\n')) : lines.join('\n')
      try {
        expect(parseEnvelope(patch).length).toBeGreaterThan(0)
      } catch (error) {
        expect(isFilewrightError(error, 'invalid_argument')).toBe(true)
      }
    }),
  )
})
