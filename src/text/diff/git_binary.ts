/** Binary content as git writes it into patches: deflated, in base 85, each line with its length. */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
/** Most bytes of one line. */
const LINE_BYTES = 52

/** The `literal` block of a content, with the empty line at its end. */
export async function gitLiteral(bytes: Uint8Array): Promise<string> {
  const deflated = await deflate(bytes)
  const lines = [`literal ${bytes.length}`]
  for (let at = 0; at < deflated.length; at += LINE_BYTES) lines.push(base85Line(deflated.subarray(at, at + LINE_BYTES)))
  return `${lines.join('\n')}\n\n`
}

/** The id under which git knows a content. */
export async function gitBlobId(bytes: Uint8Array): Promise<string> {
  const head = new TextEncoder().encode(`blob ${bytes.length}\0`)
  const blob = new Uint8Array(head.length + bytes.length)
  blob.set(head)
  blob.set(bytes, head.length)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-1', blob))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** A letter for the length, then five digits for each four bytes, the last ones filled up with zeros. */
function base85Line(bytes: Uint8Array): string {
  const { length } = bytes
  let line = String.fromCharCode(length <= 26 ? 64 + length : 70 + length)
  for (let at = 0; at < length; at += 4) {
    let value = 0
    for (let i = 0; i < 4; i++) value = value * 256 + (bytes[at + i] ?? 0)
    let group = ''
    for (let i = 0; i < 5; i++) {
      group = DIGITS[value % 85] + group
      value = Math.floor(value / 85)
    }
    line += group
  }
  return line
}
