/**
 * Frees space: merges small adjacent blocks of closed sessions and returns the pages of erased rows to the disk. The
 * evidence doesn't change: same messages, same heads, and a new close record with the new size.
 */
import { isFeedId, sessionId, type FeedId } from '../../../../shared/base/units.ts'
import { BLOCK_ROWS } from './open-session.ts'
import type { Work } from './background-work.ts'
import type { SealedBlock } from './sealed-block.ts'
import type { WriteContext } from './write-context.ts'
import type { CloseRecord } from '../schema/records.ts'

/** Bytes of new blocks per transaction. */
const WRITE_BYTES = 512 << 10
/** Messages that one merge holds in memory. */
const MERGE_ROWS = 4 * BLOCK_ROWS
const PAGES_A_STEP = 128

interface MergedSeries {
  readonly series: number
  readonly gone: readonly number[]
  readonly blocks: readonly SealedBlock[]
}

export interface CompactResult {
  /** Blocks merged into larger ones. */
  readonly merged: number
  /** Bytes by which the file shrank. */
  readonly freedBytes: number
}

export class Compaction {
  readonly #context: WriteContext
  readonly #onProgress: (done: number) => void
  #merged = 0
  #freed = 0
  #isStopped = false

  constructor(context: WriteContext, onProgress: (done: number) => void) {
    this.#context = context
    this.#onProgress = onProgress
  }

  stop(): void {
    this.#isStopped = true
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  get result(): CompactResult {
    return { merged: this.#merged, freedBytes: this.#freed }
  }

  /** Yields steps, so that live commits go in between. */
  *pieces(): Generator<Work, void, void> {
    const { db } = this.#context
    const closed = db
      .prepare<[], { id: number; key: string }>(
        'SELECT id, key FROM recording WHERE summary IS NOT NULL ORDER BY started_ms',
      )
      .all()
    for (const [i, row] of closed.entries()) {
      this.#onProgress((0.8 * i) / closed.length)
      const series = db.prepare<[number], { id: number; feed: string }>(
        'SELECT id, feed FROM series WHERE recording = ?',
      )
      let some: MergedSeries[] = []
      let bytes = 0
      for (const { id, feed } of series.all(row.id)) {
        if (!isFeedId(feed)) continue
        for (const run of this.#runs(id)) {
          yield this.#merge(id, feed, run, (one) => {
            some.push(one)
            for (const block of one.blocks) bytes += block.data.length
          })
          if (bytes < WRITE_BYTES) continue
          yield this.#write(row.id, some)
          some = []
          bytes = 0
        }
      }
      if (some.length > 0) yield this.#write(row.id, some)
    }
    const pages = (): number => Number(db.pragma('freelist_count', { simple: true }))
    const all = pages()
    while (pages() > 0) {
      this.#onProgress(0.8 + 0.2 * (1 - pages() / Math.max(1, all)))
      yield this.#vacuum()
    }
  }

  /** Runs of adjacent blocks of a series that fit into fewer blocks. */
  *#runs(series: number): Generator<readonly number[]> {
    const blocks = this.#context.db
      .prepare<[number], { id: number; count: number }>(
        'SELECT id, count FROM block INDEXED BY block_order WHERE series = ? ORDER BY min_seq',
      )
      .all(series)
    let run: { id: number; count: number }[] = []
    let rows = 0
    const isWorthMerging = (): boolean => Math.ceil(rows / BLOCK_ROWS) < run.length
    for (const block of [...blocks, { id: 0, count: BLOCK_ROWS }]) {
      if (block.count < BLOCK_ROWS && rows + block.count <= MERGE_ROWS) {
        run.push(block)
        rows += block.count
        continue
      }
      if (isWorthMerging()) yield run.map(({ id }) => id)
      run = block.count < BLOCK_ROWS ? [block] : []
      rows = run.length === 0 ? 0 : block.count
    }
  }

  *#merge(series: number, feed: FeedId, ids: readonly number[], done: (merged: MergedSeries) => void): Work {
    const blocks = yield* this.#context.sealer.reseal(feed, ids)
    if (typeof blocks === 'number') return // corrupt blocks stay as they are
    if (blocks.length < ids.length) done({ series, gone: ids, blocks })
  }

  *#write(session: number, merged: readonly MergedSeries[]): Work {
    const { db, sealer, log } = this.#context
    let count = 0
    yield () => {
      count = 0
      const row = db.prepare<[number], { summary: string }>('SELECT summary FROM recording WHERE id = ?').get(session)
      if (row === undefined) return // erased in the meantime
      const drop = db.prepare<[number]>('DELETE FROM block WHERE id = ?')
      for (const { series, gone, blocks } of merged) {
        for (const id of gone) drop.run(id)
        for (const block of blocks) sealer.writeBlock(series, block)
        count += gone.length - blocks.length
      }
      const bytes = db
        .prepare<[number], number>(
          'SELECT sum(b.size) FROM series s JOIN block b ON b.series = s.id WHERE s.recording = ?',
        )
        .pluck()
        .get(session)
      const close = JSON.parse(row.summary) as CloseRecord // written by the engine
      const body = JSON.stringify({ ...close, recording: sessionId(close.recording), bytes: bytes ?? 0 })
      log('close', body)
      db.prepare<[string, number]>('UPDATE recording SET summary = ? WHERE id = ?').run(body, session)
    }
    this.#merged += count
  }

  *#vacuum(): Work {
    const { db } = this.#context
    const size = (): number => Number(db.pragma('page_count', { simple: true }))
    let freed = 0
    yield () => {
      const before = size()
      db.pragma(`incremental_vacuum(${PAGES_A_STEP})`)
      freed = before - size()
    }
    this.#freed += freed * Number(db.pragma('page_size', { simple: true }))
    // Stop if the file doesn't shrink, or this would never end.
    if (freed === 0) this.#isStopped = true
  }
}
