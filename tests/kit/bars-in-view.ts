/** Bars of a chart under test, and the part of them in view. */
import type { Bar } from '../../src/shared/core/market/market.ts'
import { makeBar } from './market.ts'

const HOUR = 3_600_000

/** 480 bars of an hour from 1970 on, with prices from 100 to `high`; those from the 200th to the 219th are in view. */
export function barsInView(high: number) {
  let all: readonly Bar[] = Array.from({ length: 480 }, (_, i) =>
    makeBar({ startMs: i * HOUR, lengthMs: HOUR, low: 100, high, close: 105 }),
  )
  let visible = all.slice(200, 220)
  let look = () => {}
  return {
    chart: {
      visibleBars: () => visible,
      barsBetween: (fromMs: number, toMs: number) => all.filter(({ startMs }) => startMs >= fromMs && startMs <= toMs),
      onView(listener: () => void) {
        look = listener
        return () => (look = () => {})
      },
    },
    visible: () => visible,
    /** Shows the bars from one index to another, which isn't included. */
    show(from: number, to: number) {
      visible = all.slice(from, to)
      look()
    },
    /** Makes every bar end at this price. */
    zoom(high: number) {
      const priced = (bar: Bar): Bar => ({ ...bar, high })
      all = all.map(priced)
      visible = visible.map(priced)
      look()
    },
  }
}
