import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixedGrid } from '../../../../../../src/shared/core/market/bars.ts'
import { QuoteBars } from '../../../../../../src/shared/core/market/flow/quote-bars.ts'

const SECOND = 1_000
const rows = { decimals: 0, group: 1 }
const start = (span: { fromMs: number; toMs: number | null } = { fromMs: 0, toMs: null }) => {
  const changed: number[] = []
  return { changed, bars: new QuoteBars(fixedGrid(10 * SECOND), span, rows, (startMs) => changed.push(startMs)) }
}
const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0)

describe('the quotes of bars', () => {
  it('say how long each price was bid or asked, split at the bounds of bars', () => {
    const { bars, changed } = start()
    bars.quote(4 * SECOND, 100, 102)
    bars.quote(8 * SECOND, 101, NaN) // the ask stays
    bars.upTo(13 * SECOND)
    const { startMs, quotedMs, spread, leastSpread, mostSpread, cells } = bars.columns(bars.starts())
    expect([startMs, quotedMs]).toEqual([
      [0, 10_000],
      [6_000, 3_000],
    ])
    expect(cells[0]).toEqual({
      row: [100, 101, 102],
      bid: [4_000, 2_000, 0],
      ask: [0, 0, 6_000],
      mid: [0, 6_000, 0],
    })
    expect([spread, leastSpread, mostSpread]).toEqual([
      [10 / 6, 1],
      [1, 1],
      [2, 1],
    ])
    expect(new Set(changed)).toEqual(new Set([0, 10_000]))
  })

  it('count nothing after the last message before a gap, nor a side that is empty', () => {
    const { bars } = start()
    bars.quote(0, 100, 102)
    bars.upTo(2 * SECOND)
    bars.forget()
    bars.upTo(5 * SECOND)
    bars.quote(6 * SECOND, NaN, 103) // the bid isn't known since the gap
    bars.upTo(8 * SECOND)
    const [cells] = bars.columns([0]).cells
    expect(cells).toEqual({
      row: [100, 101, 102, 103],
      bid: [2_000, 0, 0, 0],
      ask: [0, 0, 2_000, 2_000],
      mid: [0, 2_000, 0, 0],
    })
    expect(bars.columns([0]).quotedMs).toEqual([2_000])
  })

  it.each([
    ['bid', NaN, 103],
    ['ask', 99, NaN],
  ])('take the %s that quotes leave out from an earlier one, for 5 minutes', (_, bid, ask) => {
    const { bars } = start()
    bars.quote(0, 100, 102)
    for (let at = 50 * SECOND; at <= 350 * SECOND; at += 50 * SECOND) bars.quote(at, bid, ask)
    bars.upTo(360 * SECOND)
    expect(bars.columns([340_000, 350_000]).quotedMs).toEqual([10_000, 0])
    const [cells] = bars.columns([350_000]).cells
    expect(cells).toEqual(
      Number.isNaN(bid)
        ? { row: [103], bid: [0], ask: [10_000], mid: [0] }
        : { row: [99], bid: [10_000], ask: [0], mid: [0] },
    )
  })

  it('follow a session whose clock is behind that of the one before, and know nothing of its quote', () => {
    const { bars } = start()
    bars.quote(18 * SECOND, 100, 102)
    bars.upTo(19 * SECOND)
    bars.forget()
    bars.quote(3 * SECOND, NaN, 103)
    bars.quote(4 * SECOND, 101, 103)
    bars.upTo(6 * SECOND)
    const { startMs, quotedMs, spread } = bars.columns(bars.starts())
    expect([startMs, quotedMs, spread]).toEqual([
      [0, 10_000],
      [2_000, 1_000],
      [2, 2],
    ])
    expect(bars.columns([20_000])).toMatchObject({ quotedMs: [0], spread: [0], leastSpread: [0], mostSpread: [0] })
  })

  it('are those of the span only, with the quote that stood at its start', () => {
    const { bars } = start({ fromMs: 10_000, toMs: 20_000 })
    bars.quote(5 * SECOND, 100, 102)
    bars.upTo(25 * SECOND)
    expect(bars.starts()).toEqual([10_000])
    expect(bars.columns([10_000]).quotedMs).toEqual([10_000])
  })

  it('sum to the time quoted in every column, which never exceeds the bar', () => {
    const quote = fc.tuple(
      // A clock can step back a little.
      fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 90_000 }) }, fc.constant(-90)),
      fc.option(fc.integer({ min: 90, max: 100 }), { nil: NaN }),
      fc.option(fc.integer({ min: 101, max: 110 }), { nil: NaN }),
    )
    fc.assert(
      fc.property(fc.array(quote, { maxLength: 40 }), (list) => {
        const { bars } = start()
        let at = 0
        for (const [after, bid, ask] of list) bars.quote((at += after), bid, ask)
        const { startMs, quotedMs, cells } = bars.columns(bars.starts())
        for (const i of startMs.keys()) {
          expect(sum(cells[i].mid)).toBe(quotedMs[i])
          expect(quotedMs[i]).toBeLessThanOrEqual(10_000)
          for (const ms of [sum(cells[i].bid), sum(cells[i].ask)]) {
            expect(ms).toBeGreaterThanOrEqual(quotedMs[i])
            expect(ms).toBeLessThanOrEqual(10_000)
          }
        }
      }),
    )
  })
})
