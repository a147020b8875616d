/** A process of rows 72 and 73: scans a repository, reads one of so many of its files, and tells the most memory that it had. */
import { type Path, ROOT } from '../src/core/path.ts'
import { openNodeGitDirectory } from '../src/fs/git/node_directory.ts'
import { createGitFs } from '../src/fs/git.ts'
import { createView } from '../src/workspace/view.ts'
import { peakMemory } from './measure.ts'

const [dir, share] = [process.argv[2] as string, Number(process.argv[3])]
const view = createView(await createGitFs({ git: await openNodeGitDirectory(dir) }))
const paths: Path[] = []
for await (const page of view.scan(ROOT)) for (const { path, kind } of page) if (kind === 'file') paths.push(path)
let bytes = 0
await view.readEach(
  paths.filter((_, at) => at % share === 0),
  { maxBytes: 1e9 },
  (_, content) => {
    bytes += content?.length ?? 0
    return true
  },
)
if (bytes === 0) throw new Error('Nothing was read.')
console.log(peakMemory())
