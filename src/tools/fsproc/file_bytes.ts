/** `file_bytes` of the `fsproc` profile: what a file really holds, for when a transport may have decoded or kept escapes. */
import { z } from 'zod'
import { FilewrightError, isFilewrightError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import type { OutsideReader } from '../../core/outside.ts'
import type { View } from '../../core/view.ts'
import { findEscapes, findParting } from '../../text/escapes.ts'
import { decodeStrict, isUtf8 } from '../../text/utf8.ts'
import { boolean, text } from '../arguments.ts'
import { pathTarget } from '../targets.ts'
import { defineTool, type Tool } from '../tool.ts'

const VERDICTS = ['ok', 'mismatch', 'literal_where_escaped_expected', 'escaped_where_literal_expected', 'decode_error'] as const

type Verdict = (typeof VERDICTS)[number]

const input = z.object({
  path: text('The file, as an absolute path or relative to the root.'),
  expected: text('The text that the file should hold, exactly.').optional(),
  expect_escaped: boolean('The file should hold escapes such as \\u00e9 rather than the characters themselves.').default(false),
  encoding: z.literal('utf-8', 'must be utf-8').default('utf-8'),
})

const place = { line: z.int(), col: z.int(), byte_offset: z.int() }

const output = z.object({
  path: z.string(),
  sha256: z.string(),
  size_bytes: z.int(),
  encoding_ok: z.boolean(),
  verdict: z.enum(VERDICTS),
  non_ascii: z.array(z.object({ ...place, char: z.string(), codepoint: z.string() })).describe('The first characters beyond ASCII.'),
  non_ascii_total: z.int(),
  literal_escapes: z.array(z.object({ ...place, sequence: z.string() })).describe('The first escapes that stand in the text as such.'),
  literal_escapes_total: z.int(),
  mismatch: z.object({ first_diff_offset: z.int(), expected_repr: z.string(), actual_repr: z.string() }).nullable(),
  hint: z.string().nullable(),
})

/** Checks the bytes of a file, and changes nothing (F-60 to F-67). */
export const fileBytes: Tool = defineTool({
  name: 'file_bytes',
  title: 'Check bytes',
  description:
    'Tells what a file really holds: size, SHA-256, whether it is valid UTF-8, its characters beyond ASCII, and escapes such as \\u00e9 that stand in it as text. With expected, where it differs. Use it when an edit does not match, or characters look wrong.',
  kind: 'read',
  idempotent: true,
  destructive: false,
  input,
  output,
  targets: pathTarget('read'),
  failed: () => ({}),
  async run({ view, outside }, { path, expected, expect_escaped }) {
    const { bytes, hash, shown } = await readAnywhere(view, outside, path)
    const valid = isUtf8(bytes)
    const parting = valid && expected !== undefined ? findParting(expected, decodeStrict(bytes, path)) : null
    const { nonAscii, nonAsciiTotal, literalEscapes, literalEscapesTotal } = findEscapes(bytes)
    const verdict = ((): Verdict => {
      if (!valid) return 'decode_error'
      if (parting) return 'mismatch'
      if (expect_escaped) return nonAsciiTotal > 0 ? 'literal_where_escaped_expected' : 'ok'
      return literalEscapesTotal > 0 ? 'escaped_where_literal_expected' : 'ok'
    })()
    return {
      result: {
        path: shown,
        sha256: hash,
        size_bytes: bytes.length,
        encoding_ok: valid,
        verdict,
        non_ascii: [...nonAscii],
        non_ascii_total: nonAsciiTotal,
        literal_escapes: [...literalEscapes],
        literal_escapes_total: literalEscapesTotal,
        mismatch: parting && { first_diff_offset: parting.offset, expected_repr: parting.expected, actual_repr: parting.actual },
        hint: HINTS[verdict],
      },
    }
  },
  text: ({ path, verdict, size_bytes, sha256, non_ascii_total, literal_escapes_total, mismatch, hint }) =>
    [
      `${path}: ${verdict}, ${size_bytes} bytes, sha256 ${sha256}`,
      `${non_ascii_total} characters beyond ASCII, ${literal_escapes_total} literal escapes`,
      ...(mismatch
        ? [`differs at character ${mismatch.first_diff_offset}: expected "${mismatch.expected_repr}", found "${mismatch.actual_repr}"`]
        : []),
      ...(hint === null ? [] : [hint]),
    ].join('\n'),
})

/** A file and its absolute path. */
interface Found {
  readonly shown: string
  readonly bytes: Uint8Array
  readonly hash: Hash
}

/** The file, in the workspace or, if the operator lets that happen, anywhere (F-60). */
async function readAnywhere(view: View, outside: OutsideReader | null, given: string): Promise<Found> {
  try {
    // A home folder is nowhere inside: `~` has no other meaning here (C-9).
    if (given === '~' || given.startsWith('~/')) throw new FilewrightError('outside_root', `${given} is outside the workspace.`)
    const target = await view.resolve(given)
    const { bytes, hash } = await view.readWhole(target)
    return { shown: view.display(target.path), bytes, hash }
  } catch (error) {
    if (!isFilewrightError(error, 'outside_root')) throw error
    // No option reads beyond the places that a client shares.
    if (view.places) throw new FilewrightError('outside_root', error.message, { field: 'path', cause: error })
    if (!outside) throw new FilewrightError('outside_root', `${error.message} ${HOW_TO_ALLOW}`, { field: 'path', cause: error })
    const { root, limits } = view.traits
    const { path, bytes } = await outside.read(given, { base: root, maxBytes: limits.textBytes })
    return { shown: path, bytes, hash: view.hasher.hash(bytes) }
  }
}

const HOW_TO_ALLOW = 'The operator can let this tool read any file with --unconfined-file-bytes (unconfinedReads in the library).'

const HINTS: { readonly [verdict in Verdict]: string | null } = {
  ok: null,
  decode_error: 'The file is not valid UTF-8: find out its encoding before changing it.',
  mismatch: 'Compare the two texts where they part, and write the file again if it is wrong.',
  literal_where_escaped_expected: 'The transport decoded the escapes once: double each backslash when you send them.',
  escaped_where_literal_expected: 'The escapes were stored as text: send the characters themselves.',
}
