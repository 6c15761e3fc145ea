/** Divides ticks by symbol and UTC day into the files of a dataset. */
import { DAY_MS } from '../../../../shared/base/durations.ts'
import { STORED_ONLY } from '../../../../shared/core/recording/session.ts'
import type { TickColumns } from '../../../core/store/types/ticks.ts'
import { tickValues, type TicksFile } from './tables.ts'

/** How many files of an instrument are open at once, and how many are being synced to the disk meanwhile. */
export const MAX_OPEN = 4

interface Partitioning {
  /** Messages received before this aren't written, UTC ms. */
  readonly notBeforeMs: number
  /** Throws once the run was canceled. */
  readonly stop: () => void
  readonly open: (symbol: string, date: string) => Promise<TicksFile>
}

export interface FilledFile {
  readonly file: TicksFile
  readonly symbol: string
  readonly date: string
}

/** Divides ticks by symbol and UTC day. At most `MAX_OPEN` files at once; for more, the ticks are read again. */
export async function* partitionTicks(
  read: () => AsyncIterable<TickColumns>,
  { notBeforeMs, stop, open }: Partitioning,
): AsyncGenerator<FilledFile> {
  const done = new Set<string>()
  for (;;) {
    const files = new Map<string, FilledFile>()
    let hasMore = false
    try {
      for await (const run of read()) {
        stop()
        const columns = tickValues(run.feed, run)
        for (const { day, symbol, from, to } of pieces(run, notBeforeMs)) {
          const key = `${day} ${symbol}`
          let into = files.get(key)
          if (into === undefined) {
            if (done.has(key)) continue
            hasMore ||= files.size >= MAX_OPEN
            if (files.size >= MAX_OPEN) continue
            const date = new Date(day * DAY_MS).toISOString().slice(0, 10)
            files.set(key, (into = { file: await open(symbol, date), symbol, date }))
          }
          into.file.add(run, columns, from, to)
        }
        for (const { file } of files.values()) await file.drain()
      }
      for (const [key, filled] of files) {
        stop()
        done.add(key)
        files.delete(key)
        yield filled
      }
    } finally {
      for (const { file } of files.values()) await file.discard()
    }
    if (!hasMore) return
  }
}

interface Piece {
  /** Days since 1970. */
  readonly day: number
  readonly symbol: string
  readonly from: number
  readonly to: number
}

/** The rows of a run that are written, in pieces [from, to) of one symbol and day. */
function* pieces(run: TickColumns, notBeforeMs: number): Generator<Piece> {
  const { count, eventMs, recvMs, flags } = run
  const isLeftOut = (row: number): boolean => (flags[row] & STORED_ONLY) !== 0 || recvMs[row] < notBeforeMs
  const timeOf = (row: number): number => (Number.isNaN(eventMs[row]) ? recvMs[row] : eventMs[row])
  for (let from = 0; from < count;) {
    if (isLeftOut(from)) {
      from++
      continue
    }
    const day = Math.floor(timeOf(from) / DAY_MS)
    const symbol = run.symbol(from)
    let to = from + 1
    for (; to < count && !isLeftOut(to); to++) {
      const ms = timeOf(to)
      if (ms < day * DAY_MS || ms >= (day + 1) * DAY_MS || run.symbol(to) !== symbol) break
    }
    yield { day, symbol, from, to }
    from = to
  }
}
