/** Histories whose branches meet again and again, in files that both sides change. */
import { below, type MadeCommit, type MadeFile } from './histories.ts'

const PATHS = ['text', 'lib/code', 'lib/deep/more', 'crlf', 'bin', 'run', 'lib/deep', 'end']

/** Commits, every third of which merges two others. Nothing that is added has the content of something that went. */
export function randomMerges(random: () => number, count: number): MadeCommit[] {
  let made = 0
  const line = (): string =>
    (random() < 0.25 ? ['', '}', '  {', '\treturn'][below(random, 4)] : `line ${made++} ${below(random, 50)}`) as string
  const newFile = (path: string): MadeFile => {
    const kind = random()
    if (kind < 0.05) return { mode: '120000', text: `target${made++}` }
    if (kind < 0.12 || path === 'bin') return { mode: '100644', text: `\0${made++}` }
    const end = path === 'crlf' ? '\r\n' : '\n'
    const text = Array.from({ length: 4 + below(random, 20) }, line).join(end)
    return { mode: path === 'run' ? '100755' : '100644', text: path === 'end' && random() < 0.5 ? text : text + end }
  }
  const edited = (file: MadeFile): MadeFile => {
    if (random() < 0.1 && file.mode !== '120000') return { ...file, mode: file.mode === '100644' ? '100755' : '100644' }
    if (file.mode === '120000' || String(file.text).includes('\0')) return { ...file, text: `${file.text}${made++}` }
    const lines = String(file.text).split(/(?<=\n)/)
    const end = lines[0]?.endsWith('\r\n') ? '\r\n' : '\n'
    for (let edits = 1 + below(random, 3); edits > 0; edits--) {
      const at = below(random, lines.length + 1)
      const added = Array.from({ length: below(random, 3) }, () => line() + end)
      // Moving a part makes alignment a choice.
      if (random() < 0.1) added.push(...lines.slice(0, below(random, 4)))
      lines.splice(at, below(random, 4), ...added)
    }
    if (random() < 0.05) lines.push('no end')
    return { ...file, text: lines.join('') }
  }
  const commits: MadeCommit[] = []
  for (let at = 0; at < count; at++) {
    const near = (): number => Math.max(0, at - 1 - below(random, 4))
    const parents = at === 0 ? [] : [...new Set([near(), ...(random() < 0.4 ? [near()] : [])])]
    const files = new Map(commits[parents[0] ?? -1]?.files)
    if (at === 0) for (const path of PATHS) put(files, path, newFile(path))
    for (const parent of parents.slice(1)) {
      for (const [path, file] of (commits[parent] as MadeCommit).files) if (random() < 0.5) put(files, path, file)
    }
    for (let changes = 1 + below(random, 3); changes > 0; changes--) {
      const path = PATHS[below(random, PATHS.length)] as string
      const file = files.get(path)
      if (file && random() < 0.1) files.delete(path)
      else if (file && random() < 0.85) files.set(path, edited(file))
      else if (!file || random() < 0.3) put(files, path, newFile(path))
    }
    commits.push({ parents, time: 1_700_000_000 + at * 10, files })
  }
  return commits
}

function put(files: Map<string, MadeFile>, path: string, file: MadeFile): void {
  for (const other of [...files.keys()]) if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other)
  files.set(path, file)
}
