/** The quotes that a chart reads. */
import { describe, expect, it } from 'vitest'
import { followQuotes } from '../../../../../../src/renderer/features/chart/follow/followed-quotes.ts'
import { timeAtPrices } from '../../../../../../src/renderer/charts/model/quote-map.ts'
import type { QuoteMap } from '../../../../../../src/renderer/charts/model/chart.ts'
import type { Span } from '../../../../../../src/shared/base/spans.ts'
import { instrumentId } from '../../../../../../src/shared/base/units.ts'
import { barsInView } from '../../../../../kit/bars-in-view.ts'
import { TestTransport } from '../../../../../kit/transport.ts'

const HOUR = 3_600_000
const query = {
  view: 'live',
  instrument: instrumentId('forex', 'EURUSD'),
  label: 'EUR',
  of: 'mid',
  interval: '1h',
  ticks: false,
  eventBars: null,
} as const

function start(unread: readonly Span[] = []) {
  const cells = { row: [10, 11, 12], bid: [5, 0, 0], ask: [0, 0, 5], mid: [0, 5, 0] }
  const transport = new TestTransport().serve('quoteMap', ({ fromMs, toMs }) => ({
    reset: { fromMs, toMs },
    bars: {
      startMs: [200 * HOUR, 201 * HOUR],
      quotedMs: [5, 5],
      spread: [2, 2],
      leastSpread: [1, 1],
      mostSpread: [3, 3],
      cells: [cells, { ...cells, mid: [7, 0, 0] }],
    },
    unread,
  }))
  const { chart, show, zoom } = barsInView(112)
  let shown: QuoteMap | null = null
  const following = followQuotes(transport, { ...chart, setQuoteMap: (next) => (shown = next) }, query, 2)
  return {
    following,
    transport,
    map: () => shown,
    show,
    zoom,
    asked: () =>
      transport
        .argsOf('quoteMap')
        .map(({ fromMs, toMs, rows }) => [fromMs / HOUR, toMs === null ? null : toMs / HOUR, rows.group]),
  }
}

describe('the quotes on a chart', () => {
  it('are read for the bars around those in view, in rows by their prices', () => {
    const { asked, show, zoom } = start()
    // 12.00 in 120 rows.
    expect(asked()).toEqual([[141, 280, 20]])
    show(210, 230)
    expect(asked(), 'read already').toHaveLength(1)
    show(470, 480)
    expect(asked()).toEqual([[411, null, 20]])
    zoom(101)
    expect(asked(), 'zoomed into the prices').toEqual([[411, null, 1]])
  })

  it('are nothing in a bar without quotes, absent outside what was read and after a seek', () => {
    const { map, following } = start()
    const quoted = (hour: number) => map()?.quotesOf(hour * HOUR)?.quotedMs
    expect([quoted(200), quoted(202), quoted(140), quoted(280)]).toEqual([5, 0, undefined, undefined])
    following.cut(0)
    expect(map()).toBeNull()
  })

  it('are absent in a bar that couldn’t be read', () => {
    const { map } = start([{ fromMs: 201.5 * HOUR, toMs: 202.5 * HOUR }])
    const quoted = (hour: number) => map()?.quotesOf(hour * HOUR)?.quotedMs
    expect([quoted(200), quoted(201), quoted(202), quoted(203)]).toEqual([5, 5, undefined, 0])
  })

  it('sum to the time at each price of the bars in view', () => {
    const { map } = start()
    const times = (...hours: number[]) =>
      timeAtPrices(
        map()!,
        hours.map((hour) => hour * HOUR),
      )
    expect(times(200, 201, 300)).toEqual([
      { row: 10, ms: 7, isMost: true },
      { row: 11, ms: 5, isMost: false },
    ])
    expect(times(202)).toEqual([])
  })
})
