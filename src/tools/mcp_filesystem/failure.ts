/** A failure in the words of the MCP reference server, and one sentence more that says what to do next. */
import { ERRORS, type ErrorCode, type FilewrightError } from '../../core/errors.ts'
import { LEADS_OUTSIDE } from '../../core/resolve.ts'
import { HOME_PATH, WINDOWS_PATH } from './given_path.ts'

/** The call that failed. */
export interface FailedCall {
  readonly tool: string
  /** What the system calls the act that such a tool comes down to: `open`, `write`, `scandir`, `stat`, `mkdir` or `rename`. */
  readonly act: string
  /** The paths that it named, as they were sent. */
  readonly paths: readonly string[]
  /** The root of the workspace in its own notation. */
  readonly root: string
}

/** What the operating system says of a code; the reference server passes that on. */
const ERRNO: { readonly [code in ErrorCode]?: string } = {
  not_found: 'ENOENT: no such file or directory',
  is_directory: 'EISDIR: illegal operation on a directory',
  not_directory: 'ENOTDIR: not a directory',
  permission_denied: 'EACCES: permission denied',
  loop: 'ELOOP: too many symbolic links encountered',
  no_space: 'ENOSPC: no space left on device',
}

/** The next step where that of the code is not one of these tools. */
const NEXT: { readonly [code in ErrorCode]?: string } = {
  not_found: 'Use list_directory or search_files to find the right path.',
  outside_root: 'Use a path inside the allowed directories; list_allowed_directories names them.',
  already_exists: 'Choose another name, or move away what is there.',
}

/** The text of a failed call. A place outside is never named but as the caller wrote it (C-46). */
export function failureText(error: FilewrightError, call: FailedCall): string {
  const { code, message } = error
  const next = NEXT[code] ?? ERRORS[code].advice
  const nul = call.paths.find((path) => path.includes('\0'))
  switch (code) {
    case 'invalid_argument':
    case 'missing_argument':
      if (error.field === undefined) return `${message} ${next}`
      if (nul !== undefined) return `${PATH_OUTSIDE}: ${absolute(nul, call.root)} not in ${call.root}\n${message} ${next}`
      return `Input validation error: Invalid arguments for tool ${call.tool}: ${message} ${next}`
    case 'outside_root':
      return `${denied(error, blamed(error, call), call.root)}\n${next}`
    case 'already_exists':
      return `${taken(call)}\n${next}`
  }
  const errno = ERRNO[code]
  if (errno !== undefined) return `${errno}, ${placesOf(code, call)}\n${message} ${next}`
  return /[.!?]$/.test(message) ? message : `${message}. ${next}`
}

const PATH_OUTSIDE = 'Access denied - path outside allowed directories'
const LINK_OUTSIDE = 'Access denied - symlink target outside allowed directories'

function denied({ message }: FilewrightError, path: string, root: string): string {
  if (WINDOWS_PATH.test(path)) return `Access denied - Windows-style path received on a POSIX host: ${path}`
  if (leavesByItself(path, root)) return `${PATH_OUTSIDE}: ${path} not in ${root}`
  if (message.endsWith(LEADS_OUTSIDE)) return `${LINK_OUTSIDE}: ${path} not in ${root}`
  // It is in the root, but not where this client may be.
  return `${PATH_OUTSIDE}: ${path}\n${message}`
}

/** Whether a path leads out by its own text; else a link on it does. */
function leavesByItself(path: string, root: string): boolean {
  if (HOME_PATH.test(path)) return true
  let below = path
  if (path.startsWith('/') && root !== '/') {
    if (path !== root && !path.startsWith(`${root}/`)) return true
    below = path.slice(root.length)
  }
  let depth = 0
  for (const name of below.split('/')) {
    if (name === '..') depth--
    else if (name !== '' && name !== '.') depth++
    if (depth < 0) return true
  }
  return false
}

/** Of the paths of a call, the one that its error is about: messages begin with it. */
function blamed({ message }: FilewrightError, { paths, root }: FailedCall): string {
  const isMeant = (path: string): boolean => message.startsWith(`${path} `) || message.startsWith(`${absolute(path, root)} `)
  return paths.find(isMeant) ?? paths[0] ?? ''
}

/** What is told of a place where something is already. */
function taken({ act, paths, root }: FailedCall): string {
  const place = absolute(paths.at(-1) ?? '', root)
  return act === 'mkdir' ? `EEXIST: file already exists, mkdir '${place}'` : `Destination already exists: ${place}`
}

/** The act that failed, and where. */
function placesOf(code: ErrorCode, { act, paths, root }: FailedCall): string {
  // A directory is opened like a file, and found out when it is read.
  if (code === 'is_directory' && act === 'open') return 'read'
  const places = paths.map((path) => `'${absolute(path, root)}'`)
  const onTheWay = code === 'loop' || (code === 'not_directory' && act !== 'scandir')
  if (onTheWay) return `realpath ${places[0] ?? ''}`
  return `${act} ${act === 'rename' ? places.join(' -> ') : (places[0] ?? '')}`
}

/** A path inside, as an absolute one; its links and `..` stay as they were written. */
function absolute(path: string, root: string): string {
  if (path.startsWith('/')) return path
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  return [root === '/' ? '' : root, ...names].join('/') || '/'
}
