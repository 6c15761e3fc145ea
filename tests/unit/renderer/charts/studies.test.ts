import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparedPercents } from '../../../../src/renderer/charts/model/compared.ts'
import { countdownText, countsDown } from '../../../../src/renderer/charts/model/countdown.ts'
import { heikinAshi, heikinAshiRows } from '../../../../src/renderer/charts/model/heikin-ashi.ts'
import { calendarMarks } from '../../../../src/renderer/charts/paint/paint-calendar.ts'
import { levelTicks, priceTicks } from '../../../../src/renderer/charts/model/scale.ts'
import { rowOf, rowsOf, type Row } from '../../../../src/renderer/charts/model/series.ts'
import { IndicatorRun } from '../../../../src/renderer/charts/model/study-run.ts'
import { Zone } from '../../../../src/renderer/text/zone.ts'
import { CHART_INDICATOR_IDS, INDICATORS } from '../../../../src/shared/core/market/indicators/table.ts'
import { unixMs } from '../../../../src/shared/base/units.ts'
import type { Bar } from '../../../../src/shared/core/market/market.ts'
import type { GapSpan } from '../../../../src/shared/core/status/status.ts'
import { makeBar } from '../../../kit/market.ts'
import { fixedExamples } from '../../../kit/properties.ts'

const MINUTE = 60_000
const bar = (minute: number, close: number, range = 2, volume: number | null = 3) =>
  makeBar({ startMs: minute * MINUTE, open: close - 1, high: close + range, low: close - range, close, volume })
const noDay = () => 0
/** Days of seven minutes. */
const shortDay = (ms: number) => Math.floor(ms / (7 * MINUTE)) * 7 * MINUTE
const near = (n: number): unknown => expect.closeTo(n, 9)

describe.each(CHART_INDICATOR_IDS)('%s beside growing rows', (id) => {
  it('says after every tick what it says of the same rows from scratch', () => {
    const ticks = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 50, max: 150 })), { minLength: 1, maxLength: 200 })
    const compared = INDICATORS[id].outputs.map(() => 0)
    fc.assert(
      fc.property(ticks, (list) => {
        const rows: Row[] = [rowOf(bar(0, 100))]
        const vwap = { volume: 4, mean: 100, squares: 8 }
        const flowOf = (startMs: number) => ({ buy: (startMs / MINUTE) % 3, sell: 1, vwap })
        const run = new IndicatorRun(INDICATORS[id], {}, 'close', shortDay)
        run.setFlow(flowOf, -Infinity)
        run.follow(rows)
        for (const [next, close] of list) {
          if (next) rows.push(rowOf(bar(rows.length, close)))
          else rows[rows.length - 1] = rowOf(bar(rows.length - 1, close))
          run.follow(rows)
        }
        const fresh = new IndicatorRun(INDICATORS[id], {}, 'close', shortDay)
        fresh.setFlow(flowOf, -Infinity)
        const scratch = fresh.follow([...rows])
        expect(run.values).toEqual(scratch)
        expect(run.values).toHaveLength(rows.length)
        // Absent is absent: no key with a NaN, which would press the axis flat.
        for (const values of run.values) {
          expect(Object.values(values).every(Number.isFinite)).toBe(true)
          for (const at of compared.keys()) if (at in values) compared[at]++
        }
      }),
      { numRuns: 28, examples: fixedExamples(3, ticks) },
    )
    expect(Math.min(...compared), 'numbers compared of each line').toBeGreaterThan(0)
  })
})

