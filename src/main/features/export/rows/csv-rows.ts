/** Ticks as rows of a CSV file. */
import { tickFields, type TickSchema } from '../../../../service/tick-columns.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import type { LiteralWriter } from '../../../core/store/types/ticks.ts'
import {
  createTimeWriter,
  textRoom,
  TIME_ROOM,
  writeMessage,
  writeMs,
  writeText,
  writeWhole,
  type TimeWriter,
} from './cells.ts'
import { createSymbolCells, timesOf, utf8Of, widen, type Span, type TickRows, type WriteRows } from './rows.ts'
import { CsvBatches, type RowStart } from './csv-batches.ts'
import type { ByteSink } from '../../../base/file-sink.ts'
import { STORED_ONLY } from '../../../../shared/core/recording/session.ts'

const encoder = new TextEncoder()

/** A row's first cells: feed, symbol and event time. */
interface Head {
  readonly start: RowStart
  readonly event: TimeWriter
}

/** Writes a column of times in ms. */
export const millisWriter = (times: Float64Array): LiteralWriter => ({
  maxBytes: 32,
  write: (row, out, at) => writeMs(out, at, times[row]),
  numbers: { values: times, forms: 0 },
})

/** Writes the columns of `tickColumns`, separated by `separatorText`, and extends `span` with each row's time. */
export function createCsvRows(
  file: ByteSink,
  feed: FeedId,
  { separator: separatorText, raw, schema }: { separator: string; raw: boolean; schema: TickSchema },
  span: Span,
): TickRows {
  const separator = separatorText.charCodeAt(0)
  const fields = tickFields(feed, schema)
  const isLong = schema === 2
  const recv: TimeWriter = createTimeWriter(separator, isLong)
  // Every row starts with feed, symbol and event time. Symbols alternate between rows, so each has its own writer.
  const headOf = createSymbolCells<Head>((symbol) => {
    const text = encoder.encode(symbol)
    const out = new Uint8Array(textRoom(text) + feed.length + 2)
    let at = encoder.encodeInto(feed, out).written
    out[at++] = separator
    at = writeText(out, at, text, separator, true)
    out[at++] = separator
    const event = createTimeWriter(separator, isLong)
    const bytes = out.subarray(0, at)
    event.lead(bytes)
    return { start: { bytes, number: 0, round: -1 }, event }
  })
  const batches = raw ? null : CsvBatches.create(fields.length, separator, isLong, (symbol) => headOf(symbol).start)
  return {
    end() {},
    of(ticks) {
      const { eventMs, recvMs, seq, flags } = ticks
      const writers: readonly LiteralWriter[] = fields.map(({ key, isTime }) =>
        isTime ? millisWriter(timesOf(ticks.column(key))) : ticks.writer(key),
      )
      const count = writers.length
      let most = 2 * TIME_ROOM + 24
      for (const writer of writers) most += writer.maxBytes + 1
      const writeEach: WriteRows = (from, to) => {
        file.room(64 * most)
        let out = file.bytes
        let view = new DataView(out.buffer)
        let at = file.at
        let rows = 0
        for (let row = from; row < to; row++) {
          if ((flags[row] & STORED_ONLY) !== 0) continue
          const head = headOf(ticks.symbol(row))
          const text = raw ? utf8Of(ticks.raw(row), flags[row]) : undefined
          const need = most + head.start.bytes.length + (text === undefined ? 0 : textRoom(text) + 1)
          if (at + need > out.length) {
            file.at = at
            file.room(need)
            out = file.bytes
            view = new DataView(out.buffer)
          }
          const eventAt = eventMs[row]
          const recvAt = recvMs[row]
          widen(span, eventAt, recvAt)
          at = head.event.write(out, view, at, eventAt)
          out[at++] = separator
          at = recv.write(out, view, at, recvAt)
          out[at++] = separator
          if (isLong) {
            at = writeMs(out, at, eventAt)
            out[at++] = separator
            at = writeMs(out, at, recvAt)
            out[at++] = separator
          }
          at = writeWhole(out, at, seq[row])
          for (let i = 0; i < count; i++) {
            out[at++] = separator
            at = writers[i].write(row, out, at)
          }
          if (text !== undefined) {
            out[at++] = separator
            at = writeMessage(out, at, text, separator)
          }
          out[at++] = 10
          rows++
        }
        file.at = at
        return rows
      }
      if (batches === null) return writeEach
      const numbers = writers.map((writer) => writer.numbers)
      return (from, to) => batches.write(file, ticks, numbers, [from, to], span, (row) => writeEach(row, row + 1))
    },
  }
}
