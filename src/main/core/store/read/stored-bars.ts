/** Builds the bars of a time range from stored data: rollups where they apply, blocks and journal elsewhere. */
import { HOUR_MS, MINUTE_MS } from '../../../../shared/base/durations.ts'
import { fixedGrid, type BarGrid, type BarState } from '../../../../shared/core/market/bars.ts'
import { createBarBuilder, type BarBuilder } from '../../../../shared/core/market/bar-builder.ts'
import type { BarSource } from '../../../../shared/core/market/market.ts'
import { isCut, WHOLE, type Share } from '../../../../shared/core/recording/merged-sessions.ts'
import type { Overlap } from '../../../../shared/features/sessions/overlaps.ts'
import type { FeedId, InstrumentId } from '../../../../shared/base/units.ts'
import { ArrayScratch } from '../blocks/open-block.ts'
import { openBlock } from '../blocks/open.ts'
import { applyRecord, hasRollups, type Classifier } from '../format/classify.ts'
import { mergeBar, readHour, type HourBars, type RollupRow } from '../format/rollup.ts'
import type { StoredSession } from '../schema/records.ts'
import { lazyStatements, type Db } from '../schema/sqlite.ts'
import type { CorruptData } from '../types/corruption.ts'
import { applyBlock } from './block-bars.ts'
import type { SeriesExtent } from './catalog.ts'
import type { JournalIndex } from './journal-index.ts'
import type { Overlapping } from './merged-reader.ts'

const minuteGrid = fixedGrid(MINUTE_MS)

/** One session's part of a series. */
export interface Part {
  readonly row: StoredSession
  /** Null if none of it is sealed. */
  readonly sealed: SeriesExtent | null
  /** Last seq to read. */
  readonly limit: number
  /** What counts of it. */
  readonly share: Share
  /** The sessions that overlap it, if there are any. */
  readonly overlapping: Overlapping | null
  readonly overlap: Overlap | null
  readonly base: number
}

export interface BarSeries {
  readonly instrument: InstrumentId
  readonly of: BarSource
  readonly feed: FeedId
  readonly intervalMs: number
  readonly parts: readonly Part[]
  readonly grid: BarGrid
  readonly corrupt: CorruptData
}

/** Minutes, [from, to), to rebuild because their hour's rollup doesn't match the query. */
interface RebuildRange {
  readonly from: number
  to: number
  readonly isWanted: (startMs: number) => boolean
}

export class StoredBarBuilder {
  readonly #journal: JournalIndex
  readonly #classifier: Classifier
  readonly #scratch = new ArrayScratch()
  readonly #sql