describe('studies', () => {
  it('take sides that change behind them, and are absent where none are read', () => {
    const flows = new Map([
      [MINUTE, { buy: 2, sell: 1 }],
      [2 * MINUTE, { buy: 0, sell: 3 }],
    ])
    const rows = [0, 1, 2].map((minute) => rowOf(bar(minute, 100)))
    const run = new IndicatorRun(INDICATORS.delta, {}, 'close', noDay)
    expect(run.follow(rows)).toEqual([{}, {}, {}])
    run.setFlow((startMs) => flows.get(startMs), -Infinity)
    expect(run.follow(rows).map((values) => values[0])).toEqual([undefined, 1, -3])
    flows.set(MINUTE, { buy: 2, sell: 0 })
    run.setFlow((startMs) => flows.get(startMs), MINUTE)
    expect(run.follow(rows).map((values) => values[0])).toEqual([undefined, 2, -3])
    flows.set(0, { buy: 1, sell: 0 })
    run.setFlow((startMs) => flows.get(startMs), 2 * MINUTE)
    expect(run.follow(rows)[0], 'said to be unchanged').toEqual({})
    run.setFlow(null, -Infinity)
    expect(run.follow(rows)).toEqual([{}, {}, {}])
  })

  it('skip what wasn’t received, and start over with another list', () => {
    const bars = [bar(0, 10), bar(1, 20), bar(10, 30), bar(11, 40)]
    const gap = { feed: 'XT', symbols: null, cause: 'drop', fromMs: 2 * MINUTE, toMs: 10 * MINUTE } as never
    const rows = rowsOf(bars, [gap], MINUTE)
    expect(rows.length).toBeGreaterThan(4)
    const run = new IndicatorRun(INDICATORS.sma, { period: 3 }, 'close', noDay)
    expect(run.follow(rows).filter((values) => '0' in values)).toEqual([{ 0: 20 }, { 0: 30 }])
    expect(run.follow(rows.slice(-1))).toEqual([{}])
  })

  it('cost a tick the same at the end of ten and of a hundred thousand bars', () => {
    const rows = Array.from({ length: 100_000 }, (_, i) => rowOf(bar(i, 100 + (i % 9))))
    let made = 0
    const counted = {
      ...INDICATORS.ema,
      create(...args: Parameters<typeof INDICATORS.ema.create>) {
        const inner = INDICATORS.ema.create(...args)
        return { peek: (one: Bar) => (made++, inner.peek(one)), push: (one: Bar) => (made++, inner.push(one)) } as never
      },
    }
    const run = new IndicatorRun(counted, {}, 'close', noDay)
    run.follow(rows)
    expect(made).toBe(100_000)
    rows[rows.length - 1] = rowOf(bar(rows.length - 1, 7))
    run.follow(rows)
    expect(made).toBe(100_001)
    rows.push(rowOf(bar(rows.length, 8)))
    run.follow(rows)
    expect(made).toBe(100_003)
  })
})

describe('heikin-ashi', () => {
  it('averages each bar, opens between the row before, and leaves the true bar in its row', () => {
    const rows = heikinAshiRows([rowOf(bar(0, 10)), rowOf(bar(1, 20))])
    expect([rows[0].open, rows[0].close]).toEqual([9.5, (9 + 12 + 8 + 10) / 4])
    expect([rows[1].open, rows[1].close]).toEqual([(9.5 + 9.75) / 2, (19 + 22 + 18 + 20) / 4])
    expect([rows[1].low, rows[1].high]).toEqual([(9.5 + 9.75) / 2, 22])
    expect(rows[1].bar?.close).toBe(20)
    expect(heikinAshi(rowOf(bar(1, 20)), rows[0])).toEqual(rows[1])
  })
})

describe('compared symbols', () => {
  it('count from the left edge, stand between their bars and are absent before their first', () => {
    const instants = [0, 1, 2, 3, 4].map((minute) => minute * MINUTE)
    expect(comparedPercents(instants, [bar(1, 50), bar(2, 55), bar(4, 25)], [])).toEqual(
      [null, 0, 10, 10, -50].map((n) => (n === null ? null : near(n))),
    )
    expect(comparedPercents(instants.slice(2), [bar(0, 50), bar(2, 55), bar(4, 66)], [])).toEqual([
      0,
      0,
      expect.closeTo(20, 9),
    ])
    expect(comparedPercents(instants, [], [])).toEqual([null, null, null, null, null])
  })

  it('are absent from a gap of their own until they trade again', () => {
    const instants = [0, 1, 2, 3, 4, 5].map((minute) => minute * MINUTE)
    const bars = [bar(0, 50), bar(1, 55), bar(4, 60)]
    const gap = (fromMinute: number, toMinute: number | null): GapSpan => ({
      feed: 'crypto/XT',
      cause: 'drop',
      fromMs: unixMs(fromMinute * MINUTE),
      toMs: toMinute === null ? null : unixMs(toMinute * MINUTE),
    })
    const percents = (...gaps: GapSpan[]) => comparedPercents(instants, bars, gaps).map((one) => one && Math.round(one))
    expect(percents()).toEqual([0, 10, 10, 10, 20, 20])
    expect(percents(gap(1.5, 2.5))).toEqual([0, 10, null, null, 20, 20])
    // Only from the bar on in which the gap began.
    expect(percents(gap(3, 3.1))).toEqual([0, 10, 10, null, 20, 20])
    // Over before its bar ended: its close may be from after the gap.
    expect(percents(gap(1.1, 1.2))).toEqual([0, 10, 10, 10, 20, 20])
    expect(percents(gap(4.5, null))).toEqual([0, 10, 10, 10, 20, null])
    expect(percents(gap(5.5, null))).toEqual([0, 10, 10, 10, 20, 20])
  })
})

