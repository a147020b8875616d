/** A workspace in memory under one profile, for the tests of profiles. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { expect } from 'vitest'
import type { ErrorCode } from '../../src/core/errors.ts'
import type { FileSystem } from '../../src/core/file_system.ts'
import type { Path } from '../../src/core/path.ts'
import { readAll } from '../../src/core/read.ts'
import { createMemoryFs } from '../../src/fs/memory.ts'
import { openWorkspace } from '../../src/workspace/open.ts'
import type { OperatorSettings, Workspace } from '../../src/workspace/workspace.ts'
import { type Planted, plant } from '../tools/setup.ts'

/** What a call came to, its result checked against the schema that is published for it. */
export interface ProfileOutcome {
  readonly result: { readonly [key: string]: unknown }
  readonly text: string
  readonly code: ErrorCode | null
}

/** A workspace under test. */
export interface ProfileFixture {
  readonly fs: FileSystem
  readonly workspace: Workspace
  call(tool: string, args: unknown): Promise<ProfileOutcome>
  /** Text at a path; null when nothing is there. */
  read(path: string): Promise<string | null>
}

/** Opens a workspace that holds `files`. */
export async function profileWith(
  profile: string,
  files: { readonly [path: string]: Planted },
  settings: OperatorSettings = {},
): Promise<ProfileFixture> {
  const fs = createMemoryFs()
  await plant(fs, files)
  const workspace = await openWorkspace({ fs, profile, settings })
  const validator = new AjvJsonSchemaValidator()
  return {
    fs,
    workspace,
    async call(name, args) {
      const { result, text, error } = await workspace.call(name, args)
      const schema = workspace
        .tools()
        .find(({ tool }) => tool.name === name)
        ?.outputSchema?.()
      if (schema) expect(validator.getValidator(schema as never)(result), JSON.stringify(result)).toMatchObject({ valid: true })
      return { result, text, code: error?.code ?? null }
    },
    async read(path) {
      try {
        return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readAll(await fs.open(path as Path), 1e9, path))
      } catch {
        return null
      }
    },
  }
}
