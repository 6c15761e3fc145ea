/** Writes the Parquet files of a dataset: messages of a partition, and gaps of a session. */
import { dirname } from 'node:path'
import { makeExportFolder } from '../../../base/private-files.ts'
import { tickFields } from '../../../../service/tick-columns.ts'
import type { FeedId, SessionId } from '../../../../shared/base/units.ts'
import type { Gap } from '../../../../shared/core/recording/session.ts'
import { createSafeFile } from '../../../base/file-sink.ts'
import type { TickColumns } from '../../../core/store/types/ticks.ts'
import { createParquetTable, type ParquetTable } from '../tables/parquet.ts'
import { timesOf } from '../rows/rows.ts'
import { tickTableColumns } from '../tables/table-rows.ts'
import type { TableColumn } from '../tables/table.ts'
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

/** A file being written. It appears under its name when it is complete, and not at all without rows. */
interface OpenFile {
  readonly table: ParquetTable
  drain(): Promise<void>
  finish(rows: number): Promise<Written>
  discard(): Promise<void>
}

async function openFile(path: string, columns: readonly TableColumn[]): Promise<OpenFile> {
  makeExportFolder(dirname(path))
  const file = await createSafeFile(path, { replacesLinks: true })
  const table = createParquetTable(file, columns, { schema: DATASET_SCHEMA, zone: 'UTC' })
  return {
    table,
    drain: () => file.drain(),
    async finish(rows) {
      table.end()
      const sha256 = await file.finish()
      if (rows > 0) await file.commit()
      return { rows, bytes: file.written, sha256 }
    },
    discard: () => file.discard(),
  }
}

/** Market data of a partition. */
export interface TicksFile extends Pick<OpenFile, 'drain' | 'discard'> {
  /** Adds rows [from, to) of a run, whose values are in `columns` of `tickValues`. */
  add(ticks: TickColumns, columns: readonly Float64Array[], from: number, to: number): void
  /** Completes the file. `from_seq` to `to_seq`: the seqs that it has. */
  finish(): Promise<Written & { readonly from_seq: number; readonly to_seq: number }>
}

/** The values of a run's messages, in the order of the feed's columns. */
export const tickValues = (feed: FeedId, ticks: TickColumns): readonly Float64Array[] =>
  tickFields(feed, 2).map(({ key, isTime }) => (isTime ? timesOf(ticks.column(key)) : ticks.column(key)))

export async function openTicksFile(path: string, feed: FeedId): Promise<TicksFile> {
  const file = await openFile(path, tickColumnsOf(feed))
  const { table } = file
  let [rows, first, last] = [0, 0, 0]
  return {
    drain: () => file.drain(),
    discard: () => file.discard(),
    add({ eventMs, recvMs, seq, session }, columns, from, to) {
      const cells = [eventMs, recvMs, eventMs, recvMs, seq, ...columns].map((column) => column.subarray(from, to))
      table.rows(to - from, [...cells, session])
      if (rows === 0) first = seq[from]
      rows += to - from
      last = seq[to - 1]
    },
    finish: async () => ({ ...(await file.finish(rows)), from_seq: first, to_seq: last }),
  }
}

/** Writes a row for each gap and symbol; a gap of an entire feed has the symbol ''. */
export async function writeGaps(path: string, session: SessionId, gaps: readonly Gap[]): Promise<Written> {
  const file = await openFile(path, GAP_COLUMNS)
  const { table } = file
  try {
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
    return await file.finish(rows)
  } finally {
    await file.discard()
  }
}
