/**
 * Seals parts of the journal into blocks and merges small blocks. Deleting journal rows, inserting their blocks and
 * moving the watermark are one write.
 */
import { MAX_ALIASES } from '../../../../shared/core/recording/session.ts'
import { openBlock } from '../blocks/open.ts'
import { Buckets, type Bucket } from './buckets.ts'
import { Classifier } from '../format/classify.ts'
import { ColumnsBuilder } from '../format/message-columns.ts'
import type { SeqRange } from '../format/corrupt-flushes.ts'
import { Journal } from '../format/journal.ts'
import { tryRead } from '../types/corruption.ts'
import { packRuns, rowChecksum } from '../format/ledger.ts'
import { BLOCK_ROWS, seriesKey, type OpenSession, type Series } from './open-session.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import type { Db } from '../schema/sqlite.ts'
import type { Work } from './background-work.ts'
import { mergeMinutes } from './rollup-writer.ts'
import { blockChecksumFields, sealRows, type SealedBlock } from './sealed-block.ts'

/** Journal bytes per sealing (a burst makes fuller blocks), and messages classified between two yields. */
const SEAL_BYTES = 8 << 20
const BURST_BYTES = 16 << 20
const PLACE_ROWS = 256
const CHAIN_PART_BYTES = 1024

export class Sealer {
  readonly #nowMs: () => number
  readonly #classifier = new Classifier()
  readonly #journal: Journal
  readonly #sql

  constructor(db: Db, nowMs: () => number) {
    this.#nowMs = nowMs
    this.#journal = new Journal(db)
    this.#sql = {
      markMissing: db.prepare<[number, number, number]>(
        'INSERT INTO journal (recording, first_seq, last_seq, torn, crc, data) VALUES (?, ?, ?, 1, 0, zeroblob(0))',
      ),
      markCorrupt: db.prepare<[number]>('UPDATE journal SET torn = 1 WHERE id = ?'),
      drop: db.prepare<[number]>('DELETE FROM journal WHERE id = ?'),
      series: db.prepare<[number, string, string, string]>(
        'INSERT INTO series (recording, feed, instrument, symbols, rolled_seq) VALUES (?, ?, ?, ?, 0)',
      ),
      symbols: db.prepare<[string, number]>('UPDATE series SET symbols = ? WHERE id = ?'),
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
    }
  }

  /** Seals the oldest part of a session's journal. Returns whether there was any. */
  *seal(rec: OpenSession): Generator<(() => void) | undefined, boolean, void> {
    const taken: number[] = []
    const corrupt: number[] = []
    const missing: SeqRange[] = []
    const heads = new Map<number, { head: Uint8Array; sizes: number[] }>()
    const buckets = new Buckets(rec, this.#classifier)
    let bytes = 0
    let upTo = rec.sealedSeq
    // An import of a part of a session keeps the seqs of the whole.
    const canSkip = rec.source.startsWith('import:')
    const most = rec.journalBytes > BURST_BYTES ? BURST_BYTES : SEAL_BYTES
    while (bytes < most) {
      const flush = this.#journal.next(rec.id, upTo + 1)
      if (flush === undefined || flush.firstSeq > rec.lastSeq) {
        // Everything up to the last seq was committed, so a flush that isn't listed has a corrupt first seq.
        if (!canSkip && upTo < rec.lastSeq) {
          missing.push([upTo + 1, rec.lastSeq])
          upTo = rec.lastSeq
        }
        break
      }
      if (!canSkip && flush.firstSeq > upTo + 1) missing.push([upTo + 1, flush.firstSeq - 1])
      bytes += flush.data.length
      const blob = flush.read()
      if (blob === null) {
        corrupt.push(flush.id)
        // Its last seq may be corrupt, too.
        const next = this.#journal.next(rec.id, flush.firstSeq + 1)
        // And so may the next first seq: beyond the session's end, the watermark would hide what is still to come.
        upTo = Math.min(next === undefined ? flush.lastSeq : next.firstSeq - 1, rec.lastSeq)
        if (flush.lastSeq < upTo) missing.push([flush.lastSeq + 1, upTo])
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
      const blocks = yield* sealRows(bucket.feed, bucket.rows.build(), bucket.eventMs)
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
      for (const [first, last] of missing) this.#sql.markMissing.run(rec.id, first, last)
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
  *merge(rec: OpenSession, all: boolean): Work {
    for (const series of rec.series.values()) {
      for (;;) {
        const refs = all ? (series.tail.length > 1 ? series.tail.slice() : []) : findMergeable(series.tail)
        if (refs.length === 0) break
        const blocks = yield* this.reseal(
          series.feed,
          refs.map(({ id }) => id),
        )
        if (typeof blocks === 'number') {
          // The corrupt block stays as it is. Recording continues, and the blocks after it are merged.
          series.tail = series.tail.slice(series.tail.indexOf(refs[blocks]) + 1)
          continue
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

  /** Seals the rows of adjacent blocks into fewer ones. Returns an index of `ids` instead if that block is corrupt. */
  *reseal(feed: FeedId, ids: readonly number[]): Generator<undefined, readonly SealedBlock[] | number, void> {
    const rows = new ColumnsBuilder(BLOCK_ROWS)
    const eventMs: number[] = []
    for (const [i, id] of ids.entries()) {
      const data = this.#sql.blockData.get(id)
      if (data === undefined) return i // erased in the meantime
      const isRead = tryRead(() => {
        const block = openBlock(data)
        rows.add(block.messages(), 0, block.count)
        for (const ms of block.eventMs) eventMs.push(ms)
      })
      if (!isRead) return i
      yield
    }
    return yield* sealRows(feed, rows.build(), eventMs)
  }

  #writeSeries(rec: OpenSession, bucket: Bucket): Series {
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
    ) // oxfmt-ignore
    return Number(row.lastInsertRowid)
  }

  /** Returns the chain row of a connection with more flushes added. */
  #extend(rec: OpenSession, conn: number, sizes: readonly number[]): { part: number; runs: [number, number][] } {
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
