import { NEW_SCREEN } from '../../../../src/shared/features/screener/screen.ts'
import { afterEach, describe, expect, it } from 'vitest'
import type {
  CallArgs,
  CallName,
  CallValue,
  StreamArgs,
  StreamName,
  StreamValue,
} from '../../../../src/shared/contracts.ts'
import { quietDraft } from '../../../../benchmarks/quiet-alert.ts'
import { defaultStyle } from '../../../../src/shared/features/drawings/types.ts'
import type { JobState } from '../../../../src/shared/core/jobs/jobs.ts'
import { instrumentId, unixMs } from '../../../../src/shared/base/units.ts'
import { systemClock } from '../../../../src/main/base/clock.ts'
import { dispatchCall, openStream } from '../../../../src/main/rpc/dispatch.ts'
import { openStoreReader, openStoreWriter } from '../../../../src/main/core/store/open.ts'
import type { Terminal } from '../../../../src/main/hosts/open-terminal.ts'
import type { Source } from '../../../../src/shared/core/recording/session.ts'
import { DEMO, T0, Writer, type Item } from '../core/store/harness.ts'
import { makeStoreFolder } from '../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../kit/market.ts'
import { startRealTerminal } from '../../../kit/real-terminal.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const HOUR = 3_600_000

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

/** A minute of trades and quotes, with a gap in its middle. */
function items(from: number): Item[] {
  const feed = 'crypto/XT'
  const all: Item[] = [
    { entry: { type: 'connecting', feed, conn: 1 }, wallMs: from },
    { entry: { type: 'connected', feed, conn: 1 }, wallMs: from },
    { entry: { type: 'subscribe', feed, conn: 1, symbols: ['BTC-USD'] }, wallMs: from },
    { entry: { type: 'acknowledged', feed, conn: 1, symbols: ['BTC-USD'] }, wallMs: from },
    { entry: { type: 'state', feed, conn: 1, state: 'open' }, wallMs: from },
  ]
  for (let i = 1; i <= 60; i += 1) {
    const at = from + i * 1_000
    if (i === 30) {
      all.push({ entry: { type: 'gap-open', feed, cause: 'drop', symbols: [], fromMs: unixMs(at - 500) }, wallMs: at })
      all.push({ entry: { type: 'gap-close', feed, openedSeq: all.length }, wallMs: at + 10 })
    }
    all.push({ conn: 1, data: tradeText('BTC-USD', 100 + i, 2, at), recvMs: at + 20 })
    all.push({ conn: 2, data: quoteText('BTC-USD', 99 + i, 101 + i, at), recvMs: at + 20 })
  }
  return all
}

interface Open {
  readonly terminal: Terminal
  readonly sessions: readonly string[]
  call<K extends CallName>(name: K, args: CallArgs<K>): Promise<CallValue<K>>
  refused<K extends CallName>(name: K, args: CallArgs<K>): Promise<string>
  /** Takes of a stream until one is as wanted; closes it. */
  follow<K extends StreamName>(
    name: K,
    args: StreamArgs<K>,
    until: (value: StreamValue<K>) => boolean,
  ): Promise<StreamValue<K>>
}

