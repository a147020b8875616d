/** The worker that the workerd tests run in: one Durable Object class with SQLite, used through `runInDurableObject`. */
import { DurableObject } from 'cloudflare:workers'
import type { FileSystem } from '../src/core/file_system.ts'

export class TestStorage extends DurableObject {
  /** What a test opened in this instance; gone after an eviction. */
  fs?: FileSystem
}

export default {
  fetch(): Response {
    return new Response('tests only', { status: 404 })
  },
}
