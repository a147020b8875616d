/** Whose commits a workspace makes. */
import type { Identity } from '../../tools/tool.ts'
import type { OperatorSettings } from '../workspace.ts'

/** What a commit's lines cannot hold. */
const UNFIT = /[<>\p{Cc}]/gu

/** The operator's choice, else the subject, whose address is of a domain that exists nowhere. */
export function authorOf({ author }: Pick<OperatorSettings, 'author'>, subject: string): Identity {
  if (author) return author
  const name = subject.replace(UNFIT, ' ').trim() || 'filewright'
  const local = name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '')
  return { name, email: `${local || 'filewright'}@filewright.invalid` }
}
