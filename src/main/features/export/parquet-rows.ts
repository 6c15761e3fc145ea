/** Writes ticks as Parquet: the CSV columns with types, each time as epoch ms and as a UTC timestamp. */
import { fieldsOf } from '../../../service/tick-columns.ts'
import type { FeedId } from '../../../shared/base/units.ts'
import { createParquetTable, type ParquetColumn } from './parquet.ts'
import { LEFT_OUT_OF_TABLES, utf8Of, widen, type Span, type TickRows } from './rows.ts'
import type { ByteSink } from '../../base/file-sink.ts'

/** `event_ms` and `recv_ms` are integers. `event_time` and `recv_time` keep the microseconds. */
export function tickParquetColumns(feed: FeedId, raw: boolean): readonly ParquetColumn[] {
  return [
    { name: 'feed', is: 'text' },
    { name: 'symbol', is: 'text' },
    { name: 'event_ms', is: 'whole', optional: true },
    { name: 'event_time', is: 'time', optional: true },
    { name: 'recv_ms', is: 'whole', optional: false },
    { name: 'recv_time', is: 'time', optional: false },
    { name: 'seq', is: 'whole', optional: false },
    ...fieldsOf(feed).map((name) => ({ name, is: 'number', optional: true }) as const),
    ...(raw ? [{ name: 'raw', is: 'text' } as const] : []),
  ]
}

const FIRST_FIELD = 7
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Writes the columns of `tickParquetColumns` and extends `span` with each row's time. */
export function createParquetRows(file: ByteSink, feed: FeedId, raw: boolean, span: Span): TickRows {
  const fields = fieldsOf(feed)
  const table = createParquetTable(file, tickParquetColumns(feed, raw), { schema: 'tapedeck/ticks/1', zone: 'UTC' })
  return {
    end: () => table.end(),
    of(ticks) {
      const { eventMs, recvMs, seq, flags } = ticks
      const columns = fields.map((key) => ticks.column(key))
      return (from, to) => {
        let rows = 0
        for (let row = from; row < to; row++) {
          if ((flags[row] & LEFT_OUT_OF_TABLES) !== 0) continue
          const event = eventMs[row]
          const recv = recvMs[row]
          widen(span, event, recv)
          table.text(0, feed)
          table.text(1, ticks.symbol(row))
          table.number(2, event)
          table.number(3, event)
          table.number(4, recv)
          table.number(5, recv)
          table.number(6, seq[row])
          for (let i = 0; i < columns.length; i++) table.number(FIRST_FIELD + i, columns[i][row])
          if (raw) table.text(FIRST_FIELD + fields.length, decoder.decode(utf8Of(ticks.raw(row), flags[row])))
          table.row()
          rows++
        }
        return rows
      }
    },
  }
}
