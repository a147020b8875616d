/** Which objects are needed: all that references, logs of references and names such as HEAD lead to. */
import { FilewrightError, isFilewrightError } from '../core/errors.ts'
import type { Oid } from '../core/repository.ts'
import { parseTag } from './commit.ts'
import { parseLinks } from './commit_links.ts'
import type { GitDirectory } from './directory.ts'
import type { GitFiles } from './files.ts'
import type { ObjectType } from './objects.ts'
import { isOid } from './oid.ts'
import { createOidSet, type OidSet } from './oid_set.ts'
import { treeCursor } from './tree.ts'

const decoder = new TextDecoder()

/**
 * Marks what is reachable; `pause` is waited for before each object that is read. Nothing is fetched: what a server promised may be
 * missing (`isPartial`). Throws `not_found` for any other object that a reference needs, `corrupt` for a damaged one.
 */
export async function findReachable(git: GitDirectory, isPartial: boolean, pause: () => Promise<void>): Promise<OidSet> {
  const { objects, refs } = git
  const reached = createOidSet()
  const boundary = await git.shallow()
  // Logs come first: the names in them may be of objects that are gone, and what references need must not be excused for that.
  for (const oid of await logged(git)) if (await objects.has(oid)) await mark(oid, null, true)
  const checked = createOidSet()
  const listed = await refs.list('refs/')
  for (const { oid } of listed) await mark(oid, null, isPartial, checked)
  for (const oid of await unlisted(git, new Set(listed.map(({ name }) => name)))) await mark(oid, null, isPartial, checked)
  for (const oid of await standing(git)) await mark(oid, null, isPartial, checked)
  return reached

  async function mark(root: Oid, rootType: ObjectType | null, mayMiss: boolean, seen: OidSet = reached): Promise<void> {
    const todo: { readonly oid: Oid; readonly type: ObjectType | null }[] = [{ oid: root, type: rootType }]
    for (let next = todo.pop(); next; next = todo.pop()) {
      const { oid } = next
      if (!seen.add(oid)) continue
      reached.add(oid)
      if (next.type === 'blob') continue
      await pause()
      if (mayMiss && !(await objects.has(oid))) continue
      const type = next.type ?? (await objects.header(oid)).type
      if (type === 'blob') continue
      const bytes = await objects.readAs(oid, type)
      if (type === 'tag') todo.push(targetOf(bytes, oid))
      else if (type === 'commit') {
        const { tree, parents } = parseLinks(bytes, oid)
        if (!boundary.has(oid)) for (const parent of parents) todo.push({ oid: parent, type: 'commit' })
        todo.push({ oid: tree, type: 'tree' })
      } else {
        const cursor = treeCursor(bytes, oid)
        while (cursor.next()) {
          if (cursor.mode === '160000') continue
          if (cursor.mode === '040000') todo.push({ oid: cursor.oid, type: 'tree' })
          else if (seen.add(cursor.oid)) reached.add(cursor.oid)
        }
      }
    }
  }
}

function targetOf(bytes: Uint8Array, oid: Oid): { readonly oid: Oid; readonly type: ObjectType } {
  const { object, type } = parseTag(bytes, oid)
  return { oid: object, type }
}

/** What references name that were not listed: new ones. Throws `corrupt` for one that is broken: nobody knows what it needs. */
async function unlisted({ files }: GitDirectory, listed: ReadonlySet<string>): Promise<Set<Oid>> {
  const found = new Set<Oid>()
  for await (const path of filesBelow(files, 'refs')) {
    if (listed.has(path) || path.endsWith('.lock')) continue
    const text = decoder.decode((await files.read(path)) ?? new Uint8Array(0))
    const oid = text.slice(0, 40)
    if (isOid(oid)) found.add(oid)
    else if (!text.startsWith('ref:')) {
      throw new FilewrightError('corrupt', `The reference ${path} is broken; mend or remove it before garbage is collected.`)
    }
  }
  return found
}

async function* filesBelow(files: GitFiles, dir: string): AsyncGenerator<string> {
  for (const name of await files.list(dir)) {
    if (name.endsWith('/')) yield* filesBelow(files, `${dir}/${name.slice(0, -1)}`)
    else yield `${dir}/${name}`
  }
}

/** What HEAD, ORIG_HEAD, FETCH_HEAD and their like name. */
async function standing({ files, refs }: GitDirectory): Promise<Set<Oid>> {
  const found = new Set<Oid>()
  for (const name of await files.list('')) {
    if (!/^[A-Z_]*HEAD$/.test(name)) continue
    for (const line of decoder.decode((await files.read(name)) ?? new Uint8Array(0)).split('\n')) {
      const oid = line.slice(0, 40)
      if (isOid(oid)) found.add(oid)
    }
  }
  try {
    const { oid } = await refs.head()
    if (oid) found.add(oid)
  } catch (error) {
    if (!isFilewrightError(error, 'corrupt')) throw error
  }
  return found
}

/** Both names of every line in the logs of references. */
async function logged({ files }: GitDirectory): Promise<Set<Oid>> {
  const found = new Set<Oid>()
  for await (const path of filesBelow(files, 'logs')) {
    for (const line of decoder.decode((await files.read(path)) ?? new Uint8Array(0)).split('\n')) {
      for (const oid of [line.slice(0, 40), line.slice(41, 81)]) if (isOid(oid)) found.add(oid)
    }
  }
  return found
}
