/** Workspaces at the edge: an index object, and an object for each. */
import { FilewrightError } from '../src/core/errors.ts'
import type { WorkspaceHost } from '../src/http/app.ts'
import type { WorkspaceEntry } from '../src/http/routes.ts'
import { profileNamed } from '../src/profiles/index.ts'
import type { DirectoryObject } from './directory_object.ts'
import type { Env } from './env.ts'
import type { WorkspaceObject } from './workspace_object.ts'

/** The profile of a workspace that names none: the page calls its hub. */
const PROFILE = 'fileops'

/** The one index of a server. */
export function directoryOf(env: Env): DurableObjectStub<DirectoryObject> {
  return env.DIRECTORY.getByName('directory')
}

/** The host of the worker. */
export function createEdgeHost(env: Env): WorkspaceHost {
  // Asked for anew each time: a stub that has seen its object fail stays broken.
  const directory = () => directoryOf(env)

  async function entryOf(id: string): Promise<WorkspaceEntry> {
    return (await directory().get(id)) ?? notFound()
  }

  return {
    list: async () => directory().list(),
    get: entryOf,
    async create({ name, profile: wanted = PROFILE }) {
      const profile = (await profileNamed(wanted)).name
      const id = env.WORKSPACES.newUniqueId()
      const entry = { id: id.toString(), name, profile, createdMs: Date.now() }
      // The index first: a workspace that is listed and lacks its object can be removed, the reverse would be lost.
      if (!(await directory().add(entry))) throw new FilewrightError('quota_exceeded', 'There are too many workspaces: remove some.')
      await env.WORKSPACES.get(id).create(profile)
      return entry
    },
    async rename(id, name) {
      return (await directory().rename(id, name)) ?? notFound()
    },
    async remove(id) {
      await entryOf(id)
      await workspaceOf(env, id).destroy()
      await directory().remove(id)
    },
    answer: (id, request) => workspaceOf(env, id).fetch(request),
  }
}

function workspaceOf(env: Env, id: string): DurableObjectStub<WorkspaceObject> {
  let objectId: DurableObjectId
  try {
    // Checks that this server made the id: no other object comes to be.
    objectId = env.WORKSPACES.idFromString(id)
  } catch {
    notFound()
  }
  return env.WORKSPACES.get(objectId)
}

function notFound(): never {
  throw new FilewrightError('not_found', 'There is no such workspace.')
}
