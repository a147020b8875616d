/** An npm package as a repository in memory. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import { FilewrightError } from '../core/errors.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { FixtureFile, FixtureFiles } from './fixture.ts'
import { fileMode, filesOfFolder } from './folder_files.ts'
import { type RepoOptions, repo } from './repo.ts'

/** How a package is found. */
export interface PackageOptions extends RepoOptions {
  /** The folder from which `node_modules` are looked for, upwards, and that paths begin at; default: the working directory. */
  readonly from?: string
}

/**
 * Opens a workspace in memory that holds a package, without the packages that it has in its own `node_modules`: by the name of one
 * that is installed (`hono`), or by the path of a folder or of a `.tgz` as `npm pack` makes it (`./package`, `a-1.0.0.tgz`), relative
 * to `from`. Nothing on disk is touched. Throws `not_found`, and `corrupt` for a file that is no such archive.
 */
export async function fromPackage(which: string, { from, ...options }: PackageOptions = {}): Promise<Workspace> {
  return repo(await filesOfPackage(which, from), options)
}

/** The files of a package, as {@link fromPackage} finds it. */
export async function filesOfPackage(which: string, from: string = process.cwd()): Promise<FixtureFiles> {
  if (!isPlace(which)) return filesOfFolder(installed(which, from))
  const place = resolve(from, which)
  if (!existsSync(place)) throw new FilewrightError('not_found', `${which} does not exist.`)
  return statSync(place).isDirectory() ? filesOfFolder(place) : filesOfTarball(place)
}

/** Whether it is a path, and no name of a package. */
function isPlace(which: string): boolean {
  return /^\.{0,2}(\/|$)|^[A-Za-z]:[\\/]|\.tgz$|\.tar\.gz$/.test(which)
}

/** The folder of an installed package, looked for as Node does. */
function installed(name: string, from: string): string {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    const folder = join(dir, 'node_modules', name)
    if (existsSync(join(folder, 'package.json'))) return realpathSync(folder)
    if (dirname(dir) === dir) throw new FilewrightError('not_found', `The package ${name} is not installed for ${from}.`)
  }
}

/** A package's files lie in one folder of its tarball, whatever that is called. */
async function filesOfTarball(file: string): Promise<FixtureFiles> {
  const files: Record<string, FixtureFile> = {}
  for (const { header, data } of await entriesOf(file)) {
    const path = header.name.replace(/^(?:\.\/)?[^/]+\//, '')
    if (header.type === 'file' && path !== '') files[path] = { bytes: data ?? new Uint8Array(), mode: fileMode(header.mode ?? 0o644) }
  }
  return files
}

async function entriesOf(file: string): Promise<Awaited<ReturnType<typeof unpackTar>>> {
  const bytes = readFileSync(file)
  try {
    return await unpackTar(new Uint8Array(gunzipSync(bytes)))
  } catch (error) {
    throw new FilewrightError('corrupt', `${file} is no archive as npm pack makes it, or one that was cut.`, { cause: error })
  }
}
