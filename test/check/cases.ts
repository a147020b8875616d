/** Case files: calls of one profile's tools, what they must answer, and what must be stored at the end. One JSON object a line. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What is planted, or must be there: text, or how to make it. */
export type FileSpec =
  | string
  | null
  | {
      readonly text?: string
      readonly base64?: string
      readonly repeat?: readonly [text: string, times: number]
      readonly lines?: number
      readonly tail?: string
      readonly symlink?: string
      readonly hardlink?: string
      /** Octal digits. */
      readonly mode?: string
      /** Seconds since 1970. */
      readonly mtime?: number
      readonly exists?: true
      /** A regular expression. */
      readonly match?: string
    }

/** Names and what they hold; a name that ends in `/` is a directory. */
export type Tree = { readonly [name: string]: FileSpec }

/** One step of a case. */
export interface CaseCall {
  readonly tool?: string
  readonly args?: unknown
  readonly list?: true
  readonly plant?: Tree
  readonly isError?: boolean
  readonly protocolError?: true
  readonly expect?: unknown
  readonly text?: unknown
}

/** One case. */
export interface Case {
  readonly id: string
  readonly why?: string
  readonly profile?: string
  readonly flags?: readonly string[]
  readonly fs?: readonly string[]
  readonly root?: string
  readonly files?: Tree
  readonly beside?: Tree
  readonly calls: readonly CaseCall[]
  readonly after?: Tree
  readonly besideAfter?: Tree
}

/** The cases of one file. */
export interface CaseFile {
  readonly name: string
  readonly cases: readonly Case[]
}

/** Every case file of a folder. Throws for a line that is no JSON. */
export function readCaseFiles(folder: string): CaseFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  return names.sort().map((name) => ({ name: name.slice(0, -'.jsonl'.length), cases: readCases(join(folder, name)) }))
}

function readCases(file: string): Case[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line, index) => {
    if (line.trim() === '' || line.startsWith('//')) return []
    try {
      return [JSON.parse(line) as Case]
    } catch (error) {
      throw new Error(`${file}:${index + 1} is not JSON`, { cause: error })
    }
  })
}
