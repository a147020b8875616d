/** Row 30: the memfs adapter against the volume itself, and our own memory against the same volume. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFsFromVolume, type IFs, Volume } from 'memfs'
import type { FileSystem } from '../src/core/file_system.ts'
import { type Path, ROOT } from '../src/core/path.ts'
import { createMemfsFs } from '../src/fs/memfs.ts'
import { createMemoryFs } from '../src/fs/memory.ts'
import { openNodeFs } from '../src/fs/node.ts'
import { openWorkspace } from '../src/workspace/open.ts'
import type { ImportedFile } from '../src/workspace/workspace.ts'
import { inProcess, mustAgree, type Row } from './measure.ts'
import type { RowParts } from './row_parts.ts'

/** The same tree of source files in a volume and in memory. */
async function plant({ corpus: { repository }, closing }: RowParts) {
  const disk = await openNodeFs({ root: repository })
  const volume = createFsFromVolume(new Volume())
  const memory = createMemoryFs()
  const [workspace, own] = [
    await openWorkspace({ profile: 'fileops', fs: createMemfsFs(volume) }),
    await openWorkspace({ profile: 'fileops', fs: memory }),
  ]
  const paths: Path[] = []
  const files: ImportedFile[] = []
  for await (const page of disk.scan(ROOT)) {
    for (const { path, kind } of page) {
      if (kind === 'directory') {
        volume.mkdirSync(`/${path}`)
        files.push({ path, directory: true })
      }
      if (kind !== 'file') continue
      const bytes = readFileSync(join(repository, path))
      volume.writeFileSync(`/${path}`, bytes)
      files.push({ path, content: await own.stage(bytes) })
      paths.push(path)
    }
  }
  await own.importFiles(files, { operator: true })
  await disk.close()
  closing(workspace)
  closing(own)
  return { volume, adapter: workspace.fs, memory, paths }
}

export async function memfsRows(parts: RowParts): Promise<Row[]> {
  const { volume, adapter, memory, paths } = await plant(parts)
  const rows: { name: string; raw: () => number; product: (fs: FileSystem) => Promise<number> }[] = [
    { name: 'read every file', raw: () => readRaw(volume, paths), product: (fs) => readAll(fs, paths) },
    { name: 'stat every file', raw: () => statRaw(volume, paths), product: (fs) => statAll(fs, paths) },
    { name: 'walk', raw: () => walkRaw(volume, '/'), product: walk },
  ]
  return rows.flatMap(({ name, raw, product }): Row[] => {
    const rowOf = (fs: FileSystem, what: string, gate: number): Row => ({
      number: '30',
      name: `${name}, ${what}`,
      anchorName: 'memfs',
      gate,
      anchor: inProcess(raw),
      product: inProcess(() => product(fs)),
      check: async () => mustAgree(name, await product(fs), raw()),
    })
    return [rowOf(adapter, 'through the memfs adapter', 1.2), rowOf(memory, 'in memory of our own', 0.2)]
  })
}

function readRaw(volume: IFs, paths: readonly Path[]): number {
  let bytes = 0
  for (const path of paths) bytes += (volume.readFileSync(`/${path}`) as Uint8Array).length
  return bytes
}

async function readAll(fs: FileSystem, paths: readonly Path[]): Promise<number> {
  let count = 0
  await fs.readEach(paths, { maxBytes: Number.MAX_SAFE_INTEGER }, (_, bytes) => {
    count += bytes?.length ?? 0
    return true
  })
  return count
}

function statRaw(volume: IFs, paths: readonly Path[]): number {
  let bytes = 0
  for (const path of paths) bytes += volume.lstatSync(`/${path}`).size as number
  return bytes
}

async function statAll(fs: FileSystem, paths: readonly Path[]): Promise<number> {
  let bytes = 0
  for (const entry of await fs.statMany(paths)) bytes += 'kind' in entry ? (entry.size ?? 0) : 0
  return bytes
}

function walkRaw(volume: IFs, dir: string): number {
  let count = 0
  for (const entry of volume.readdirSync(dir, { withFileTypes: true })) {
    const { name } = entry as { name: string }
    count++
    if ((entry as { isDirectory(): boolean }).isDirectory()) count += walkRaw(volume, dir === '/' ? `/${name}` : `${dir}/${name}`)
  }
  return count
}

async function walk(fs: FileSystem): Promise<number> {
  let count = 0
  for await (const page of fs.scan(ROOT)) count += page.length
  return count
}
