/** Bars of the feed that was named and no other, and the columns of extended bars. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runExport } from '../../../../../src/main/features/export/run.ts'
import type { ExportRequest } from '../../../../../src/shared/features/export/export.ts'
import type { FeedId } from '../../../../../src/shared/base/units.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'
import { recorded, type RecordedStore } from './recorded.ts'
import { exportRequest } from '../../../../kit/export.ts'

const MINUTE = 60_000
const START = Math.ceil(T0 / MINUTE) * MINUTE

const request = (more: Partial<ExportRequest>): ExportRequest =>
  exportRequest({ what: 'bars', feed: 'crypto/XA', ...more })

interface Ohlcv {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

/** A bar as the service sends it; received as it ends. */
function barItem(
  conn: number,
  ev: string,
  startMs: number,
  ms: number,
  { open, high, low, close, volume }: Ohlcv,
): Item {
  const message = { ev, pair: 'BTC-USD', o: open, h: high, l: low, c: close, v: volume, s: startMs, e: startMs + ms }
  return { conn, data: JSON.stringify(message), recvMs: startMs + ms }
}

const second = (i: number): Ohlcv => ({ open: 100 + i, high: 103 + i, low: 99 + i, close: 101 + i, volume: i + 0.1 })
const minuteOf200 = { open: 200, high: 209, low: 190, close: 205, volume: 7 }

async function rowsOf(store: RecordedStore, more: Partial<ExportRequest>, name: string) {
  const done = await runExport(store.reader, request(more), join(store.path, name))
  const lines = (await readFile(join(store.path, name), 'utf8')).trimEnd().split('\n')
  const [head = [], ...rows] = lines.map((line) => line.split(','))
  const manifest = JSON.parse(await readFile(done.manifest ?? '', 'utf8')) as { feed: string; columns: string[] }
  return { done, manifest, cells: rows.map((row) => Object.fromEntries(head.map((key, i) => [key, row[i] ?? '']))) }
}

describe('bars of a feed that is named', () => {
  const feeds: FeedId[] = ['crypto/XA', 'crypto/XAS']
  let both: RecordedStore
  let seconds: RecordedStore
  beforeAll(async () => {
    const ofSeconds = (conn: number) =>
      Array.from({ length: 60 }, (_, i) => barItem(conn, 'XAS', START + i * 1_000, 1_000, second(i)))
    both = await recorded([[...ofSeconds(2), barItem(1, 'XA', START, MINUTE, minuteOf200)]], { feeds })
    seconds = await recorded([ofSeconds(1)], { feeds: ['crypto/XAS'] })
  })
  afterAll(async () => {
    await both.close()
    await seconds.close()
  })

  it('are its own, though another feed of the service has the interval, and the manifest says so', async () => {
    const folded = await rowsOf(both, { feed: 'crypto/XAS' }, 'xas.csv')
    expect(folded.manifest.feed).toBe('crypto/XAS')
    expect(folded.done.feed).toBe('crypto/XAS')
    expect(folded.cells).toMatchObject([
      { open: '100', high: '162', low: '99', close: '160', volume: '1776', count: '60' },
    ])
    const sent = await rowsOf(both, { feed: 'crypto/XA' }, 'xa.csv')
    expect([sent.manifest.feed, sent.cells]).toMatchObject(['crypto/XA', [{ open: '200', close: '205', volume: '7' }]])
  })

  it('need no other feed to be stored', async () => {
    const { cells } = await rowsOf(seconds, { feed: 'crypto/XAS' }, 'alone.csv')
    expect(cells).toMatchObject([{ open: '100', close: '160' }])
    const split = await runExport(
      seconds.reader,
      request({ feed: 'crypto/XAS', split: 'day' }),
      join(seconds.path, 'd.csv'),
    )
    expect(split.files).toMatchObject([{ rows: 1 }])
  })

  it('are refused where its bars are longer than the interval', async () => {
    await expect(
      runExport(both.reader, request({ feed: 'crypto/XA', interval: '1s' }), join(both.path, 'never.csv')),
    ).rejects.toMatchObject({ code: 'usage', message: 'crypto/XA sends 1m bars, not 1s.' })
  })

  it('of the market come from the feed of the interval, where the market is named by its trades', async () => {
    const { manifest } = await rowsOf(both, { feed: 'crypto/XT', of: 'service' }, 'market.csv')
    expect(manifest.feed).toBe('crypto/XA')
  })

  it('fold to minutes exactly, whatever the seconds are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            at: fc.integer({ min: 0, max: 299 }),
            open: fc.integer({ min: 1, max: 10_000 }),
            close: fc.integer({ min: 1, max: 10_000 }),
            up: fc.integer({ min: 0, max: 50 }),
            volume: fc.integer({ min: 0, max: 1_000 }),
          }),
          { minLength: 1, maxLength: 40 },
        ),
        async (drawn) => {
          const unique = [...new Map(drawn.map((one) => [one.at, one])).values()].sort((a, b) => a.at - b.at)
          const bars = unique.map(({ at, open, close, up, volume }) => ({
            at,
            bar: { open, close, high: Math.max(open, close) + up, low: Math.min(open, close), volume },
          }))
          const items = bars.map(({ at, bar }) => barItem(1, 'XAS', START + at * 1_000, 1_000, bar))
          const store = await recorded([items], { feeds: ['crypto/XAS'] })
          const { cells } = await rowsOf(store, { feed: 'crypto/XAS' }, 'folded.csv')
          await store.close()
          const expected = [...Map.groupBy(bars, ({ at }) => Math.floor(at / 60))].map(([minute, group]) => ({
            start_ms: String(START + minute * MINUTE),
            open: String(group[0]?.bar.open),
            high: String(Math.max(...group.map(({ bar }) => bar.high))),
            low: String(Math.min(...group.map(({ bar }) => bar.low))),
            close: String(group.at(-1)?.bar.close),
            volume: String(group.reduce((sum, { bar }) => sum + bar.volume, 0)),
          }))
          expect(cells).toMatchObject(expected)
        },
      ),
      { numRuns: 10 },
    )
  })
})