  constructor(db: Db, journal: JournalIndex, classifier: Classifier) {
    this.#journal = journal
    this.#classifier = classifier
    this.#sql = lazyStatements({
      hours: () =>
        db.prepare<[number, number, number], RollupRow>(
          'SELECT hour_ms, sum, data FROM rollup WHERE series = ? AND hour_ms > ? AND hour_ms < ? ORDER BY hour_ms',
        ),
      blocks: () =>
        db
          .prepare<[number, number, number, number, number], readonly [minMs: number, maxMs: number, data: Buffer]>(
            `SELECT min_ms, max_ms, data FROM block WHERE id IN (
             SELECT id FROM block INDEXED BY block_order
             WHERE series = ? AND max_seq > ? AND min_seq <= ? AND max_ms >= ? AND min_ms < ?)
           ORDER BY min_seq`,
          )
          .raw(),
    })
  }

  /** Returns the bars of [from, to) on the grid, oldest first; `complete` isn't decided yet. */
  build(series: BarSeries, from: number, to: number): readonly BarState[] {
    const { parts, feed, instrument, of, grid, intervalMs, corrupt } = series
    const rolled = hasRollups(feed) && intervalMs % MINUTE_MS === 0
    const minutes: HourBars = new Map()
    const direct = createBarBuilder({ grid })
    for (const part of parts) {
      const builder = rolled || of === 'service' ? createBarBuilder({ grid: rolled ? minuteGrid : grid }) : direct
      const { sealed } = part
      // An hour's rollup holds what its blocks hold. Of thousands of sessions, few have anything in a page.
      if (sealed !== null && sealed.mostMs >= from - HOUR_MS && sealed.leastMs < to + HOUR_MS) {
        if (rolled) this.#rolled(part, sealed, of, from, to, minutes, corrupt)
        this.#blockRows(part, sealed.id, of, rolled ? sealed.rolledSeq : 0, from, to, builder, corrupt)
      }
      this.#journal.records(part, feed, instrument, (seq, ms) => {
        applyRecord(builder, of, seq + part.base, ms, this.#classifier.placed.record)
      })
      if (builder !== direct) for (const state of builder.states()) mergeBar(minutes, of, state)
    }
    if (!rolled && of !== 'service') return direct.states()
    for (const state of minutes.get(of)?.values() ?? []) {
      if (state.startMs >= from && state.startMs < to) direct.merge(state)
    }
    return direct.states()
  }

  /**
   * Adds the rollup rows of [from, to). Minutes that the limit cuts or that contain messages to leave out are
   * rebuilt from messages, as are all minutes of a corrupt hour.
   */
  #rolled(
    part: Part,
    sealed: SeriesExtent,
    of: BarSource,
    from: number,
    to: number,
    into: HourBars,
    corrupt: CorruptData,
  ): void {
    const cut = new Set<number>()
    const rebuildRange: RebuildRange[] = []
    const take = (row: RollupRow): void => {
      for (const bar of readHour(row).get(of)?.values() ?? []) {
        if (bar.startMs < from || bar.startMs >= to) continue
        if (bar.lastSeq > part.limit || isCut(part.share, bar.startMs, bar.endMs)) cut.add(bar.startMs)
        else mergeBar(into, of, shifted(bar, part.base))
      }
    }
    for (const row of this.#sql.hours.iterate(sealed.id, from - HOUR_MS, to)) {
      const hour = { fromMs: row.hour_ms, toMs: row.hour_ms + HOUR_MS }
      if (corrupt.read({ what: 'bars', ...hour }, () => take(row))) continue
      corrupt.addRebuilt(hour)
      const last = rebuildRange.at(-1)
      if (last?.to === hour.fromMs) last.to = hour.toMs
      else rebuildRange.push({ from: hour.fromMs, to: hour.toMs, isWanted: (start) => start >= from && start < to })
    }
    if (cut.size > 0)
      rebuildRange.push({
        from: Math.min(...cut),
        to: Math.max(...cut) + MINUTE_MS,
        isWanted: (start) => cut.has(start),
      })
    const limited = { ...part, limit: Math.min(part.limit, sealed.rolledSeq) }
    for (const { from: first, to: end, isWanted } of rebuildRange) {
      const builder = createBarBuilder({ grid: minuteGrid })
      this.#blockRows(limited, sealed.id, of, 0, first, end, builder, corrupt)
      for (const state of builder.states()) {
        if (state.startMs >= first && state.startMs < end && isWanted(state.startMs)) mergeBar(into, of, state)
      }
    }
  }

  /** Adds rows of sealed blocks with a seq in (after, limit] that can lie in [from, to). */
  #blockRows(
    part: Part,
    series: number,
    of: BarSource,
    after: number,
    from: number,
    to: number,
    builder: BarBuilder,
    corrupt: CorruptData,
  ): void {
    const limit = Math.min(part.limit, part.row.sealed_seq)
    for (const [minMs, maxMs, data] of this.#sql.blocks.iterate(series, after, limit, from, to)) {
      // Most blocks of a session that overlaps another one are outside of the overlap.
      const ofBlock = isCut(part.share, minMs, maxMs + 1) ? part : { ...part, share: WHOLE }
      const isRead = corrupt.read({ what: 'messages', fromMs: minMs, toMs: maxMs }, () =>
        applyBlock(this.#classifier, openBlock(data, this.#scratch), of, ofBlock, after, limit, builder),
      )
      // The span ends after the last record, in the same bar, because bars begin at whole milliseconds.
      if (!isRead) corrupt.addLost({ fromMs: minMs, toMs: Math.floor(maxMs) + 1 })
    }
  }
}

const shifted = (bar: BarState, base: number): BarState =>
  base === 0
    ? bar
    : {
        ...bar,
        openSeq: bar.openSeq + base,
        closeSeq: bar.closeSeq + base,
        firstSeq: bar.firstSeq + base,
        lastSeq: bar.lastSeq + base,
      }
