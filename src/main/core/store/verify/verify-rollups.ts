/** Compares rollups with the bars built from the messages. */
import { HOUR_MS } from '../../../../shared/base/durations.ts'
import { fixedGrid, type BarState } from '../../../../shared/core/market/bars.ts'
import { createBarBuilder } from '../../../../shared/core/market/bar-builder.ts'
import { countText } from '../../../../shared/base/count-text.ts'
import type { BarSource } from '../../../../shared/core/market/market.ts'
import type { MinuteBars } from '../format/classify.ts'
import { rowChecksum, equalBytes } from '../format/ledger.ts'
import { decodeHour, type RollupRow } from '../format/rollup.ts'
import type { Db } from '../schema/sqlite.ts'

type ReportProblem = (detail: string, atMs?: number) => void

/** The stored hours of a series, oldest first. */
export const rollupRows = (db: Db, series: number): readonly RollupRow[] =>
  db.prepare<[number], RollupRow>('SELECT hour_ms, sum, data FROM rollup WHERE series = ? ORDER BY hour_ms').all(series)

/** Reports every stored hour and bar of a series that its messages (`minutes`) don't give. */
export function checkRollups(
  rows: readonly RollupRow[],
  instrument: string,
  minutes: MinuteBars,
  report: ReportProblem,
): void {
  const stored = new Map<BarSource, Map<number, BarState>>()
  for (const { hour_ms: hourMs, sum, data } of rows) {
    if (!equalBytes(rowChecksum([hourMs], data), sum))
      report(`an hour of ${instrument} bars fails its checksum`, hourMs)
    try {
      for (const [of, bars] of decodeHour(hourMs, data)) {
        const all = stored.get(of) ?? new Map<number, BarState>()
        for (const [start, bar] of bars) {
          if (start < hourMs || start >= hourMs + HOUR_MS)
            report(`a bar of ${instrument} is stored in the wrong hour`, start)
          all.set(start, bar)
        }
        stored.set(of, all)
      }
    } catch {
      report(`an hour of ${instrument} bars can’t be read`, hourMs)
    }
  }
  for (const of of new Set([...stored.keys(), ...minutes.keys()])) {
    const builder = minutes.get(of) ?? createBarBuilder({ grid: fixedGrid(HOUR_MS) })
    const storedBars = stored.get(of) ?? new Map<number, BarState>()
    for (const bar of builder.states()) {
      const other = storedBars.get(bar.startMs)
      if (other === undefined || !equalBars(bar, other)) {
        report(`the ${of} bar of ${instrument} at ${bar.startMs} doesn’t match its messages`, bar.startMs)
      }
    }
    if (storedBars.size !== builder.size)
      report(`${instrument} has ${countText(storedBars.size, `${of} bar`)} instead of ${builder.size}`)
  }
}

/** Compares bars. Sums of sizes may differ in the last digit, because their parts were added in another order. */
function equalBars(a: BarState, b: BarState): boolean {
  const close = (x: number, y: number): boolean =>
    Object.is(x, y) || Math.abs(x - y) <= 4 * Number.EPSILON * Math.abs(x)
  return (
    a.startMs === b.startMs &&
    a.open === b.open &&
    a.high === b.high &&
    a.low === b.low &&
    a.close === b.close &&
    close(a.volume, b.volume) &&
    a.count === b.count &&
    a.openMs === b.openMs &&
    a.openSeq === b.openSeq &&
    a.closeMs === b.closeMs &&
    a.closeSeq === b.closeSeq &&
    a.firstSeq === b.firstSeq &&
    a.lastSeq === b.lastSeq
  )
}
