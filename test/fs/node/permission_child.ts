/** Run as a user without rights on a folder: prints what each act on it comes to, as JSON. */
import { writeSync } from 'node:fs'
import type { FileSystem } from '../../../src/core/file_system.ts'
import { openNodeFs } from '../../../src/fs/node.ts'
import { at, commit, hashOf, makeDirectory, move, readText, remove, scanPaths, write } from '../../../src/testing/setup.ts'

/** The user and group that own nothing. */
const NOBODY = 65534

// Only now, with all code loaded: nobody need be able to read where the checkout stands.
process.setgroups?.([])
process.setgid?.(NOBODY)
process.setuid?.(NOBODY)

const fs = await openNodeFs({ root: process.argv[2] as string, durability: 'process' })
const acts: { readonly [name: string]: (fs: FileSystem) => Promise<unknown> } = {
  'read an unreadable file': (on) => readText(on, 'unreadable'),
  'read in a closed directory': (on) => readText(on, 'closed/file'),
  'list a closed directory': (on) => on.list(at('closed')),
  'scan around it': (on) => scanPaths(on, ''),
  access: async (on) => (await on.stat(at('unreadable'), { access: true })).access,
  'access of what may be read': async (on) => (await on.stat(at('open/file'), { access: true })).access,
  'history of somebody else': (on) => on.records(),
  'write into a directory that may not be written': (on) => commit(on, write(on, 'open/file', 'new', hashOf(on, 'old'))),
  'create there': (on) => commit(on, write(on, 'open/new', 'new')),
  'remove there': (on) => commit(on, remove('open/file', hashOf(on, 'old'))),
  'move there': (on) => commit(on, move('open/file', 'open/moved', hashOf(on, 'old'))),
  'make a directory there': (on) => commit(on, makeDirectory('open/dir')),
  'a batch of which one may not be': (on) => commit(on, write(on, 'mine/a', 'new', hashOf(on, 'old')), write(on, 'open/new', 'new')),
  'what may be': async (on) => (await commit(on, write(on, 'mine/a', 'new', hashOf(on, 'old')))).sequence,
}
const results: { [name: string]: unknown } = {}
for (const [name, act] of Object.entries(acts)) {
  results[name] = await act(fs).catch((error: { code?: string }) => error.code ?? String(error))
}
await fs.close()
writeSync(1, JSON.stringify(results))
