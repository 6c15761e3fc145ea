import { describe, expect, it } from 'vitest'
import { screener } from '../../../../../src/main/features/screener/feature.ts'
import { dispatchCall, handlersOf } from '../../../../../src/main/rpc/dispatch.ts'
import type { Started } from '../../../../../src/main/terminal/feature.ts'
import { MAX_SCREEN_ROWS } from '../../../../../src/shared/features/screener/contract.ts'
import { NEW_SCREEN, type SavedScreen, type Screen } from '../../../../../src/shared/features/screener/screen.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'

const T0 = Date.UTC(2026, 0, 5, 12)
const MINUTE = 60_000
const dear: Screen = { ...NEW_SCREEN, span: '1h', filters: [{ metric: 'price', min: 100, max: null }] }

/** The screener of a terminal with one saved screen, over a store that tests control. */
async function open(symbols: readonly string[] = ['BTC-USD'], screen: Screen = dear, stocks: readonly string[] = []) {
  let nowMs = T0
  /** The saved response with AAPL's ratios; '': none yet. */
  let ratios = ''
  let responses = 0
  let price = 50
  let failing = ''
  const saved: SavedScreen = { id: 'a', name: 'Dear', screen, alerts: true }
  const sweeps: ((nowMs: number) => void)[] = []
  const told: string[] = []
  const logged: string[] = []
  const view = {
    ...{ live: true, wallMs: () => nowMs, source: () => 'demo', upTo: () => undefined },
    hub: { cells: () => [], find: () => undefined, onReset: () => () => undefined },
    history: {
      readableBars() {
        if (failing !== '') return Promise.reject(new Error(failing))
        const bar = { open: price, high: price, low: price, close: price, volume: 1, count: 1, complete: true }
        const bars = [{ startMs: unixMs(nowMs - 2 * MINUTE), endMs: unixMs(nowMs - MINUTE), ...bar }]
        return Promise.resolve({ bars, gaps: [] })
      },
    },
  }
  const reader = {
    async instruments({ feed }: { feed: string }) {
      if (feed === 'crypto/XT')
        return symbols.map((one) => ({ instrument: instrumentId('crypto', one), symbols: [one] }))
      if (feed === 'stocks/T') return stocks.map((one) => ({ instrument: instrumentId('stocks', one), symbols: [one] }))
      return []
    },
    ...{ sessions: async () => [], gaps: async () => [], entries: async () => [] },
  }
  // Only what the screener uses.
  const services = {
    settings: { get: () => ({ watchlists: [], screener: { screens: [saved] } }) },
    log: { add: (_level: string, _from: string, text: string) => void logged.push(text) },
    store: { reader },
    live: { onSweep: (sweep: (ms: number) => void) => void sweeps.push(sweep), onSourceChange: () => undefined },
    views: { get: () => view },
    research: {
      latest: async () => (ratios === '' ? [] : [{ id: responses, endpoint: 'ratios-ttm', symbol: 'AAPL' }]),
      version: async () => ({ text: ratios }),
    },
    market: { settled: async () => undefined },
  }
  const host = {
    clock: { monoNs: () => nowMs * 1e6 },
    host: 'app',
    notify: ({ body }: { body: string }) => void told.push(body),
  }
  const started: Started<unknown> = await screener.start(services as never, host as never)
  return {
    told,
    logged,
    set: (to: number) => void (price = to),
    fail: (why: string) => void (failing = why),
    /** Saves a response with this price-to-earnings ratio. */
    fetchRatio(priceToEarnings: number) {
      responses += 1
      ratios = JSON.stringify({ pe_ratio: priceToEarnings })
    },
    read: (one: Screen) =>
      dispatchCall(handlersOf(started.responders ?? []), 'screener.read', { view: 'live', screen: one }),
    /** Lets time pass, second by second, with all that is read meanwhile. */
    async wait(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        nowMs += 1_000
        for (const sweep of sweeps) sweep(nowMs)
        for (let turn = 0; turn < 30; turn++) await Promise.resolve()
      }
    },
  }
}

describe('a saved screen with alerts', () => {
  it('reports who enters and leaves, after its first reading', async () => {
    const one = await open()
    await one.wait(20)
    one.set(200)
    await one.wait(25)
    one.set(50)
    await one.wait(25)
    expect(one.told).toEqual(['Entered: BTC-USD.', 'Left: BTC-USD.'])
  })
  it('reports nothing while the store can’t be read, and logs that once', async () => {
    const one = await open()
    one.set(200)
    await one.wait(20)
    one.fail('The disk is gone.')
    await one.wait(60)
    expect(one.told).toEqual([])
    expect(one.logged).toEqual(['Dear: couldn’t read the data, so changes aren’t reported.'])
    one.fail('')
    await one.wait(25)
    expect(one.told).toEqual([])
    one.set(50)
    await one.wait(25)
    expect(one.told).toEqual(['Left: BTC-USD.'])
  })
  it('takes every row, however many there are and whatever their order', async () => {
    const symbols = Array.from({ length: MAX_SCREEN_ROWS + 10 }, (_, i) => `C${i}-USD`)
    const one = await open(symbols, { ...dear, sort: { metric: null, descending: false } })
    one.set(200)
    await one.wait(60)
    one.set(50)
    for (let i = 0; i < 60 && one.told.length === 0; i++) await one.wait(1)
    expect(one.told).toEqual([`Left: C0-USD, C1-USD, C10-USD, C100-USD, C1000-USD, ${symbols.length - 5} more.`])
  })
})

describe('a saved screen on fundamentals', () => {
  const cheap: Screen = { ...dear, filters: [{ metric: 'priceToEarnings', min: null, max: 20 }] }

  it('takes the first response of a company as no change, and reports what changes afterwards', async () => {
    const one = await open([], cheap, ['AAPL'])
    await one.wait(20)
    one.fetchRatio(15)
    await one.wait(25)
    expect(one.told, 'the first response').toEqual([])
    one.fetchRatio(30)
    await one.wait(25)
    one.fetchRatio(18)
    await one.wait(25)
    expect(one.told).toEqual(['Left: AAPL.', 'Entered: AAPL.'])
  })
})

describe('screener.read', () => {
  it('has every row', async () => {
    const symbols = Array.from({ length: MAX_SCREEN_ROWS + 10 }, (_, i) => `C${i}-USD`)
    const one = await open(symbols)
    expect(await one.read({ ...dear, filters: [] })).toMatchObject({ ok: true, value: { matched: symbols.length } })
    const { value } = (await one.read({ ...dear, filters: [] })) as { value: { rows: readonly unknown[] } }
    expect(value.rows).toHaveLength(symbols.length)
  })
  it('fails with the reason instead of giving blanks', async () => {
    const one = await open()
    one.fail('The disk is gone.')
    expect(await one.read(dear)).toMatchObject({ ok: false, error: { detail: 'The disk is gone.' } })
  })
})
