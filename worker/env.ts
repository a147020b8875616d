/** What the worker is given: the bindings and secrets of wrangler.jsonc. */
import type { DirectoryObject } from './directory_object.ts'
import type { WorkspaceObject } from './workspace_object.ts'

/** The bindings. */
export interface Env {
  readonly DIRECTORY: DurableObjectNamespace<DirectoryObject>
  readonly WORKSPACES: DurableObjectNamespace<WorkspaceObject>
  /** The built page. */
  readonly ASSETS: Fetcher
  /** Bearer token of programs, and what all other tokens are made from. */
  readonly FILEWRIGHT_SECRET: string
  /** The hosts that are answered, with ports, parted by commas. */
  readonly FILEWRIGHT_HOSTS: string
  /** Hosts of git servers that pages may reach through the worker, parted by commas; empty: none. Default: the well-known public ones. */
  readonly FILEWRIGHT_GIT_HOSTS?: string
}