describe('extended bars', () => {
  let store: RecordedStore
  const prints = [
    [0, 100, 2],
    [10_000, 110, 1],
    [59_999, 90, 1],
    [61_000, 50, 0.5],
  ] as const
  beforeAll(async () => {
    const control: Item = { conn: 1, data: '{"type":"subscribed","tickers":["BTC-USD"]}', flags: 4, recvMs: START }
    store = await recorded([
      [
        control,
        ...prints.map(([at, p, s]): Item => ({
          conn: 1,
          data: tradeText('BTC-USD', p, s, START + at),
          recvMs: START + at,
        })),
      ],
    ])
  })
  afterAll(() => store.close())

  it('append feed, end and VWAP, under a schema of their own', async () => {
    const { manifest, cells } = await rowsOf(store, { feed: 'crypto/XT', extended: true }, 'more.csv')
    expect(manifest).toMatchObject({ schema: 'tapedeck/bars/1+extended', feed: 'crypto/XT' })
    expect(manifest.columns.slice(11)).toEqual(['feed', 'end_ms', 'end_iso', 'vwap'])
    expect(cells).toMatchObject([
      { close: '90', volume: '4', feed: 'crypto/XT', end_ms: String(START + MINUTE), vwap: '100' },
      { close: '50', volume: '0.5', end_iso: new Date(START + 2 * MINUTE).toISOString(), vwap: '50' },
    ])
  })

  it('have no VWAP where bars are not of trades', async () => {
    const quote = quoteText('BTC-USD', 1, 3, START)
    const quotes = await recorded([[{ conn: 1, data: quote, recvMs: START }]], { feeds: ['crypto/XQ'] })
    const { cells } = await rowsOf(quotes, { feed: 'crypto/XQ', extended: true }, 'quotes.csv')
    await quotes.close()
    expect(cells).toMatchObject([{ of: 'mid', close: '2', vwap: '' }])
  })

  it('leave the bars of before as they were, to the byte', async () => {
    const { manifest } = await rowsOf(store, { feed: 'crypto/XT' }, 'plain.csv')
    expect(manifest).toMatchObject({ schema: 'tapedeck/bars/1' })
    const [head, first] = (await readFile(join(store.path, 'plain.csv'), 'utf8')).split('\n')
    expect(head).toBe('symbol,start_ms,start_iso,open,high,low,close,volume,count,complete,of')
    expect(first).toBe(`BTC-USD,${START},${new Date(START).toISOString()},100,110,90,90,4,3,true,trade`)
  })
})
