/** Writes finished minute bars into the hourly rows that charts read. */
import { HOUR_MS } from '../../../../shared/base/durations.ts'
import type { BarState } from '../../../../shared/core/market/bars.ts'
import type { BarBuilder } from '../../../../shared/core/market/bar-builder.ts'
import type { BarSource } from '../../../../shared/core/market/market.ts'
import { rowChecksum } from '../format/ledger.ts'
import { encodeHour, mergeBar, readHour, type HourBars, type RollupRow } from '../format/rollup.ts'
import type { Db } from '../schema/sqlite.ts'
import { tryRead } from '../types/corruption.ts'
import type { OpenSession, Series } from './open-session.ts'
import type { Work } from './background-work.ts'

const ROLL_EVERY_MS = 15_000
const MAX_ROLL_DELAY_MS = 120_000
const SERIES_PER_STEP = 16

export class RollupWriter {
  readonly #sql

  constructor(db: Db) {
    this.#sql = {
      rolled: db.prepare<[number, number]>('UPDATE series SET rolled_seq = ? WHERE id = ?'),
      hour: db.prepare<[number, number], RollupRow>(
        'SELECT hour_ms, sum, data FROM rollup WHERE series = ? AND hour_ms = ?',
      ),
      putHour: db.prepare<[number, number, Uint8Array, Uint8Array]>(
        `INSERT INTO rollup (series, hour_ms, sum, data) VALUES (?, ?, ?, ?)
         ON CONFLICT (series, hour_ms) DO UPDATE SET sum = excluded.sum, data = excluded.data`,
      ),
    }
  }

  /** Writes finished minutes into rollup rows; all minutes with `all`. */
  *write(rec: OpenSession, nowMs: number, all: boolean): Work {
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
        const hourMs = Math.floor(bar.startMs / HOUR_MS) * HOUR_MS
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
}

/** Adds the minutes of newly sealed messages to those that wait to be written. */
export function mergeMinutes(into: BarBuilder, of: BarSource, states: readonly BarState[]): void {
  for (const state of states) {
    if (of === 'service') {
      const { startMs, endMs, lastSeq, open, high, low, close, volume } = state
      into.replace(startMs, endMs, lastSeq, open, high, low, close, volume)
    } else into.merge(state)
  }
}