/** A terminal that watches the demo market over a store with sessions of these sources, an hour apart. */
async function terminalOver(sources: readonly Source[]): Promise<Open> {
  const folder = makeStoreFolder()
  cleanups.push(() => folder.remove())
  const writer = await openStoreWriter({ file: folder.file })
  for (const [i, source] of sources.entries()) {
    const from = T0 + i * HOUR
    await writer.begin(source, unixMs(from))
    writer.append(new Writer().batch(items(from)))
    await writer.end(unixMs(from + 61_000), [])
  }
  await writer.close()
  const reader = await openStoreReader({ file: folder.file })
  const sessions = (await reader.sessions()).map(({ session }) => session)
  await reader.close()
  const terminal = await startRealTerminal({
    dataDir: folder.path,
    storeFile: folder.file,
    record: false,
    wantWatchlists: false,
    clock: systemClock,
  })
  cleanups.push(() => terminal.close())
  const handlers = terminal.handlers
  return {
    terminal,
    sessions,
    async call(name, args) {
      const result = await dispatchCall(handlers, name, args)
      if (!result.ok) throw new Error(`${name}: ${result.error.message}`)
      return result.value as never // of this very name, as the contract says
    },
    async refused(name, args) {
      const result = await dispatchCall(handlers, name, args)
      return result.ok ? 'not refused' : result.error.code
    },
    follow(name, args, until) {
      return new Promise((resolve, reject) => {
        const look = () => {
          try {
            const value = opened.ok ? opened.value.take() : undefined
            if (value === undefined || !until(value as never)) return
            if (opened.ok) opened.value.close()
            resolve(value as never) // of this very name, as the contract says
          } catch (thrown) {
            reject(thrown instanceof Error ? thrown : new Error(String(thrown)))
          }
        }
        const opened = openStream(handlers, name, args, () => setImmediate(look))
        if (!opened.ok) reject(new Error(opened.error.message))
        setImmediate(look)
      })
    },
  }
}

const row = async (open: Open, view: string) =>
  (await open.follow('quotes', { view, instruments: [BTC] }, ({ rows }) => rows.length > 0)).rows[0]

