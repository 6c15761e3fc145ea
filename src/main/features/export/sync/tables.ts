/** Writes the Parquet files of a dataset: messages of a partition, and gaps of a session. */
import { dirname } from 'node:path'
import { makeFolder } from '../../../base/make-folder.ts'
import { tickFields } from '../../../../service/tick-columns.ts'
import type { FeedId, SessionId } from '../../../../shared/base/units.ts'
import type { Gap } from '../../../../shared/core/recording/session.ts'
import { createSafeFile, type SafeFile } from '../../../base/file-sink.ts'
import type { TickColumns } from '../../../core/store/types/ticks.ts'
import { createParquetTable } from '../tables/parquet.ts'
import { LEFT_OUT_OF_TABLES, timesOf } from '../rows.ts'
import { tickTableColumns } from '../tables/table-rows.ts'
import type { TableColumn, TypedTable } from '../tables/table.ts'
import { DATASET_SCHEMA } from './layout.ts'

/** Columns of a partition's files: those of `tapedeck/ticks/2`, except the ones in its path, and the session. */
export const tickColumnsOf = (feed: FeedId): readonly TableColumn[] => [
  ...tickTableColumns(feed, false, 2).filter(({ name }) => name !== 'feed' && name !== 'symbol'),
  { name: 'session', is: 'text' },
]

const GAP_COLUMNS: readonly TableColumn[] = [
  { name: 'session', is: 'text' },
  { name: 'feed', is: 'text' },
  { name: 'symbol', is: 'text' },
  { name: 'cause', is: 'text' },
  { name: 'from_time', is: 'time', optional: false },
  { name: 'to_time', is: 'time', optional: true },
  { name: 'from_ms', is: 'number', optional: false },
  { name: 'to_ms', is: 'number', optional: true },
  { name: 'from_seq', is: 'whole', optional: false },
  { name: 'to_seq', is: 'whole', optional: true },
]

export interface Written {
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/** Writes a table that appears under its name when it is complete. Without rows, nothing is written. */
async function writeTable(
  path: string,
  columns: readonly TableColumn[],
  fill: (table: TypedTable, file: SafeFile) => Promise<number>,
): Promise<Written> {
  makeFolder(dirname(path))
  const file = await createSafeFile(path)
  try {
    const table = createParquetTable(file, columns, { schema: DATASET_SCHEMA, zone: 'UTC' })
    const rows = await fill(table, file)
    table.end()
    const sha256 = await file.finish()
    if (rows > 0) await file.commit()
    return { rows, bytes: file.written, sha256 }
  } finally {
    await file.discard()
  }
}

/** Whether a row belongs to the file. */
export type RowFilter = (ticks: TickColumns, row: number) => boolean

/** Writes the market data of a run of ticks that passes the filter. `seen` gets each row's seq. */
export function writeTicks(
  path: string,
  feed: FeedId,
  runs: AsyncIterable<TickColumns>,
  isIn: RowFilter,
  seen: (seq: number) => void,
): Promise<Written> {
  const fields = tickFields(feed, 2)
  return writeTable(path, tickColumnsOf(feed), async (table, file) => {
    let rows = 0
    for await (const ticks of runs) {
      const { eventMs, recvMs, seq, flags, session } = ticks
      const columns = fields.map(({ key, isTime }) => (isTime ? timesOf(ticks.column(key)) : ticks.column(key)))
      for (let row = 0; row < ticks.count; row++) {
        if ((flags[row] & LEFT_OUT_OF_TABLES) !== 0 || !isIn(ticks, row)) continue
        table.number(0, eventMs[row])
        table.number(1, recvMs[row])
        table.number(2, eventMs[row])
        table.number(3, recvMs[row])
        table.number(4, seq[row])
        for (let i = 0; i < columns.length; i++) table.number(5 + i, columns[i][row])
        table.text(5 + columns.length, session)
        table.row()
        seen(seq[row])
        rows++
      }
      await file.drain()
    }
    return rows
  })
}

/** Writes a row for each gap and symbol; a gap of an entire feed has the symbol ''. */
export function writeGaps(path: string, session: SessionId, gaps: readonly Gap[]): Promise<Written> {
  return writeTable(path, GAP_COLUMNS, (table) => {
    let rows = 0
    for (const { feed, symbols, cause, fromMs, toMs, fromSeq, toSeq } of gaps) {
      for (const symbol of symbols.length === 0 ? [''] : symbols) {
        const texts = [session, feed, symbol, cause]
        for (const [at, text] of texts.entries()) table.text(at, text)
        const numbers = [fromMs, toMs ?? NaN, fromMs, toMs ?? NaN, fromSeq, toSeq ?? NaN]
        for (const [at, number] of numbers.entries()) table.number(texts.length + at, number)
        table.row()
        rows++
      }
    }
    return Promise.resolve(rows)
  })
}
