/**
 * A short way for the frames that a feed is made of. `ws` spends more on taking a frame apart than
 * reading the message in it costs, so whole, unmasked text frames are read straight out of what the
 * socket received. Pings, pongs and binary frames go to `ws` as they came, in their order; at anything
 * else (fragments, a close frame, whatever breaks the protocol) `ws` takes over for good.
 */
import type { Duplex } from 'node:stream'

/** First byte of a frame: FIN, no reserved bit, the opcode. */
const TEXT = 0x81
const BINARY = 0x82
const PING = 0x89
const PONG = 0x8a
const LEN_16 = 126
const LEN_64 = 127
/** So many pieces of one frame are joined before more are taken: a frame may come byte by byte. */
const MOST_PIECES = 1_024

/**
 * Stands before the receiver of a client socket that has just opened. `onText` gets each text message
 * as a view into what was read. False, and nothing done, where the socket is not as `ws` leaves it.
 */
export function readTextFrames(socket: Duplex, maxPayload: number, onText: (text: Buffer) => void): boolean {
  const listeners = socket.listeners('data')
  const receive = listeners[0] as ((this: Duplex, chunk: Buffer) => void) | undefined // what 'data' calls
  if (listeners.length !== 1 || receive === undefined) return false

  let pieces: Buffer[] = []
  let held = 0
  /** Bytes that must be there before there is anything to do. */
  let need = 2

  function stepAside(rest: Buffer): void {
    socket.off('data', read)
    socket.off('close', closed)
    socket.on('data', receive!)
    if (rest.length > 0) receive!.call(socket, rest)
  }

  /** `ws` reads what a closed socket still holds by itself: it must have what came before that. */
  function closed(): void {
    const rest = Buffer.concat(pieces, held)
    pieces = []
    held = 0
    stepAside(rest)
  }

  function read(piece: Buffer): void {
    let bytes = piece
    if (held > 0) {
      pieces.push(piece)
      held += piece.length
      if (pieces.length > MOST_PIECES) pieces = [Buffer.concat(pieces, held)]
      if (held < need) return
      bytes = Buffer.concat(pieces, held)
      pieces = []
      held = 0
    }
    const end = bytes.length
    let at = 0
    while (at < end) {
      need = 2
      if (at + need > end) break
      const first = bytes[at]
      let length = bytes[at + 1]
      if (length === LEN_16) {
        need = 4
        if (at + need > end) break
        length = (bytes[at + 2] << 8) | bytes[at + 3]
      } else if (length === LEN_64) {
        need = 10
        if (at + need > end) break
        length = bytes.readUInt32BE(at + 2) * 0x1_0000_0000 + bytes.readUInt32BE(at + 6)
      } else if (length > LEN_64) return stepAside(bytes.subarray(at)) // masked
      if (length > maxPayload) return stepAside(bytes.subarray(at))
      const from = at + need
      need += length
      const to = at + need
      if (first === TEXT) {
        if (to > end) break
        onText(bytes.subarray(from, to))
      } else if (first === BINARY || ((first === PING || first === PONG) && length < LEN_16)) {
        if (to > end) break
        receive!.call(socket, bytes.subarray(at, to))
      } else return stepAside(bytes.subarray(at))
      at = to
    }
    if (at < end) {
      pieces = [at === 0 ? bytes : bytes.subarray(at)]
      held = end - at
    }
  }

  socket.off('data', receive)
  socket.on('data', read)
  socket.prependListener('close', closed)
  return true
}
