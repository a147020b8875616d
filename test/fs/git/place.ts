/** A repository on disk with a workspace in it, as the tests of the git adapter use them. */

import type { FileSystem } from '../../../src/core/file_system.ts'
import type { Repository, Signature } from '../../../src/core/repository.ts'
import { openNodeGitDirectory } from '../../../src/fs/git/node_directory.ts'
import { createGitFs, type GitFsOptions } from '../../../src/fs/git.ts'
import { commitFiles, fsck, git, initRepository, tempDir } from '../../git/real_git.ts'

export const ADA: Signature = { name: 'Ada Author', email: 'ada@example.com', timeMs: Date.UTC(2026, 0, 2, 3, 4, 5), offsetMinutes: 60 }

/** A storage with its repository. */
export type GitWorkspace = FileSystem & { readonly repository: Repository }

/** A folder with a repository. */
export interface GitPlace {
  readonly dir: string
  git(...args: string[]): string
  open(options?: Partial<GitFsOptions>): Promise<GitWorkspace>
}

/** Runs a body on a repository of one commit; at its end git must find nothing wrong. */
export async function onRepository(body: (place: GitPlace) => Promise<void>, files: Files = SAMPLE): Promise<void> {
  const { dir, remove } = tempDir()
  const opened: FileSystem[] = []
  try {
    initRepository(dir)
    if (Object.keys(files).length > 0) commitFiles(dir, 'First', files)
    await body({
      dir,
      git: (...args) => git(dir, ...args),
      async open(options = {}) {
        const fs = await createGitFs({ git: await openNodeGitDirectory(dir, { durability: 'process' }), ...options })
        opened.push(fs)
        return fs as GitWorkspace
      },
    })
    for (const fs of opened) await fs.close()
    fsck(dir)
  } finally {
    remove()
  }
}

type Files = { readonly [path: string]: string | Uint8Array }

const SAMPLE: Files = {
  'README.md': '# Sample\n',
  'bin/run*': '#!/bin/sh\n',
  link: '-> README.md',
  'src/a.txt': 'a\n',
  'src/b.txt': 'b\n',
  'src/deep/er/c.txt': 'c\n',
  empty: '',
}
