/** T-X-02, T-X-03: texts of every kind through every profile: what an edit does not name stays as it is, byte for byte. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Path } from '../../src/core/path.ts'
import { readAll } from '../../src/core/read.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import { plant } from '../tools/setup.ts'
import { CALLS, toolNamed } from './calls.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const RUNS = Number(process.env.FILEWRIGHT_TEXT_RUNS ?? 60)

const TEXTS: { readonly [kind: string]: Uint8Array } = {
  empty: utf8(''),
  'one byte': utf8('x'),
  'no final newline': utf8('a\nb'),
  CRLF: utf8('a\r\nb\r\n'),
  'mixed endings': utf8('a\nb\r\nc\rd\n'),
  'lone CR': utf8('a\rb\r'),
  BOM: utf8('\ufeffa\nb\n'),
  'BOM alone': utf8('\ufeff'),
  NUL: new Uint8Array([97, 0, 98, 10]),
  'bad bytes': new Uint8Array([0x41, 0xc3, 0x28, 0x0a, 0xff, 0x0a]),
  emoji: utf8('a😀b👩‍👩‍👧\n'),
  'combining marks': utf8('e\u0301 é\n'),
  'right to left': utf8('\u05d0\u05d1 \u202eabc\u202c\n'),
  'U+2028': utf8('a\u2028b\u0085c\u000cd\n'),
  'a line of 1 MB': utf8('x'.repeat(1024 * 1024)),
  '100,000 lines': utf8('line\n'.repeat(100_000)),
}

/** How each profile replaces one text by another. */
const EDITS: { readonly [profile: string]: readonly [tool: string, args: (path: string, from: string, to: string) => object] } = {
  native: ['edit', (path, from, to) => ({ path, old: from, new: to })],
  fileops: ['edit_file', (file_path, from, to) => ({ file_path, replacements: [{ old_content: from, new_content: to }] })],
  fsproc: ['edit_file', (file, from, to) => ({ file, old: from, new: to })],
  sessions: ['edit_file', (path, from, to) => ({ path, old_text: from, new_text: to })],
  builtin: ['builtin/file-edit', (path, from, to) => ({ path, old_text: from, new_text: to })],
  'text-editor': ['str_replace_based_edit_tool', (path, old_str, new_str) => ({ command: 'str_replace', path, old_str, new_str })],
  'mcp-filesystem': ['edit_file', (path, from, to) => ({ path, edits: [{ oldText: from, newText: to }] })],
}

const PATH = 'sessions/t.txt'

async function workspaceOn(profile: string, bytes: Uint8Array) {
  const fs = createMemoryFs()
  await plant(fs, { [PATH]: bytes })
  const workspace = await openWorkspace({ fs, profile })
  const held = async (): Promise<Uint8Array> => readAll(await fs.open(PATH as Path), Number.MAX_SAFE_INTEGER, PATH)
  return { workspace, held }
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

/** Profiles that refuse to edit what they cannot decode (settled detail 33), and all refuse what is binary (C-18). */
function refuses(profile: string, bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8192).includes(0) || (profile === 'builtin' && !isUtf8(bytes))
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

describe.each(Object.keys(EDITS))('%s', (profile) => {
  const [tool, args] = EDITS[profile] as (typeof EDITS)[string]

  it.each(Object.entries(TEXTS))('edits within %s', async (_, bytes) => {
    const mark = utf8('MARK')
    for (const at of new Set([0, Math.floor(bytes.length / 2), bytes.length])) {
      // Not within a character, and not before a byte order mark.
      const cut = [...bytes.subarray(at, at + 3)].findIndex((byte) => (byte & 0xc0) !== 0x80)
      const start = at === 0 && bytes[0] === 0xef ? 3 : at + Math.max(0, cut)
      const [head, tail] = [bytes.subarray(0, start), bytes.subarray(start)]
      const { workspace, held } = await workspaceOn(profile, joined(head, mark, tail))
      const { error } = await workspace.call(tool, args(PATH, 'MARK', 'dôné'))
      if (refuses(profile, joined(head, mark, tail))) expect(error).not.toBeNull()
      else expect(error).toBeNull()
      const expected = error ? joined(head, mark, tail) : joined(head, utf8('dôné'), tail)
      expect(Buffer.compare(await held(), expected)).toBe(0)
    }
  })

  it.each(Object.entries(TEXTS))('reads %s, and changes nothing by it', async (_, bytes) => {
    const { workspace, held } = await workspaceOn(profile, bytes)
    const reading = new Set(workspace.tools().flatMap((bound) => (bound.tool.kind === 'read' ? [bound.tool.name] : [])))
    for (const [name, on] of Object.entries(CALLS[profile] ?? {})) {
      if (!reading.has(toolNamed(name))) continue
      const { error, text } = await workspace.call(toolNamed(name), on(PATH))
      expect(error?.code, text).not.toBe('io_error')
    }
    expect(Buffer.compare(await held(), bytes)).toBe(0)
  })

  it('replaces a unique text as a splice of bytes does (T-X-03)', async () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '$&', '$1', '\\n', '"', "'", '\\', 'é', '😀', '\t'), maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(piece, piece, piece, piece, async (before, unique, after, to) => {
        const from = `<${unique}>`
        const { workspace, held } = await workspaceOn(profile, utf8(before + from + after))
        const { error } = await workspace.call(tool, args(PATH, from, to))
        expect(error).toBeNull()
        expect(new TextDecoder().decode(await held())).toBe(before + to + after)
      }),
      { numRuns: RUNS },
    )
  })
})
