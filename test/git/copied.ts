/** Git directories of any storage, put on disk where git can look at them, and back. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { GitFiles } from '../../src/git/files.ts'

/** Copies all files to a folder, which is then a bare repository. */
export async function copyOut(files: GitFiles, dir: string): Promise<void> {
  for (const name of ['objects', 'refs']) mkdirSync(join(dir, name), { recursive: true })
  const copy = async (path: string): Promise<void> => {
    for (const name of await files.list(path)) {
      const below = path === '' ? name : `${path}/${name}`
      if (name.endsWith('/')) {
        await copy(below.slice(0, -1))
        continue
      }
      mkdirSync(dirname(join(dir, below)), { recursive: true })
      writeFileSync(join(dir, below), (await files.read(below)) as Uint8Array)
    }
  }
  await copy('')
}

/** Copies the git directory at `dir` into a storage. */
export async function copyIn(dir: string, files: GitFiles, path = ''): Promise<void> {
  for (const name of readdirSync(join(dir, path))) {
    const below = path === '' ? name : `${path}/${name}`
    if (statSync(join(dir, below)).isDirectory()) await copyIn(dir, files, below)
    else await files.write(below, readFileSync(join(dir, below)))
  }
}
