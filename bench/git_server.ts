/** Serves a folder of repositories with the real `git http-backend`, in a process of its own, for the rows about remotes. */
import { serveGit } from '../test/git/wire/http_server.ts'

const server = await serveGit(process.argv[2] as string)
process.send?.(server.url)
process.once('disconnect', () => process.exit())