describe('lines of the price axis', () => {
  const text = (price: number) => price.toFixed(2)
  it('are round on a linear scale', () => {
    expect(priceTicks('linear', 99.2, 104.1, 200, 100, text).map((one) => one.text)).toEqual([
      '100.00',
      '101.00',
      '102.00',
      '103.00',
      '104.00',
    ])
  })
  it('have no step that the decimals of the instrument cannot tell apart', () => {
    for (const scale of ['linear', 'log'] as const)
      expect(priceTicks(scale, 224.106, 224.144, 400, 224, text).map((one) => one.text)).toEqual([
        '224.11',
        '224.12',
        '224.13',
        '224.14',
      ])
    expect(priceTicks('linear', 224.111, 224.114, 400, 224, text).length).toBeLessThanOrEqual(1)
  })
  it('are 1, 2 and 5 times powers of ten on a wide logarithmic one', () => {
    expect(priceTicks('log', 0.8, 120, 400, 1, text).map((one) => one.price)).toEqual(
      [1, 2, 5, 10, 20, 50, 100].map((n) => near(n)),
    )
    expect(priceTicks('log', 0, 10, 400, 1, text)).toEqual([])
  })
  it('are the levels of an indicator that has them, and their middle', () => {
    expect(levelTicks([30, 70], { realFrom: 0, realRange: 100 }, 200)).toEqual([
      { coord: 140, value: 30, text: '30' },
      { coord: near(60), value: 70, text: '70' },
      { coord: 100, value: 50, text: '50' },
    ])
    expect(levelTicks([30, 70], { realFrom: 40, realRange: 20 }, 200)?.map(({ text }) => text)).toEqual(['50'])
    expect(levelTicks([0], { realFrom: -1, realRange: 2 }, 200)).toBeNull()
  })
  it('count percent from their base', () => {
    expect(priceTicks('percent', 95, 111, 200, 100, text).map((one) => one.text)).toEqual(['−5%', '0%', '+5%', '+10%'])
  })
  it('tell micro-prices apart', () => {
    const micro = priceTicks('linear', 0.000000123, 0.000000129, 300, 1, (price) => price.toFixed(10))
    expect(new Set(micro.map((one) => one.text)).size).toBe(micro.length)
    expect(micro.length).toBeGreaterThan(3)
  })
  it('are in order, within, and apart, whatever the range', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('linear', 'log', 'percent'),
        fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-6, max: 50, noNaN: true }),
        fc.integer({ min: 60, max: 1_200 }),
        (scale, from, wide, height) => {
          const to = from * (1 + wide)
          const ticks = priceTicks(scale, from, to, height, from, String)
          for (const [i, one] of ticks.entries()) {
            expect(one.price).toBeGreaterThanOrEqual(from * (1 - 1e-6))
            expect(one.price).toBeLessThanOrEqual(to * (1 + 1e-6))
            if (i > 0) expect(one.price).toBeGreaterThan(ticks[i - 1].price)
          }
          expect(ticks.length).toBeLessThanOrEqual(Math.max(2, height / 18))
        },
      ),
    )
  })
})

describe('days and sessions behind the bars', () => {
  const marks = (asset: 'stocks' | 'crypto', zone: string, times: readonly number[], from = 0) =>
    calendarMarks({ asset, zone: new Zone(zone), timestamps: (i) => times[i], from, to: times.length })
  it('shade what is outside of the main session and mark where it begins and ends', () => {
    // Tuesday 2026-11-17, New York is five hours behind: 09:00 to 10:00, 15:30 to 16:30.
    const times = ['14:00', '14:30', '15:00', '20:30', '21:00', '21:30'].map((at) => Date.parse(`2026-11-17T${at}Z`))
    expect(marks('stocks', 'UTC', times)).toEqual({
      days: [],
      bounds: [1, 4],
      outside: [
        [0, 1],
        [4, 6],
      ],
    })
    expect(marks('crypto', 'UTC', times).outside).toEqual([])
  })
  it('begin days where the zone does, through the night in which clocks go back', () => {
    // New York 2026-11-01: hour 01 comes twice, the day has 25 hours.
    const times = Array.from({ length: 52 }, (_, i) => Date.parse('2026-10-31T20:00Z') + i * 3_600_000)
    const { days } = marks('crypto', 'America/New_York', times)
    expect(days.map((i) => new Date(times[i]).toISOString())).toEqual([
      '2026-11-01T04:00:00.000Z',
      '2026-11-02T05:00:00.000Z',
    ])
    expect(marks('crypto', 'UTC', times).days.map((i) => times[i] % 86_400_000)).toEqual([0, 0])
  })
})

describe('the countdown', () => {
  it('is for bars of some seconds or more, not for shorter ones or ticks', () => {
    const of = (intervalMs: number, ticks = false): boolean => countsDown({ ticks, intervalMs })
    expect([of(100), of(1_000), of(5_000), of(60_000), of(60_000, true)]).toEqual([false, false, true, true, false])
  })

  it('says no more than it must', () => {
    expect([0, -5, NaN, 1, 7_000, 760_000, 11_110_000, 187_200_000].map(countdownText)).toEqual([
      '',
      '',
      '',
      '0:01',
      '0:07',
      '12:40',
      '3:05:10',
      '2d 04h',
    ])
  })
})
