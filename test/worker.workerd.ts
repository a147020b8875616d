/** The worker that the workerd tests run in: one Durable Object class with SQLite, used through `runInDurableObject`. */
import { DurableObject } from 'cloudflare:workers'

export class TestStorage extends DurableObject {}

export default {
  fetch(): Response {
    return new Response('tests only', { status: 404 })
  },
}
