/** Changes of a workspace as events of the newer era, for the streams of `subscriptions/listen` over HTTP. */
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import { type Touched, type Watched, watchTouched } from './touched.ts'
import { LOG_URI, type ResourceUris } from './uri.ts'

/** The events of one workspace: each stream gets those that it asked for. Nothing is watched while nobody listens. */
export function createResourceEvents(workspace: Watched, uris: ResourceUris): ServerEventBus {
  const listeners = new Set<(event: ServerEvent) => void>()
  let stop: (() => void) | null = null

  function publish(event: ServerEvent): void {
    for (const listener of listeners) listener(event)
  }

  return {
    publish,
    subscribe(listener) {
      listeners.add(listener)
      stop ??= watchTouched(workspace, (touched) => {
        for (const uri of urisOf(touched, uris)) publish({ kind: 'resource_updated', uri })
        if (touched.listed) publish({ kind: 'resources_list_changed' })
      })
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        stop?.()
        stop = null
      }
    },
  }
}

/** The URIs of what was touched; the log of changes is always among it. */
export function* urisOf({ files, directories }: Touched, uris: ResourceUris): Generator<string> {
  yield LOG_URI
  for (const path of files) yield uris.file(path)
  for (const path of directories) yield uris.file(path, true)
}
