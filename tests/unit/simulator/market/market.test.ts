import { describe, expect, it } from 'vitest'
import { fixedGrid } from '../../../../src/shared/core/market/bars.ts'
import { createBarBuilder } from '../../../../src/shared/core/market/bar-builder.ts'
import { decodeText } from '../../../../src/service/codecs/decode.ts'
import { DEMO_SYMBOLS } from '../../../../src/service/demo-symbols.ts'
import { DEFAULT_WATCHLISTS } from '../../../../src/shared/core/settings/settings.ts'
import { instrumentId, type AssetClass, type FeedId } from '../../../../src/shared/base/units.ts'
import { createMarket, type InstrumentEvent, type Market } from '../../../../src/simulator/market/market.ts'
import { writerOf } from '../../../../src/simulator/market/frames.ts'
import { loopMs, loopTape, readTape } from '../../../../src/simulator/market/tape.ts'
import { DATA } from '../client.ts'

const NOON = Date.UTC(2026, 6, 15, 15, 0, 30)
const run = (market: Market, fromMs: number, toMs: number, ids: ReturnType<typeof instrumentId>[], step = 20) => {
  const out: InstrumentEvent[] = [...market.advance(fromMs, ids)]
  for (let at = fromMs + step; at <= toMs; at += step) out.push(...market.advance(at, ids))
  return out
}
const fresh = (seed = 1) => createMarket(DATA, seed)
const btc = instrumentId('crypto', 'BTC-USD')
const sol = instrumentId('crypto', 'SOL-USD')
const eur = instrumentId('forex', 'EURUSD')
const spy = instrumentId('stocks', 'SPY')

describe('determinism', () => {
  const ids = [btc, sol, eur, spy]
  it('gives the same events for the same seed and times', () => {
    const events = run(fresh(), NOON, NOON + 5_000, ids)
    expect(events.length).toBeGreaterThan(400)
    expect(run(fresh(), NOON, NOON + 5_000, ids)).toEqual(events)
    expect(run(fresh(2), NOON, NOON + 5_000, ids)).not.toEqual(events)
  })
  it('does not depend on how often one looks', () => {
    const place = (e: InstrumentEvent) => `${e.instrument} ${e.feed} ${e.atMs} ${JSON.stringify(e.values)}`
    const often = run(fresh(), NOON, NOON + 20_000, ids, 20)
      .map(place)
      .sort()
    expect(
      run(fresh(), NOON, NOON + 20_000, ids, 2_500)
        .map(place)
        .sort(),
    ).toEqual(often)
  })
  it('doesn’t depend on when a reader started', () => {
    const late = run(fresh(), NOON + 10_000, NOON + 15_000, [btc])
    const early = run(fresh(), NOON, NOON + 15_000, [btc]).filter((e) => e.atMs >= NOON + 10_000)
    expect(late.filter((e) => e.atMs > NOON + 10_000)).toEqual(early.filter((e) => e.atMs > NOON + 10_000))
  })
})

describe('tapes', () => {
  it.each([
    ['crypto', 'BTC-USD'],
    ['crypto', 'ETH-USD'],
    ['forex', 'EURUSD'],
    ['forex', 'NZDUSD'],
    ['stocks', 'SPY'],
    ['stocks', 'IBM'],
  ] as const)('%s %s loops without a jump and without losing a record', (asset: AssetClass, symbol: string) => {
    const tape = readTape(DATA, instrumentId(asset, symbol))
    if (tape === undefined) throw new Error('no tape')
    const source = loopTape(tape, 1)
    const period = loopMs(tape)
    // two rounds, wherever they begin, hold each record twice and both seams
    const ticks = source.ticks(NOON, NOON + 2 * period)
    const own = ticks.filter((t) => tape.quoted || t.kind === 'trade')
    expect(own).toHaveLength(2 * tape.events)
    const prices = ticks.map((t) => (t.kind === 'trade' ? t.price : (t.bid + t.ask) / 2))
    let widest = 0
    for (let i = 1; i < prices.length; i++) widest = Math.max(widest, Math.abs(prices[i] / prices[i - 1] - 1))
    expect(widest).toBeLessThan(0.0025)
    expect(ticks.every((t, i) => i === 0 || t.ms >= ticks[i - 1].ms)).toBe(true)
    const scale = 10 ** tape.decimals
    expect(ticks.every((t) => t.kind === 'quote' || Math.round(t.price * scale) / scale === t.price)).toBe(true)
    expect(ticks.every((t) => t.kind === 'trade' || t.bid < t.ask)).toBe(true)
  })
  it('answers the same ticks in one piece and in many', () => {
    const tape = readTape(DATA, eur)
    if (tape === undefined) throw new Error('no tape')
    const source = loopTape(tape, 3)
    const end = NOON + 2 * loopMs(tape)
    const parts = []
    for (let at = NOON; at < end; at += 7_777) parts.push(...source.ticks(at, Math.min(end, at + 7_777)))
    expect(parts).toEqual(source.ticks(NOON, end))
  })
})