describe('replays of a terminal', () => {
  it('are views of their own, two and the live one at once', async () => {
    const open = await terminalOver([DEMO, DEMO])
    const [a, b] = open.sessions
    const one = await open.call('replay.open', { sessions: [a], atMs: T0 + 10_500 })
    const two = await open.call('replay.open', { sessions: [b], atMs: T0 + HOUR + 40_500 })
    expect(one).toMatchObject({ source: 'demo', nowMs: T0 + 10_500, playing: false, at: { session: a } })
    expect(await row(open, one.id)).toMatchObject({ last: 110, bid: 109, freshness: 'live', volume: 20 })
    expect(await row(open, two.id)).toMatchObject({ last: 140 })
    expect(await row(open, 'live')).not.toMatchObject({ last: 110 })
    const status = await open.follow('status', { view: one.id }, () => true)
    expect(status).toMatchObject({ nowMs: T0 + 10_500, recorder: { is: 'off' } })
    expect(status.feeds.find(({ feed }) => feed === 'crypto/XT')).toMatchObject({
      state: { is: 'open' },
      acknowledged: ['BTC-USD'],
    })
    // Bars of the later one hold what the earlier recorded; those of the earlier nothing of the later.
    const bars = async (view: string) => {
      const args = { view, instrument: BTC, of: 'trade', interval: '1m', fromMs: null } as const
      return (await open.follow('bars', args, ({ reset }) => reset !== null)).reset
    }
    expect(await bars(one.id)).toMatchObject([{ startMs: T0, close: 110, count: 10 }])
    expect(await bars(two.id)).toMatchObject([
      { startMs: T0, close: 159, count: 59 },
      { startMs: T0 + 60_000, close: 160 },
      { startMs: T0 + HOUR, close: 140, count: 40 },
    ])
    const history = { instrument: BTC, of: 'trade', interval: '1m', beforeMs: null, limit: 10 } as const
    expect((await open.call('bars.history', { view: one.id, ...history })).bars).toHaveLength(1)
    const prints = await open.call('tape.history', { view: one.id, instrument: BTC, before: null, limit: 3 })
    expect(prints.prints.map(({ price }) => price)).toEqual([108, 109, 110])
  })

  it('go to gaps, bookmarks, the next opening, by steps; and say where there is none', async () => {
    const open = await terminalOver([DEMO, DEMO])
    const [a, b] = open.sessions
    const { id, fromMs, toMs } = await open.call('replay.open', { sessions: [b, a], atMs: null })
    expect([fromMs, toMs]).toEqual([T0, T0 + HOUR + 61_000])
    const seek = async (to: CallArgs<'replay.seek'>['to']) => (await open.call('replay.seek', { id, to })).nowMs - T0
    expect(await seek({ at: 'next gap' })).toBe(29_500)
    // What lies between two sessions is a gap, too.
    expect(await seek({ at: 'next gap' })).toBe(61_000)
    expect(await seek({ at: 'next gap' })).toBe(HOUR + 29_500)
    expect(await open.refused('replay.seek', { id, to: { at: 'next gap' } })).toBe('not-found')
    expect(await seek({ at: 'previous gap' })).toBe(61_000)
    expect(await seek({ at: 'previous gap' })).toBe(29_500)
    expect(await seek({ at: 'end' })).toBe(HOUR + 61_000)
    expect(await open.refused('replay.seek', { id, to: { at: 'next open', asset: 'crypto' } })).toBe('not-found')
    expect(await seek({ at: 'start' })).toBe(0)
    const step = async (by: 'message' | 'second' | 'bar', forward: boolean) =>
      (await open.call('replay.step', { id, by, forward, interval: '1m' })).nowMs - T0
    expect(await step('message', true)).toBe(1_020)
    expect(await step('second', true)).toBe(2_020)
    expect(await step('bar', true)).toBe(60_000)
    expect(await step('bar', true)).toBe(120_000)
    expect(await row(open, id)).toMatchObject({ last: 160, freshness: 'disconnected' })
    expect(await step('bar', false)).toBe(60_000)
    expect(await step('second', false)).toBe(59_000)
    expect(await step('message', false)).toBe(58_020)
    const here = { session: b, atMs: T0 + HOUR + 20_020, seq: null, text: 'look here' }
    const bookmark = await open.call('bookmarks.add', here)
    expect(bookmark).toMatchObject(here)
    expect(await seek({ at: 'next bookmark' })).toBe(HOUR + 20_020)
    expect(await open.refused('replay.seek', { id, to: { at: 'next bookmark' } })).toBe('not-found')
    await open.call('bookmarks.remove', { bookmark: bookmark.id })
    expect(await open.refused('replay.seek', { id, to: { at: 'bookmark', bookmark: bookmark.id } })).toBe('not-found')
    const timeline = await open.call('replay.timeline', { id, fromMs, toMs, buckets: 61 })
    expect(timeline.counts).toHaveLength(61)
    expect(timeline.counts.reduce((sum, count) => sum + count, 0)).toBe(240)
    expect(timeline.gaps.map(({ cause }) => cause)).toEqual(['drop', 'drop', 'quit', 'quit'])
  })

  it('open at a first frame with prices and a whole bar, from which the start is still there', async () => {
    const open = await terminalOver([DEMO])
    const { id, nowMs } = await open.call('replay.open', { sessions: [...open.sessions], atMs: 'first frame' })
    // The session is so short that a tenth of it comes first.
    expect(nowMs - T0).toBe(1_020 + Math.floor((61_000 - 1_020) / 10))
    expect(await row(open, id)).toMatchObject({ last: 106 })
    const start = await open.call('replay.seek', { id, to: { at: 'start' } })
    expect([start.nowMs, start.at]).toEqual([T0, null])
  })

  it('screen what was received up to their clock, also after they went back', async () => {
    const open = await terminalOver([DEMO])
    const { id } = await open.call('replay.open', { sessions: [...open.sessions], atMs: T0 + 10_500 })
    const screen = { ...NEW_SCREEN, span: '1h' as const }
    const values = async () => {
      const { rows, readMs } = await open.call('screener.read', { view: id, screen })
      return [readMs, rows.map(({ instrument, values: { price, high, low } }) => [instrument, price, high, low])]
    }
    expect(await values()).toEqual([T0 + 10_500, [[BTC, 110, 110, 101]]])
    await open.call('replay.seek', { id, to: { at: 'ms', ms: T0 + 5_500 } })
    expect(await values()).toEqual([T0 + 5_500, [[BTC, 105, 105, 101]]])
    await open.call('replay.seek', { id, to: { at: 'start' } })
    expect(await values()).toEqual([T0, []])
    const args = { view: id, screen, offset: 0, limit: 10 }
    expect(await open.follow('screener', args, ({ reading }) => reading === null)).toMatchObject({
      known: 0,
      matched: 0,
    })
  })

  it('refuse sessions that are not there, or not of one source', async () => {
    const open = await terminalOver([DEMO, { kind: 'service', origin: 'https://other.test', user: 'somebody' }])
    expect(await open.refused('replay.open', { sessions: ['nothing'], atMs: null })).toBe('not-found')
    expect(await open.refused('replay.open', { sessions: [...open.sessions], atMs: null })).toBe('ambiguous-source')
    const { id } = await open.call('replay.open', { sessions: [open.sessions[1]], atMs: T0 + HOUR + 5_000 })
    expect(await row(open, id)).toMatchObject({ last: 104 })
    expect((await open.follow('replay', { id }, () => true)).source).toBe('service:somebody@https://other.test')
  })

  it('dry-run alerts against the drawings of their own market, whatever market is live', async () => {
    const open = await terminalOver([DEMO, { kind: 'service', origin: 'https://other.test', user: 'somebody' }])
    // Trades rise from 101 to 160 in each session; the live market is the demo market.
    for (const [market, price] of [
      ['demo', 110.5],
      ['service', 140.5],
    ] as const) {
      const drawing = {
        ...({
          id: 'line',
          kind: 'horizontal',
          points: [{ ms: T0, price }],
          style: defaultStyle('horizontal'),
        } as const),
        ...{ text: '', locked: false, hidden: false, asOfMs: T0 },
      }
      await open.call('drawings.edit', { market, instrument: BTC, edit: { put: [drawing], remove: [], order: null } })
    }
    const alert = quietDraft(BTC, { is: 'drawing', of: 'last', drawing: 'line', direction: 'up' })
    await open.call('alerts.save', { id: null, alert })
    for (const [i, crossedAtS] of [11, 41].entries()) {
      const session = open.sessions[i]
      const firedMs = T0 + i * HOUR + crossedAtS * 1_000 + 20
      const job = await open.call('alerts.test', { alert, session, fromMs: null, toMs: null })
      const ended = (jobs: readonly JobState[]) => jobs.find((one) => one.id === job && one.outcome.is !== 'running')
      const outcome = ended(await open.follow('jobs', {}, (jobs) => ended(jobs) !== undefined))?.outcome
      expect(outcome).toMatchObject({ result: { listed: [{ is: 'fired', atMs: firedMs }] } })
      const { id } = await open.call('replay.open', { sessions: [session], atMs: null })
      await open.call('replay.speed', { id, speed: 'max' })
      await open.call('replay.play', { id, on: true })
      const { alerts } = await open.follow('alerts', { view: id }, (value) =>
        value.alerts.some(({ fired }) => fired > 0),
      )
      expect(alerts[0].firedMs).toBe(firedMs)
    }
  })

  it('end their streams when they are closed', async () => {
    const open = await terminalOver([DEMO])
    const { id } = await open.call('replay.open', { sessions: [...open.sessions], atMs: null })
    const ended = open.follow('quotes', { view: id, instruments: [BTC] }, () => false)
    await open.call('replay.close', { id })
    await expect(ended).rejects.toThrow('closed')
    expect(await open.refused('replay.play', { id, on: true })).toBe('not-found')
    const args = { view: id, instrument: BTC, of: 'trade', interval: '1m', beforeMs: null, limit: 10 } as const
    expect(await open.refused('bars.history', args)).toBe('not-found')
    expect(await open.call('replay.close', { id })).toBeNull()
  })
})
