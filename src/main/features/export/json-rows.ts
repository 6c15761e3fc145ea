/** Writes ticks as JSON Lines: every message in the range as it arrived. */
import { isUtf8 } from 'node:buffer'
import type { FeedId } from '../../../shared/base/units.ts'
import { writeWhole } from './cells.ts'
import { createSymbolCells, UNSURE, widen, type Span, type TickRows } from './rows.ts'
import type { ByteSink } from '../../base/file-sink.ts'

const encoder = new TextEncoder()
const HEX = encoder.encode('0123456789abcdef')

/** Writes one `{feed,symbol,recv_ms,seq,raw}` per line, with `raw_base64` instead of `raw` for invalid UTF-8. */
export function createJsonRows(file: ByteSink, feed: FeedId, span: Span): TickRows {
  const headOf = createSymbolCells((symbol) =>
    encoder.encode(`{"feed":${JSON.stringify(feed)},"symbol":${JSON.stringify(symbol)},"recv_ms":`),
  )
  const seqKey = encoder.encode(',"seq":')
  const rawKey = encoder.encode(',"raw":"')
  return {
    end() {},
    of(ticks) {
      const { eventMs, recvMs, seq, flags } = ticks
      const write = (row: number): void => {
        const head = headOf(ticks.symbol(row))
        const text = ticks.raw(row)
        file.room(head.length + 6 * text.length + 96)
        const out = file.bytes
        out.set(head, file.at)
        let at = file.at + head.length
        const recv = recvMs[row]
        widen(span, eventMs[row], recv)
        if (recv >= 0 && Number.isInteger(recv)) at = writeWhole(out, at, recv)
        else at += encoder.encodeInto(JSON.stringify(recv), out.subarray(at)).written
        out.set(seqKey, at)
        at = writeWhole(out, at + seqKey.length, seq[row])
        if ((flags[row] & UNSURE) !== 0 && !isUtf8(text)) {
          const base64 = Buffer.from(text.buffer, text.byteOffset, text.length).toString('base64')
          at += encoder.encodeInto(`,"raw_base64":"${base64}"}\n`, out.subarray(at)).written
        } else {
          out.set(rawKey, at)
          at = writeJsonText(out, at + rawKey.length, text)
          out[at++] = 34
          out[at++] = 125
          out[at++] = 10
        }
        file.at = at
      }
      return (from, to) => {
        for (let row = from; row < to; row++) write(row)
        return to - from
      }
    },
  }
}

/** Writes UTF-8 text escaped for a JSON string, without the quotes. Returns the offset after it. */
function writeJsonText(out: Uint8Array, at: number, text: Uint8Array): number {
  let i = at
  for (const c of text) {
    if (c === 34 || c === 92) {
      out[i++] = 92
      out[i++] = c
    } else if (c < 32) {
      out[i++] = 92
      out[i++] = 117
      out[i++] = 48
      out[i++] = 48
      out[i++] = HEX[c >> 4]!
      out[i++] = HEX[c & 15]!
    } else out[i++] = c
  }
  return i
}
