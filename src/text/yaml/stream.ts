/** YAML text read by the `yaml` package, which is kept from what would make it run out of stack or memory. */
import { Composer, type CST, type Document, Lexer, Parser } from 'yaml'
import { FilewrightError } from '../../core/errors.ts'
import { MAX_DEPTH } from '../json/pointer.ts'
import type { TextProblem } from '../json/scan.ts'

/** A document with the places of its parts. */
export type YamlSource = Document.Parsed

/** Most tokens of a text: about 4 MB of an ordinary one, whose tree takes half a gigabyte. */
const MAX_TOKENS = 1_000_000

/** The documents of a stream, or the first problem in it. */
export type YamlStream = { readonly documents: readonly YamlSource[]; readonly problem: null } | { readonly problem: TextProblem }

/**
 * Reads a stream by YAML 1.2 and its core schema. Tags are kept as text and never make anything. Nesting is watched while tokens
 * come in, before any part that recurses sees them: a parser that recurses too deep can end the process (security.md F9).
 * Equal keys are left to the caller to find: the package compares each with all others. Throws `too_large`.
 */
export function readYaml(text: string): YamlStream {
  const control = UNPRINTABLE.exec(text)
  if (control) return { problem: { offset: control.index, message: `control character ${text.charCodeAt(control.index)}` } }
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    uniqueKeys: false,
    keepSourceTokens: true,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const guard: Guard = { problem: null }
  const documents: YamlSource[] = []
  for (const document of composer.compose(guardedTokens(text, guard))) {
    documents.push(document)
    const problem = firstError(document)
    if (problem) return { problem }
  }
  if (guard.problem) return { problem: guard.problem }
  // A stream of comments alone may be wrong too.
  const stray = composer.streamInfo().errors[0]
  return stray ? { problem: { offset: stray.pos[0], message: stray.message } } : { documents, problem: null }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: YAML has no control characters, and the lexer uses some as marks of its own
const UNPRINTABLE = /[\x00-\x08\x0b\x0c\x0e-\x1f]/

interface Guard {
  problem: TextProblem | null
}

function* guardedTokens(text: string, guard: Guard): Generator<CST.Token> {
  const parser = new Parser()
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > MAX_DEPTH + 1) guard.problem = { offset: parser.offset, message: `nesting deeper than ${MAX_DEPTH} levels` }
    if (++count > MAX_TOKENS)
      throw new FilewrightError('too_large', `The YAML has more than ${MAX_TOKENS} tokens, which is too much to parse.`)
    if (guard.problem) return
  }
  yield* parser.end()
}

function firstError({ errors }: YamlSource): TextProblem | null {
  const first = errors.reduce<(typeof errors)[number] | null>((best, error) => (best && best.pos[0] <= error.pos[0] ? best : error), null)
  return first && { offset: first.pos[0], message: first.message }
}