describe('bars', () => {
  it.each([
    [btc, 'crypto/XT', 'crypto/XAS', 'crypto/XA'],
    [sol, 'crypto/XT', 'crypto/XAS', 'crypto/XA'],
    [eur, 'forex/C', 'forex/CAS', 'forex/CA'],
    [spy, 'stocks/T', 'stocks/A', 'stocks/AM'],
  ] as const)('of %s are those of the ticks that were sent', (id, ticks: FeedId, second, minute) => {
    const events = run(fresh(), NOON, NOON + 25 * 60_000, [id], 500)
    for (const [feed, length] of [
      [second, 1_000],
      [minute, 60_000],
    ] as const) {
      const builder = createBarBuilder({ grid: fixedGrid(length) })
      const sent = new Map<number, InstrumentEvent['values']>()
      let rebroadcast = 0
      events.forEach((event, i) => {
        const { values } = event
        if (event.feed === ticks)
          builder.apply(values.time ?? NaN, i, values.bid ?? values.price ?? NaN, values.size ?? NaN)
        if (event.feed !== feed) return
        if (sent.has(values.start ?? NaN)) rebroadcast++
        sent.set(values.start ?? NaN, values)
      })
      let compared = 0
      for (const bar of builder.states()) {
        if (bar.startMs < NOON || bar.endMs > NOON + 24 * 60_000) continue
        compared++
        expect(sent.get(bar.startMs)).toMatchObject({ open: bar.open, high: bar.high, low: bar.low, close: bar.close })
        if (!Number.isNaN(bar.volume)) expect(sent.get(bar.startMs)?.volume).toBeCloseTo(bar.volume, 9)
        sent.delete(bar.startMs)
      }
      expect(compared).toBeGreaterThanOrEqual(length === 60_000 ? 23 : 200)
      // no record, no bar
      expect([...sent.keys()].filter((start) => start >= NOON && start < NOON + 23 * 60_000)).toEqual([])
      if (id === btc) expect(rebroadcast).toBeGreaterThan(0)
    }
  })
})

describe('the whole', () => {
  it('trades the default watchlists at 200 to 600 messages a second, a Sunday night too', () => {
    const ids = [...new Set(DEFAULT_WATCHLISTS.flatMap((w) => w.symbols.map((s) => instrumentId(s.asset, s.symbol))))]
    for (const from of [NOON, Date.UTC(2026, 6, 19, 3, 0, 30)]) {
      const events = run(fresh(), from, from + 30_000, ids, 100)
      expect(events.length / 30).toBeGreaterThan(200)
      expect(events.length / 30).toBeLessThan(600)
      for (const id of ids) expect(events.some((e) => e.instrument === id)).toBe(true)
    }
  })
  it('lists every symbol of the default watchlists', () => {
    const known = new Set(DEMO_SYMBOLS.map((s) => `${s.asset}:${s.symbol}`))
    for (const { symbols } of DEFAULT_WATCHLISTS)
      for (const { asset, symbol } of symbols) expect(known).toContain(`${asset}:${symbol}`)
  })
  it.each([
    ['crypto', 'WHATEVER-USD'],
    ['crypto', 'X:'],
    ['forex', 'EURGBP'],
    ['forex', 'QQQZZZ'],
    ['stocks', 'ZZZZ'],
    ['stocks', '__PROTO__'],
  ] as const)('trades %s %s, which no row names', (asset, symbol) => {
    const events = run(fresh(), NOON, NOON + 20_000, [instrumentId(asset, symbol)], 1_000)
    expect(events.length).toBeGreaterThan(5)
    for (const { values } of events)
      for (const value of Object.values(values))
        expect(value === undefined || Number.isNaN(value) || value > 0).toBe(true)
  })
  it('sends what the codecs read without a flaw', () => {
    const market = fresh()
    const seen = new Set<FeedId>()
    for (const event of run(market, NOON, NOON + 60_000, [btc, eur, spy], 1_000)) {
      if (seen.has(event.feed)) continue
      seen.add(event.feed)
      const { decimals, sizeDecimals } = market.decimalsOf(event.instrument)
      for (const style of ['javascript', 'python', 'fixed'] as const) {
        const { class: kind, record } = decodeText(
          event.feed,
          writerOf(event.feed, style)('S', event.values, decimals, sizeDecimals),
        )
        expect(kind).toBe('market')
        expect(record?.kind).not.toBe('unknown')
      }
    }
    expect(seen.size).toBe(11)
  })
})
