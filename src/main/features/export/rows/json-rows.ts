/** Writes ticks as JSON Lines: decoded rows, or every message in the range as it arrived. */
import { isUtf8 } from 'node:buffer'
import { tickFields } from '../../../../service/tick-columns.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import { createTimeWriter, TIME_ROOM, writeMs, writeWhole } from './cells.ts'
import { millisWriter } from './csv-rows.ts'
import { createSymbolCells, timesOf, UNSURE, widen, type Span, type TickRows } from './rows.ts'
import type { ByteSink } from '../../../base/file-sink.ts'
import { STORED_ONLY } from '../../../../shared/core/recording/session.ts'

const encoder = new TextEncoder()
const HEX = encoder.encode('0123456789abcdef')

const COMMA = 44
const NULL = encoder.encode('null')

/** Writes the columns of schema 2 as one object per line, with the service's own digits; absent values are null. */
export function createDecodedRows(file: ByteSink, feed: FeedId, span: Span): TickRows {
  const headOf = createSymbolCells((symbol) =>
    encoder.encode(`{"feed":${JSON.stringify(feed)},"symbol":${JSON.stringify(symbol)},"event_time":`),
  )
  const fields = tickFields(feed, 2).map((field) => ({ ...field, label: encoder.encode(`,"${field.name}":`) }))
  const [recvTime, eventMs, recvMs, seqKey] = ['recv_time', 'event_ms', 'recv_ms', 'seq'].map((name) =>
    encoder.encode(`,"${name}":`),
  )
  const labels = fields.reduce((sum, { label }) => sum + label.length, 0)
  const time = createTimeWriter(COMMA, true)
  const other = createTimeWriter(COMMA, true)
  return {
    end() {},
    of(ticks) {
      const writers = fields.map(({ key, isTime }) => {
        return isTime ? millisWriter(timesOf(ticks.column(key))) : ticks.writer(key)
      })
      const most = 4 * TIME_ROOM + 128 + labels + writers.reduce((sum, { maxBytes }) => sum + maxBytes + 4, 0)
      const write = (row: number): void => {
        const head = headOf(ticks.symbol(row))
        file.room(head.length + most)
        const out = file.bytes
        const view = new DataView(out.buffer)
        const event = ticks.eventMs[row]
        const recv = ticks.recvMs[row]
        widen(span, event, recv)
        out.set(head, file.at)
        let at = writeQuoted(out, file.at + head.length, (to) => time.write(out, view, to, event))
        out.set(recvTime, at)
        at = writeQuoted(out, at + recvTime.length, (to) => other.write(out, view, to, recv))
        out.set(eventMs, at)
        at = writeOrNull(out, at + eventMs.length, (to) => writeMs(out, to, event))
        out.set(recvMs, at)
        at = writeOrNull(out, at + recvMs.length, (to) => writeMs(out, to, recv))
        out.set(seqKey, at)
        at = writeWhole(out, at + seqKey.length, ticks.seq[row])
        for (let i = 0; i < writers.length; i++) {
          out.set(fields[i].label, at)
          const from = at + fields[i].label.length
          at = writeOrNull(out, from, (to) => writers[i].write(row, out, to))
          if (!isJsonNumber(out, from, at)) at = writeRounded(out, from, at)
        }
        out[at++] = 125
        out[at++] = 10
        file.at = at
      }
      return (from, to) => {
        let rows = 0
        for (let row = from; row < to; row++) {
          if ((ticks.flags[row] & STORED_ONLY) !== 0) continue
          write(row)
          rows++
        }
        return rows
      }
    },
  }
}

function writeOrNull(out: Uint8Array, at: number, write: (at: number) => number): number {
  const end = write(at)
  if (end > at) return end
  out.set(NULL, at)
  return at + NULL.length
}

function writeQuoted(out: Uint8Array, at: number, write: (at: number) => number): number {
  out[at] = 34
  const end = write(at + 1)
  if (end === at + 1) return writeOrNull(out, at, (to) => to)
  out[end] = 34
  return end + 1
}

/** JSON has no leading zeros and no leading plus sign; a number sent as text may. */
function isJsonNumber(out: Uint8Array, from: number, end: number): boolean {
  const digits = out[from] === 45 ? from + 1 : from
  const first = out[digits]
  return (
    first === NULL[0] ||
    (first >= 49 && first <= 57) ||
    (first === 48 && !(digits + 1 < end && out[digits + 1] >= 48 && out[digits + 1] <= 57))
  )
}

function writeRounded(out: Uint8Array, from: number, end: number): number {
  const value = Number(new TextDecoder().decode(out.subarray(from, end)))
  return from + encoder.encodeInto(Number.isFinite(value) ? String(value) : 'null', out.subarray(from)).written
}

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
