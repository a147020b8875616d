/** What a person chose or dropped, as a list of files. */
import type { ChosenFile, ChosenFolder } from './import_folder.ts'

/** Folders that are left out: git's own files are protected, and dependencies can be installed again. */
const LEFT_OUT = /(^|\/)(\.git|\.filewright)(\/|$)/
const DEPENDENCIES = /(^|\/)node_modules(\/|$)/

/** The files of an `<input webkitdirectory>`, whose paths begin with the folder's own name. */
export function chosenFolder(list: FileList, options: { readonly dependencies: boolean }): ChosenFolder {
  const all = [...list]
  const name = all[0]?.webkitRelativePath.split('/')[0] ?? 'folder'
  const files = all.map((file) => ({ path: file.webkitRelativePath.slice(name.length + 1), file }))
  return { name, files: files.filter(({ path }) => isWanted(path, options)), directories: [] }
}

/** The files of a drop: folders are walked, single files come as they are. */
export async function droppedFolder(items: DataTransferItemList, options: { readonly dependencies: boolean }): Promise<ChosenFolder> {
  const roots = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  const files: ChosenFile[] = []
  const directories: string[] = []
  const only = roots.length === 1 && roots[0]?.isDirectory ? roots[0] : null

  async function walk(entry: FileSystemEntry, path: string): Promise<void> {
    if (path !== '' && !isWanted(path, options)) return
    if (entry.isFile) {
      files.push({ path, file: await fileOf(entry as FileSystemFileEntry) })
      return
    }
    const children = await childrenOf(entry as FileSystemDirectoryEntry)
    if (children.length === 0 && path !== '') directories.push(path)
    for (const child of children) await walk(child, path === '' ? child.name : `${path}/${child.name}`)
  }

  for (const root of roots) await walk(root, root === only ? '' : root.name)
  return { name: only?.name ?? 'dropped files', files, directories }
}

function isWanted(path: string, { dependencies }: { readonly dependencies: boolean }): boolean {
  return !LEFT_OUT.test(path) && (dependencies || !DEPENDENCIES.test(path))
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

async function childrenOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader()
  const children: FileSystemEntry[] = []
  // A reader gives its entries in parts, and nothing when it has given all.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (part.length === 0) return children
    children.push(...part)
  }
}
