/** The node adapter against the conformance suite: on directory handles, and on checked paths as where there are none. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { type NodeFsOptions, openNodeFs } from '../../src/fs/node.ts'
import { type ConformanceSubject, registerConformance } from '../../src/testing/index.ts'

function subject(name: string, options: Omit<NodeFsOptions, 'root'>): ConformanceSubject {
  return {
    name,
    persistent: true,
    create() {
      const root = mkdtempSync(join(tmpdir(), 'filewright-'))
      return { open: () => openNodeFs({ root, ...options }), remove: () => rmSync(root, { recursive: true, force: true }) }
    },
  }
}

registerConformance(subject('node', { durability: 'process' }), { describe, it })
