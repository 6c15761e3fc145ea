/**
 * The writer's background work as generators that yield often: seal part of the journal into blocks, merge small
 * blocks, write rollups, close a session.
 *
 * A yielded function is the part that writes. It runs inside a transaction, again if that fails, and the generator
 * continues only once it is durable. Deleting journal rows, inserting their blocks and moving the watermark are one
 * such function.
 */
import type { BarBuilder, BarState } from '../../../../shared/core/market/bars.ts'
import type { BarSource } from '../../../../shared/core/market/market.ts'
import { FLAG, MAX_ALIASES } from '../../../../shared/core/recording/recording.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import { encodeInSteps } from '../blocks/encode.ts'
import { openBlock } from '../blocks/open.ts'
import { Buckets, type Bucket } from './buckets.ts'
import { Classifier, HOUR } from '../format/classify.ts'
import { ColumnsBuilder, sliceColumns } from '../format/message-columns.ts'
import { Journal } from '../format/journal.ts'
import { tryRead } from '../types/corruption.ts'
import { packRuns, rowChecksum } from '../format/ledger.ts'
import type { MessageColumns } from '../types/messages.ts'
import {
  BLOCK_BYTES,
  BLOCK_ROWS,
  seriesKey,
  type BlockRef,
  type RecordingState,
  type Series,
} from './recording-state.ts'
import { encodeHour, mergeBar, readHour, type HourBars, type RollupRow } from '../format/rollup.ts'
import type { Db } from '../schema/sqlite.ts'

export type Work = Generator<(() => void) | undefined, void, void>

/** Journal bytes per sealing (a burst makes fuller blocks), and messages classified between two yields. */
const SEAL_BYTES = 8 << 20
const BURST_BYTES = 16 << 20
const PLACE_ROWS = 256
const CHAIN_PART_BYTES = 1024
const ROLL_EVERY_MS = 15_000
const MAX_ROLL_DELAY_MS = 120_000
const SERIES_PER_STEP = 16

/** A block ready to be written. */
export interface SealedBlock {
  readonly data: Uint8Array
  readonly minSeq: number
  readonly maxSeq: number
  readonly minMs: number
  readonly maxMs: number
  readonly count: number
  readonly control: number
  readonly undecodable: number
  readonly unasked: number
}

export class Sealer {
  readonly #nowMs: () => number
  readonly #classifier = new Classifier()
  readonly #journal: Journal
  readonly #sql

