/**
 * A fast path for text frames. `ws` spends more time on parsing a frame than decoding its message takes, so complete,
 * unmasked text frames are read straight out of the socket's chunks. Pings, pongs and binary frames are passed on to
 * `ws` in order. For anything else (fragments, a close frame, a protocol error), `ws` takes over for good.
 */
import type { Duplex } from 'node:stream'

/** First byte of a frame: FIN, no reserved bit, the opcode. */
const TEXT = 0x81
const BINARY = 0x82
const PING = 0x89
const PONG = 0x8a
const LEN_16 = 126
const LEN_64 = 127
/** The chunks of a frame are joined after this many, because a frame may arrive byte by byte. */
const MAX_PIECES = 1_024

/**
 * Inserts itself before the `ws` receiver of a client socket that has just opened. `onText` gets each text message as
 * a view into the chunk. Returns false without doing anything if the socket's listeners aren't the ones that `ws`
 * adds.
 */
export function readTextFrames(socket: Duplex, maxPayload: number, onText: (text: Buffer) => void): boolean {
  const listeners = socket.listeners('data')
  const receive = listeners[0] as ((this: Duplex, chunk: Buffer) => void) | undefined // the listener of 'data'
  if (listeners.length !== 1 || receive === undefined) return false

  let pieces: Buffer[] = []
  let held = 0
  /** Bytes needed before the next frame can be read. */
  let need = 2

  function handBack(rest: Buffer): void {
    socket.off('data', read)
    socket.off('close', closed)
    socket.on('data', receive!)
    if (rest.length > 0) receive!.call(socket, rest)
  }

  /** `ws` drains a closed socket's buffer by itself, so it first needs the bytes held here. */
  function closed(): void {
    const rest = Buffer.concat(pieces, held)
    pieces = []
    held = 0
    handBack(rest)
  }

  function read(piece: Buffer): void {
    let bytes = piece
    if (held > 0) {
      pieces.push(piece)
      held += piece.length
      if (pieces.length > MAX_PIECES) pieces = [Buffer.concat(pieces, held)]
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
      } else if (length > LEN_64) return handBack(bytes.subarray(at)) // masked
      if (length > maxPayload) return handBack(bytes.subarray(at))
      const from = at + need
      need += length
      const to = at + need
      if (first === TEXT) {
        if (to > end) break
        onText(bytes.subarray(from, to))
      } else if (first === BINARY || ((first === PING || first === PONG) && length < LEN_16)) {
        if (to > end) break
        receive!.call(socket, bytes.subarray(at, to))
      } else return handBack(bytes.subarray(at))
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
