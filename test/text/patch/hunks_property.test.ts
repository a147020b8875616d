/** Any edit of any text, written as an envelope and applied, gives the edited text; what is kept stays byte for byte. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseEnvelope } from '../../../src/text/patch/envelope.ts'
import { planHunks } from '../../../src/text/patch/hunks.ts'

const RUNS = Number(process.env.FILEWRIGHT_PATCH_RUNS ?? 300)

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

type Sign = ' ' | '-' | '+'

/** A line of the text before or after, and what becomes of it. */
interface Step {
  readonly sign: Sign
  readonly text: string
}

const text = fc.constantFrom('', 'a', 'b', '  ', '\tx', 'é“”', '*** End Patch', '@@ h', '+p', '-m', ' s', '$&', '\\n', '😀')
const sign = fc.constantFrom<Sign>(' ', ' ', '-', '+')
const steps = fc.array(fc.record({ sign, text }), { minLength: 1, maxLength: 14 })
const eol = fc.constantFrom('\n', '\r\n')

/** The text before the edit, as bytes would have it. */
function before(all: readonly Step[], end: string, open: boolean): string {
  const old = all.filter(({ sign: one }) => one !== '+').map((step) => step.text)
  return old.map((line, at) => (open && at === old.length - 1 ? line : line + end)).join('')
}

/** The text after it: an open last line stays open when something stands in its place or after it. */
function after(all: readonly Step[], end: string, open: boolean): string {
  const lastOld = all.findLastIndex((step) => step.sign !== '+')
  const kept = all.flatMap((step, at) => (step.sign === '-' ? [] : [{ ...step, at }]))
  return kept
    .map(({ text: line, sign: one, at }, index) => {
      const isLast = index === kept.length - 1
      const isOpen = open && lastOld >= 0 && isLast && (one === '+' ? true : at === lastOld)
      return isOpen ? line : line + end
    })
    .join('')
}

function apply(original: string, hunks: string): string {
  const patch = `*** Begin Patch\n*** Update File: f\n${hunks}\n*** End Patch`
  const [operation] = parseEnvelope(patch)
  if (operation?.kind !== 'update') throw new Error(patch)
  const planned = planHunks(encode(original), operation.hunks, 1e9)
  if (!planned.ok) throw new Error(`${JSON.stringify(planned.misfit)}\n${patch}\n${JSON.stringify(original)}`)
  return decode(planned.bytes)
}

/** A last line that is empty and open is no line at all. */
const isText = (all: readonly Step[], open: boolean): boolean => !open || all.findLast((step) => step.sign !== '+')?.text !== ''

test('a hunk that names every line', () => {
  fc.assert(
    fc.property(steps, eol, fc.boolean(), fc.boolean(), (all, end, open, mark) => {
      fc.pre(isText(all, open))
      const bom = mark ? '\ufeff' : ''
      const body = all.map((step) => step.sign + step.text).join('\n')
      const old = before(all, end, open)
      // A text without line ends says nothing of those that new lines should have.
      const style = old.includes('\n') ? end : '\n'
      expect(apply(bom + old, `@@\n${body}`)).toBe(bom + after(all, style, open))
    }),
    { numRuns: RUNS },
  )
})

/** Hunks of the changes, each with `context` lines around it. */
function hunksOf(all: readonly Step[], context: number, write: (step: Step) => string): string {
  const near = all.map((_, at) => all.slice(Math.max(0, at - context), at + context + 1).some((step) => step.sign !== ' '))
  const lines: string[] = []
  for (const [at, step] of all.entries()) {
    if (!near[at]) continue
    if (at === 0 || !near[at - 1]) lines.push('@@')
    lines.push(step.sign + (step.sign === '+' ? step.text : write(step)))
  }
  return lines.join('\n')
}

/** Each line of the text is one of its kind, so that each hunk has one place. */
function unique(all: readonly Step[]): Step[] {
  return all.map((step, at) => ({ ...step, text: `${step.text}#${at}` }))
}

const hasPlaces = (all: readonly Step[]): boolean => all.some((step) => step.sign !== '+') && all.some((step) => step.sign !== ' ')

test('hunks with some lines around each change', () => {
  fc.assert(
    fc.property(steps, eol, fc.boolean(), fc.integer({ min: 1, max: 3 }), (drawn, end, open, context) => {
      const all = unique(drawn)
      fc.pre(hasPlaces(all))
      const old = before(all, end, open)
      const style = old.includes('\n') ? end : '\n'
      expect(
        apply(
          old,
          hunksOf(all, context, (step) => step.text),
        ),
      ).toBe(after(all, style, open))
    }),
    { numRuns: RUNS },
  )
})

test('lines that are written with other white space and plain punctuation: what is kept is as it was', () => {
  const blur = fc.constantFrom<(line: string) => string>(
    (line) => line,
    (line) => line.trim(),
    (line) => `${line} \t`,
    (line) => `    ${line.trim()}`,
    (line) => line.replaceAll('“', '"').replaceAll('”', '"'),
  )
  fc.assert(
    fc.property(steps, eol, fc.boolean(), fc.array(blur, { minLength: 14, maxLength: 14 }), (drawn, end, open, blurs) => {
      const all = unique(drawn)
      fc.pre(hasPlaces(all))
      const old = before(all, end, open)
      const style = old.includes('\n') ? end : '\n'
      const write = (step: Step): string => (blurs[all.indexOf(step)] as (line: string) => string)(step.text)
      expect(apply(old, hunksOf(all, 2, write))).toBe(after(all, style, open))
    }),
    { numRuns: RUNS },
  )
})

test('any hunks on any text are applied or refused, and what no hunk names stays', () => {
  const line = fc.constantFrom('a', 'b', 'a ', ' b', '', 'c')
  const body = fc.array(
    fc.oneof(
      fc.constantFrom('@@', '@@ a', '@@ b', '*** End of File'),
      fc.tuple(sign, line).map(([one, rest]) => one + rest),
    ),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), eol, body, (lines, end, drawn) => {
      let operations: ReturnType<typeof parseEnvelope>
      try {
        operations = parseEnvelope(`*** Begin Patch\n*** Update File: f\n${drawn.join('\n')}\n*** End Patch`)
      } catch {
        return
      }
      const old = lines.map((one) => one + end).join('')
      const [operation] = operations
      if (operation?.kind !== 'update') throw new Error('no update')
      const planned = planHunks(encode(old), operation.hunks, 1e9)
      if (!planned.ok) {
        expect(planned.misfit.hunk).toBeGreaterThan(0)
        return
      }
      const count = (wanted: Sign): number => operation.hunks.flatMap((hunk) => hunk.lines).filter((one) => one.sign === wanted).length
      const changed = decode(planned.bytes).split('\n').length - old.split('\n').length
      expect(changed).toBe(count('+') - count('-'))
    }),
    { numRuns: RUNS },
  )
})