  constructor(db: Db, nowMs: () => number) {
    this.#nowMs = nowMs
    this.#journal = new Journal(db)
    this.#sql = {
      markCorrupt: db.prepare<[number]>('UPDATE journal SET torn = 1 WHERE id = ?'),
      drop: db.prepare<[number]>('DELETE FROM journal WHERE id = ?'),
      series: db.prepare<[number, string, string, string]>(
        'INSERT INTO series (recording, feed, instrument, symbols, rolled_seq) VALUES (?, ?, ?, ?, 0)',
      ),
      symbols: db.prepare<[string, number]>('UPDATE series SET symbols = ? WHERE id = ?'),
      rolled: db.prepare<[number, number]>('UPDATE series SET rolled_seq = ? WHERE id = ?'),
      block: db.prepare<
        [number, number, number, number, number, number, number, number, number, number, Uint8Array, Uint8Array]
      >(
        `INSERT INTO block (series, min_seq, max_seq, min_ms, max_ms, count, control, undecodable, unasked, size, sum, data)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      blockData: db.prepare<[number], Buffer>('SELECT data FROM block WHERE id = ?').pluck(),
      dropBlock: db.prepare<[number]>('DELETE FROM block WHERE id = ?'),
      sealed: db.prepare<[number, number]>('UPDATE recording SET sealed_seq = ? WHERE id = ?'),
      chain: db.prepare<[number, number, number, Uint8Array, Uint8Array]>(
        'INSERT OR REPLACE INTO chain (recording, conn, part, flushes, head) VALUES (?, ?, ?, ?, ?)',
      ),
      hour: db.prepare<[number, number], RollupRow>(
        'SELECT hour_ms, sum, data FROM rollup WHERE series = ? AND hour_ms = ?',
      ),
      putHour: db.prepare<[number, number, Uint8Array, Uint8Array]>(
        `INSERT INTO rollup (series, hour_ms, sum, data) VALUES (?, ?, ?, ?)
         ON CONFLICT (series, hour_ms) DO UPDATE SET sum = excluded.sum, data = excluded.data`,
      ),
    }
  }

  /** Seals the oldest part of a session's journal. Returns whether there was any. */
  *seal(rec: RecordingState): Generator<(() => void) | undefined, boolean, void> {
    const taken: number[] = []
    const corrupt: number[] = []
    const heads = new Map<number, { head: Uint8Array; sizes: number[] }>()
    const buckets = new Buckets(rec, this.#classifier)
    let bytes = 0
    let upTo = rec.sealedSeq
    const most = rec.journalBytes > BURST_BYTES ? BURST_BYTES : SEAL_BYTES
    while (bytes < most) {
      const flush = this.#journal.next(rec.id, upTo + 1)
      if (flush === undefined || flush.firstSeq > rec.lastSeq) break
      bytes += flush.data.length
      const blob = flush.read()
      if (blob === null) {
        corrupt.push(flush.id)
        // Its last seq may be corrupt, too.
        const next = this.#journal.next(rec.id, flush.firstSeq + 1)
        upTo = next === undefined ? Math.min(flush.lastSeq, rec.lastSeq) : next.firstSeq - 1
        continue
      }
      upTo = flush.lastSeq
      taken.push(flush.id)
      for (const leaf of blob.leaves) {
        const known = heads.get(leaf.conn)
        if (known === undefined) heads.set(leaf.conn, { head: leaf.head, sizes: [leaf.count] })
        else {
          known.head = leaf.head
          known.sizes.push(leaf.count)
        }
      }
      for (let i = 0; i < blob.messages.count; i++) {
        if (i % PLACE_ROWS === 0) yield
        buckets.add(blob.messages, i)
      }
    }
    if (upTo === rec.sealedSeq) return false
    const sealed: { bucket: Bucket; blocks: SealedBlock[] }[] = []
    for (const bucket of buckets.all()) {
      const blocks: SealedBlock[] = []
      for (const part of splitForBlocks(bucket.rows.build())) {
        blocks.push(yield* sealBlock(bucket.feed, part.rows, bucket.eventMs.slice(part.from, part.to)))
        yield
      }
      sealed.push({ bucket, blocks })
    }
    const chains = [...heads].map(([conn, { head, sizes }]) => ({ conn, head, ...this.#extend(rec, conn, sizes) }))
    const written: { series: Series; ids: { id: number; count: number }[] }[] = []
    yield () => {
      written.length = 0
      for (const { bucket, blocks } of sealed) {
        const series = this.#writeSeries(rec, bucket)
        written.push({
          series,
          ids: blocks.map((block) => ({ id: this.writeBlock(series.id, block), count: block.count })),
        })
      }
      for (const { conn, head, part, runs } of chains) this.#sql.chain.run(rec.id, conn, part, packRuns(runs), head)
      for (const id of corrupt) this.#sql.markCorrupt.run(id)
      for (const id of taken) this.#sql.drop.run(id)
      this.#sql.sealed.run(upTo, rec.id)
    }
    rec.sealedSeq = upTo
    rec.journalBytes = upTo >= rec.lastSeq ? 0 : Math.max(1, rec.journalBytes - bytes)
    for (const { conn, part, runs } of chains) Object.assign(rec.chains.get(conn)!, { part, runs })
    for (const [i, { series, ids }] of written.entries()) {
      rec.series.set(seriesKey(series.feed, series.name), series)
      const { minutes, symbols } = sealed[i].bucket
      for (const symbol of freshSymbols(series.symbols, symbols)) series.symbols.add(symbol)
      for (const [of, builder] of minutes) {
        const known = series.minutes.get(of)
        if (known === undefined) series.minutes.set(of, builder)
        else mergeMinutes(known, of, builder.states())
      }
      for (const ref of ids) {
        if (ref.count >= BLOCK_ROWS) series.tail = []
        else series.tail.push(ref)
      }
    }
    return true
  }

  /** Merges small adjacent blocks: four of similar size, or all of them with `all`. */
  *merge(rec: RecordingState, all: boolean): Work {
    for (const series of rec.series.values()) {
      for (;;) {
        const refs = all ? (series.tail.length > 1 ? series.tail.slice() : []) : findMergeable(series.tail)
        if (refs.length === 0) break
        const rows = new ColumnsBuilder(BLOCK_ROWS)
        const eventMs: number[] = []
        let corruptRef: BlockRef | null = null
        for (const ref of refs) {
          const data = this.#sql.blockData.get(ref.id)
          if (data === undefined) throw new TypeError(`block ${ref.id} is gone`)
          const add = (): void => {
            const block = openBlock(data)
            rows.add(block.messages(), 0, block.count)
            for (const ms of block.eventMs) eventMs.push(ms)
          }
          if (!tryRead(add)) {
            corruptRef = ref
            break
          }
          yield
        }
        if (corruptRef !== null) {
          // The corrupt block stays as it is. Recording continues, and the blocks after it are merged.
          series.tail = series.tail.slice(series.tail.indexOf(corruptRef) + 1)
          continue
        }
        const blocks: SealedBlock[] = []
        for (const part of splitForBlocks(rows.build())) {
          blocks.push(yield* sealBlock(series.feed, part.rows, eventMs.slice(part.from, part.to)))
          yield
        }
        let ids: { id: number; count: number }[] = []
        yield () => {
          for (const { id } of refs) this.#sql.dropBlock.run(id)
          ids = blocks.map((block) => ({ id: this.writeBlock(series.id, block), count: block.count }))
        }
        const unmerged = series.tail.slice(0, series.tail.length - refs.length)
        const lastFull = ids.findLastIndex((ref) => ref.count >= BLOCK_ROWS)
        series.tail = lastFull < 0 ? [...unmerged, ...ids] : ids.slice(lastFull + 1)
        // Blocks of large messages are full with fewer rows. Without this check the merge would never end.
        if (ids.length >= refs.length) series.tail = series.tail.slice(-1)
        if (all) break
      }
    }
  }

  /** Writes finished minutes into rollup rows; all minutes with `all`. */
  *writeRollups(rec: RecordingState, nowMs: number, all: boolean): Work {
    const due = [...rec.series.values()].filter((series) => {
      if (series.hasLostRollups) return false
      const bars = Math.max(0, ...[...series.minutes.values()].map((b) => b.size))
      if (bars === 0) return false
      const age = nowMs - series.rolledAtMs
      return all || (bars > 1 && age >= ROLL_EVERY_MS) || age >= MAX_ROLL_DELAY_MS
    })
    for (let i = 0; i < due.length; i += SERIES_PER_STEP) {
      const step = due.slice(i, i + SERIES_PER_STEP)
      const upTo = rec.sealedSeq
      yield () => {
        for (const series of step) this.#writeMinutes(series, upTo)
      }
      for (const series of step) {
        series.minutes = new Map()
        series.rolledAtMs = nowMs
      }
    }
  }

  #writeMinutes(series: Series, upTo: number): void {
    /** Null if the stored hour is corrupt. It stays so; a reader rebuilds the hour from its messages. */
    const hours = new Map<number, HourBars | null>()
    for (const [of, builder] of series.minutes) {
      for (const bar of builder.states()) {
        const hourMs = Math.floor(bar.startMs / HOUR) * HOUR
        let hour = hours.get(hourMs)
        if (hour === undefined) hours.set(hourMs, (hour = this.#hourSoFar(series.id, hourMs)))
        if (hour !== null) mergeBar(hour, of, bar)
      }
    }
    for (const [hourMs, hour] of hours) {
      if (hour === null) continue
      const data = encodeHour(hourMs, hour)
      this.#sql.putHour.run(series.id, hourMs, rowChecksum([hourMs], data), data)
    }
    this.#sql.rolled.run(upTo, series.id)
  }

  #hourSoFar(series: number, hourMs: number): HourBars | null {
    const row = this.#sql.hour.get(series, hourMs)
    let hour: HourBars | null = new Map()
    if (row !== undefined && !tryRead(() => (hour = readHour(row)))) hour = null
    return hour
  }

  #writeSeries(rec: RecordingState, bucket: Bucket): Series {
    const known = rec.series.get(seriesKey(bucket.feed, bucket.name))
    if (known !== undefined) {
      const fresh = freshSymbols(known.symbols, bucket.symbols)
      if (fresh.length > 0) this.#sql.symbols.run(encodeSymbols([...known.symbols, ...fresh]), known.id)
      return known
    }
    const { feed, name, symbols } = bucket
    const id = Number(this.#sql.series.run(rec.id, feed, name, encodeSymbols([...symbols])).lastInsertRowid)
    const rolledAtMs = this.#nowMs()
    return { id, feed, name, symbols: new Set(), tail: [], minutes: new Map(), rolledAtMs, hasLostRollups: false }
  }

  /** Inserts a block row within the caller's transaction. Returns its id. */
  writeBlock(series: number, b: SealedBlock): number {
    const numbers = blockChecksumFields(b)
    const row = this.#sql.block.run(
      series, b.minSeq, b.maxSeq, b.minMs, b.maxMs, b.count, b.control, b.undecodable, b.unasked, b.data.length,
      rowChecksum([series, ...numbers], b.data), b.data,
    ) // prettier-ignore
    return Number(row.lastInsertRowid)
  }

  /** Returns the chain row of a connection with more flushes added. */
  #extend(rec: RecordingState, conn: number, sizes: readonly number[]): { part: number; runs: [number, number][] } {
    const chain = rec.chains.get(conn)
    if (chain === undefined) throw new TypeError(`connection ${conn} was never announced`)
    const full = packRuns(chain.runs).length >= CHAIN_PART_BYTES
    const runs: [number, number][] = full ? [] : chain.runs.map(([size, n]) => [size, n])
    for (const size of sizes) {
      const last = runs.at(-1)
      if (last !== undefined && last[0] === size) last[1]++
      else runs.push([size, 1])
    }
    return { part: full ? chain.part + 1 : chain.part, runs }
  }
}

/** The symbols of a bucket, in order, that a series doesn't list yet. */
function freshSymbols(known: ReadonlySet<string>, symbols: ReadonlySet<string>): string[] {
  return [...symbols].filter((symbol) => !known.has(symbol)).slice(0, Math.max(0, MAX_ALIASES - known.size))
}

/** Encodes symbols for a series row. */
export const encodeSymbols = (symbols: readonly string[]): string => JSON.stringify([...symbols].sort())

/** The numbers of a block row that its checksum covers, after the series. */
export const blockChecksumFields = (b: Omit<SealedBlock, 'data'>): number[] => [
  b.minSeq,
  b.maxSeq,
  b.minMs,
  b.maxMs,
  b.count,
  b.control,
  b.undecodable,
  b.unasked,
]

/** Index values of a block. Rows without an event time (NaN) count by receive time. */
export function summarizeBlock(m: MessageColumns, eventMs: ArrayLike<number>): Omit<SealedBlock, 'data'> {
  let minMs = Infinity
  let maxMs = -Infinity
  let control = 0
  let undecodable = 0
  let unasked = 0
  for (let i = 0; i < m.count; i++) {
    const ms = Number.isNaN(eventMs[i]) ? m.recvMs[i] : eventMs[i]
    if (ms < minMs) minMs = ms
    if (ms > maxMs) maxMs = ms
    const flags = m.flags[i]
    if ((flags & FLAG.control) !== 0) control++
    else if ((flags & FLAG.undecodable) !== 0) undecodable++
    if ((flags & FLAG.unasked) !== 0) unasked++
  }
  return {
    minSeq: m.seq[0] ?? 0,
    maxSeq: m.seq[m.count - 1] ?? 0,
    minMs,
    maxMs,
    count: m.count,
    control,
    undecodable,
    unasked,
  }
}

/** Seals rows of one series into blocks. */
export function* sealBlock(
  feed: FeedId,
  m: MessageColumns,
  eventMs: readonly number[],
): Generator<undefined, SealedBlock, void> {
  const data = yield* encodeInSteps(feed, m, { eventMs: Float64Array.from(eventMs) })
  return { ...summarizeBlock(m, eventMs), data }
}

/** Splits a run into what single blocks can hold. */
export function* splitForBlocks(m: MessageColumns): Generator<{ rows: MessageColumns; from: number; to: number }> {
  let from = 0
  while (from < m.count) {
    let to = Math.min(m.count, from + BLOCK_ROWS)
    while (to > from + 1 && m.offsets[to] - m.offsets[from] > BLOCK_BYTES) to = from + ((to - from) >> 1)
    yield { rows: sliceColumns(m, from, to), from, to }
    from = to
  }
}

/** The trailing blocks worth merging now: four or more of similar size, or enough for a full block. */
function findMergeable(
  tail: readonly { readonly id: number; readonly count: number }[],
): { readonly id: number; readonly count: number }[] {
  let total = 0
  for (const ref of tail) total += ref.count
  if (tail.length > 1 && total >= BLOCK_ROWS) return tail.slice()
  const level = (count: number): number => Math.floor(Math.log2(Math.max(16, count)) / 2)
  const last = tail.at(-1)
  if (last === undefined) return []
  let most = level(last.count)
  let from = tail.length
  let best: { readonly id: number; readonly count: number }[] = []
  // from the newest block back: merge where four or more blocks of at most this level end the tail
  while (from > 0) {
    const here = level(tail[from - 1].count)
    if (here > most) most = here
    from--
    const same = tail.slice(from).filter((ref) => level(ref.count) === most).length
    if (same >= 4) best = tail.slice(from)
  }
  return best
}

function mergeMinutes(into: BarBuilder, of: BarSource, states: readonly BarState[]): void {
  for (const state of states) {
    if (of === 'service') {
      const { startMs, endMs, lastSeq, open, high, low, close, volume } = state
      into.replace(startMs, endMs, lastSeq, open, high, low, close, volume)
    } else into.merge(state)
  }
}
