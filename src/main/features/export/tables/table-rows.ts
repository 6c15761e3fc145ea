/** Writes ticks as Parquet or Arrow: the CSV columns with types, each time as epoch ms and as a UTC timestamp. */
import { tickFields, type TickSchema } from '../../../../service/tick-columns.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import { timesOf, utf8Of, widen, type Span, type TickRows } from '../rows/rows.ts'
import type { BeginTable, TableColumn } from './table.ts'
import type { ByteSink } from '../../../base/file-sink.ts'
import { STORED_ONLY } from '../../../../shared/core/recording/session.ts'

/** `event_ms` and `recv_ms` are integers. `event_time` and `recv_time` keep the microseconds. */
export function tickTableColumns(feed: FeedId, raw: boolean, schema: TickSchema): readonly TableColumn[] {
  return [
    { name: 'feed', is: 'text' },
    { name: 'symbol', is: 'text' },
    ...TIMES[schema],
    { name: 'seq', is: 'whole', optional: false },
    ...tickFields(feed, schema).map(
      ({ name, isTime }) => ({ name, is: isTime ? 'whole' : 'number', optional: true }) as const,
    ),
    ...(raw ? [{ name: 'raw', is: 'text' } as const] : []),
  ]
}

const EVENT_MS = { name: 'event_ms', is: 'whole', optional: true } as const
const EVENT_TIME = { name: 'event_time', is: 'time', optional: true } as const
const RECV_MS = { name: 'recv_ms', is: 'whole', optional: false } as const
const RECV_TIME = { name: 'recv_time', is: 'time', optional: false } as const
const TIMES = { 1: [EVENT_MS, EVENT_TIME, RECV_MS, RECV_TIME], 2: [EVENT_TIME, RECV_TIME, EVENT_MS, RECV_MS] } as const

const FIRST_TIME = 2
const FIRST_FIELD = 7
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Writes the columns of `tickTableColumns` and extends `span` with each row's time. */
export function createTableRows(
  begin: BeginTable,
  file: ByteSink,
  feed: FeedId,
  { raw, schema }: { raw: boolean; schema: TickSchema },
  span: Span,
): TickRows {
  const fields = tickFields(feed, schema)
  const notes = { schema: `tapedeck/ticks/${schema}`, zone: 'UTC' }
  const table = begin(file, tickTableColumns(feed, raw, schema), notes)
  const isEvent = TIMES[schema].map((column) => column === EVENT_MS || column === EVENT_TIME)
  return {
    end: () => table.end(),
    of(ticks) {
      const { eventMs, recvMs, seq, flags } = ticks
      const columns = fields.map(({ key, isTime }) => {
        const column = ticks.column(key)
        return isTime ? timesOf(column) : column
      })
      return (from, to) => {
        let rows = 0
        for (let row = from; row < to; row++) {
          if ((flags[row] & STORED_ONLY) !== 0) continue
          const event = eventMs[row]
          const recv = recvMs[row]
          widen(span, event, recv)
          table.text(0, feed)
          table.text(1, ticks.symbol(row))
          for (let i = 0; i < 4; i++) table.number(FIRST_TIME + i, isEvent[i] ? event : recv)
          table.number(FIRST_FIELD - 1, seq[row])
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
