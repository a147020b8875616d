/** A pack and what the server says meanwhile, on one line of packets: taken apart. */
import { cutOff, notGit, type PacketReader, remoteError, shown } from './pkt_line.ts'

const [DATA, PROGRESS, ERROR] = [1, 2, 3]

/**
 * The bytes of the first band, up to a mark. Progress goes to `onText`, line by line; an error of the server is thrown. Throws
 * `corrupt` when the body ends without a mark: what came is a part only.
 */
export async function* sideBand(reader: PacketReader, onText: (text: string) => void): AsyncGenerator<Uint8Array> {
  const words = new TextDecoder()
  let line = ''
  for (;;) {
    const packet = await reader.next()
    if (packet === null) throw cutOff()
    if (!(packet instanceof Uint8Array)) break
    const rest = packet.subarray(1)
    if (packet[0] === DATA) {
      if (rest.length > 0) yield rest
    } else if (packet[0] === PROGRESS) {
      const lines = (line + words.decode(rest, { stream: true })).split(/[\r\n]+/)
      // A server that never ends its line is not waited for.
      line = (lines.pop() ?? '').slice(-1000)
      for (const one of lines) if (shown(one)) onText(shown(one))
    } else if (packet[0] === ERROR) throw remoteError(words.decode(rest))
    else throw notGit()
  }
  if (shown(line)) onText(shown(line))
}
