/** What the page and the tab's own worker say to each other: requests and answers of the HTTP interface. */

/** From the page. */
export type ToWorker =
  | {
      readonly kind: 'request'
      readonly id: number
      readonly path: string
      readonly method: string
      readonly headers: { readonly [name: string]: string }
      readonly body: string | Uint8Array<ArrayBuffer> | null
    }
  | { readonly kind: 'abort'; readonly id: number }

/** From the worker. The body is a stream where the browser can hand one over. */
export interface ToPage {
  readonly id: number
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: ReadableStream<Uint8Array> | ArrayBuffer | null
}
