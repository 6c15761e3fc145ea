/** Time between two sessions for which nothing is stored: figures of sides count it, live and from the store alike. */
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { FlowDays } from '../../../../../src/main/core/market/flow/flow-days.ts'
import { flowStream } from '../../../../../src/main/core/market/flow/flow-stream.ts'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import type { Hub } from '../../../../../src/main/core/market/hub-types.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { createViewHistory, type ViewHistory } from '../../../../../src/main/core/views/history.ts'
import { scratch } from '../../../../../src/service/codec.ts'
import { decodeStored } from '../../../../../src/service/codecs/decode-stored.ts'
import { instrumentId, unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import type { FlowCoverage } from '../../../../../src/shared/core/market/flow/flow-bars.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'
import { DEMO, T0, Writer, type Item } from '../store/harness.ts'
import { cleanups, cleanUp } from './store-of.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const FEED_OF = ['crypto/XT', 'crypto/XQ'] as const
const HOUR = 3_600_000
const DAY = 24 * HOUR
const day = Math.floor(T0 / DAY) * DAY

afterEach(cleanUp)

interface Session {
  readonly startedMs: number
  readonly endedMs: number
  readonly items: readonly Item[]
}

interface Stored {
  readonly reader: LocalReader
  readonly ids: readonly SessionId[]
}

/** Stores sessions; of the last one, which still goes on, only a number of items. */
function storeOf(sessions: readonly Session[], lastItems: number, isLastOpen: boolean, isSealed = true): Stored {
  const folder = makeStoreFolder()
  let now = T0
  const engine = new StoreEngine(folder.file, () => now)
  const ids: SessionId[] = []
  for (const [i, { startedMs, endedMs, items }] of sessions.entries()) {
    const isLast = i === sessions.length - 1
    now = startedMs
    ids.push(newSessionId(unixMs(startedMs)))
    engine.begin(ids[i], DEMO, unixMs(startedMs))
    engine.commit([new Writer().batch(isLast ? items.slice(0, lastItems) : items)])
    if (isLast && isLastOpen) break
    now = endedMs
    engine.end(unixMs(endedMs), [])
    if (isSealed) engine.drain()
  }
  const reader = openLocalReader(folder.file)
  cleanups.push(
    () => folder.remove(),
    () => engine.close(),
    () => reader.close(),
  )
  return { reader, ids }
}

/** Stores a session that a crash leaves open, and what the next start records, before any background work. */
function afterCrash(crashed: Session, next: Session): Stored {
  const folder = makeStoreFolder()
  const ids = [crashed, next].map(({ startedMs, items }) => {
    const engine = new StoreEngine(folder.file, () => T0)
    const id = newSessionId(unixMs(startedMs))
    engine.begin(id, DEMO, unixMs(startedMs))
    engine.commit([{ ...new Writer().batch(items), connections: [{ conn: 1, feed: 'crypto/XT' }] }])
    engine.close()
    return id
  })
  const reader = openLocalReader(folder.file)
  cleanups.push(
    () => folder.remove(),
    () => reader.close(),
  )
  return { reader, ids }
}

const historyOf = (reader: LocalReader, open: ReadonlyMap<SessionId, number>, nowMs: number): ViewHistory =>
  createViewHistory({
    reader,
    source: () => 'demo',
    present: () => open,
    committed: () => Promise.resolve(true),
    wallMs: () => nowMs,
    days: (asset) => hubCalendar.days(asset),
    failed(what, thrown) {
      throw new Error(`${what}: ${String(thrown)}`)
    },
  })

const record = scratch()
const encoder = new TextEncoder()
/** Applies an item as the live market does. */
function apply(hub: Hub, seq: number, item: Item): void {
  if ('entry' in item) {
    if (item.entry.type === 'gap-open') hub.gapOpened(item.entry.feed, item.entry.cause, [], item.entry.fromMs)
    return
  }
  const bytes = typeof item.data === 'string' ? encoder.encode(item.data) : item.data
  const feed = FEED_OF[item.conn - 1]
  if (decodeStored(feed, 0, bytes, 0, bytes.length, record) === 'market')
    hub.apply(feed, seq, unixMs(item.recvMs ?? 0), record)
}

const trade = (atMs: number): Item => ({ conn: 1, data: tradeText('BTC-USD', 100, 1, atMs), recvMs: atMs })
const quote = (atMs: number): Item => ({ conn: 2, data: quoteText('BTC-USD', 99, 100, atMs), recvMs: atMs })
const gap = (atMs: number, cause: 'drop' | 'quit' = 'drop'): Item => ({
  entry: { type: 'gap-open', feed: 'crypto/XT', cause, symbols: [], fromMs: unixMs(atMs) },
  wallMs: atMs,
})
const gapClose = (openedSeq: number, atMs: number): Item => ({
  entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq },
  wallMs: atMs,
})
const connecting = (atMs: number): Item => ({ entry: { type: 'connecting', feed: 'crypto/XT', conn: 1 }, wallMs: atMs })
const session = (startedMs: number, endedMs: number, ...items: readonly Item[]): Session => ({
  startedMs,
  endedMs,
  items,
})

interface Figure {
  readonly hub?: Hub
  readonly history: ViewHistory
  readonly days?: FlowDays | null
  readonly fromMs?: number
  readonly toMs?: number | null
  readonly act?: () => void
}

/** The coverage of a figure: of what is stored, then of what `act` brings. */
async function coverageOf({ hub = createHub({ calendar: hubCalendar }), history, days = null, ...range }: Figure) {
  const { fromMs = day, toMs = null, act = () => undefined } = range
  const stream = await new Promise<ReturnType<typeof flowStream>>((resolve) => {
    const args = { instrument: BTC, grid: null, rows: { decimals: 2, group: 1 }, fromMs, toMs }
    const opened = flowStream(hub, history, args, () => resolve(opened), days)
  })
  let coverage: FlowCoverage | undefined = stream.take()?.coverage
  act()
  coverage = stream.take()?.coverage ?? coverage
  stream.close()
  return coverage
}

const wholeOf = ({ reader }: Stored, nowMs = day + 3 * DAY) => historyOf(reader, new Map(), nowMs)
const countsOf = async (sessions: readonly Session[], range: { fromMs?: number; toMs?: number } = {}) => {
  const history = wholeOf(storeOf(sessions, Infinity, false))
  const coverage = await coverageOf({ history, ...range })
  expect(await coverageOf({ history, days: new FlowDays(), ...range }), 'read day by day').toEqual(coverage)
  return { gaps: coverage?.gaps, breaks: coverage?.breaks }
}

describe('a break between two sessions', () => {
  const [ten, eleven, noon] = [day + 10 * HOUR, day + 11 * HOUR, day + 12 * HOUR]

  it('counts once, apart from gaps, wherever the session before ended', async () => {
    const before = session(ten, eleven, trade(ten + 1), gap(eleven - 5, 'quit'))
    expect(await countsOf([before, session(noon, noon + HOUR, trade(noon + 1), quote(noon + 2))])).toEqual({
      gaps: 0,
      breaks: 1,
    })
    const nextDay = session(ten + DAY, eleven + DAY, quote(ten + DAY + 1), gap(ten + DAY + 2), quote(ten + DAY + 3))
    expect(await countsOf([before, nextDay])).toEqual({ gaps: 1, breaks: 1 })
    const silent = session(noon, noon + HOUR)
    expect(await countsOf([before, silent, nextDay])).toEqual({ gaps: 1, breaks: 1 })
  })

  it('is none where a session follows at once, as at midnight', async () => {
    const midnight = day + DAY
    const sessions = [
      session(ten, midnight, trade(ten + 1)),
      session(midnight, midnight + DAY, trade(midnight + 5)),
      session(midnight + DAY, midnight + DAY + HOUR, trade(midnight + DAY + HOUR)),
    ]
    expect(await countsOf(sessions)).toEqual({ gaps: 0, breaks: 0 })
  })

  it('counts only in figures with messages of both', async () => {
    const sessions = [session(ten, eleven, trade(ten + 1)), session(noon, noon + HOUR, trade(noon + 1))]
    expect(await countsOf(sessions, { fromMs: eleven })).toEqual({ gaps: 0, breaks: 0 })
    expect(await countsOf(sessions, { toMs: ten + 1 })).toEqual({ gaps: 0, breaks: 0 })
    expect(await countsOf(sessions, { toMs: noon + HOUR })).toEqual({ gaps: 0, breaks: 1 })
  })

  it('counts although the clock was set back in between, and before the end of the first session is written', async () => {
    const late = session(ten, noon, trade(ten + 1))
    expect(await countsOf([late, session(eleven, noon, trade(eleven + 1))])).toEqual({ gaps: 0, breaks: 1 })
    const unsealed = storeOf([late, session(noon + 1, noon + HOUR, trade(noon + 2))], Infinity, true, false)
    expect((await unsealed.reader.sessions())[0].endedMs, 'not written yet').toBeNull()
    expect(await coverageOf({ history: wholeOf(unsealed) })).toMatchObject({ breaks: 1 })
    const midnight = day + DAY
    const rolled = [session(ten, midnight, trade(ten + 1)), session(midnight, midnight + HOUR, trade(midnight + 1))]
    expect(await coverageOf({ history: wholeOf(storeOf(rolled, Infinity, true, false)) })).toMatchObject({ breaks: 0 })
  })

  it('counts after a session that a crash or a stop ended before midnight, before that end is written', async () => {
    const midnight = day + DAY
    const next = session(midnight + 2_000, midnight + HOUR, trade(midnight + 3_000))
    const stopped = session(ten, midnight - 5_000, trade(ten + 1), gap(midnight - 5_000, 'quit'))
    expect(await coverageOf({ history: wholeOf(storeOf([stopped, next], Infinity, true, false)) })).toMatchObject({
      gaps: 0,
      breaks: 1,
    })
    const crashed = afterCrash(session(ten, Infinity, connecting(ten), trade(midnight - 1_000)), next)
    expect((await crashed.reader.sessions())[0].endedMs, 'not written yet').toBeNull()
    expect(await coverageOf({ history: wholeOf(crashed) })).toMatchObject({ gaps: 0, breaks: 1 })
    const dropped = [
      session(ten, midnight, trade(ten + 1), gap(midnight - 5_000), gapClose(2, midnight)),
      session(midnight, midnight + HOUR, gap(midnight), trade(midnight + 5)),
    ]
    // A gap over midnight is one.
    expect(await countsOf(dropped)).toEqual({ gaps: 1, breaks: 0 })
    expect(await coverageOf({ history: wholeOf(storeOf(dropped, Infinity, true, false)) })).toMatchObject({
      gaps: 1,
      breaks: 0,
    })
  })

  it('is the same live, from the store, and read day by day', async () => {
    const event = fc.record({
      afterMs: fc.constantFrom(1, 40, 2_000, 600_000, 3 * HOUR, 20 * HOUR),
      what: fc.constantFrom('trade', 'trade', 'quote', 'quote', 'gap', 'stop', 'stop', 'roll'),
    })
    let breaks = 0
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 6, maxLength: 16 }), fc.nat(1_000), async (list, place) => {
        const sessions = sessionsOf(list)
        const nowMs = sessions[sessions.length - 1].endedMs + DAY
        const stored = wholeOf(storeOf(sessions, Infinity, false), nowMs)
        const expected = await coverageOf({ history: stored })
        expect(await coverageOf({ history: stored, days: new FlowDays() })).toEqual(expected)
        breaks += expected?.breaks ?? 0

        // Opened while a session is recorded: the rest arrives.
        const open = place % sessions.length
        const items = place % (sessions[open].items.length + 1)
        const { reader, ids } = storeOf(sessions.slice(0, open + 1), items, true)
        const hub = createHub({ calendar: hubCalendar })
        const act = () => {
          for (const [i, item] of sessions[open].items.entries()) if (i >= items) apply(hub, i + 1, item)
          for (let i = open + 1; i < sessions.length; i++) {
            hub.sessionBegan(sessions[i].startedMs !== sessions[i - 1].endedMs)
            for (const [j, item] of sessions[i].items.entries()) apply(hub, j + 1, item)
          }
          hub.sessionBegan(false)
        }
        const history = historyOf(reader, new Map([[ids[open], items]]), nowMs)
        expect(await coverageOf({ hub, history, act })).toEqual(expected)
        await cleanUp()
      }),
      { numRuns: 10, seed: 17 },
    )
    expect(breaks).toBeGreaterThan(5)
  }, 60_000)
})

/** What is recorded of these events. A stop begins another session 5 s later, a roll at once. */
function sessionsOf(list: readonly { readonly afterMs: number; readonly what: string }[]): readonly Session[] {
  const sessions: Session[] = []
  let at = day + 9 * HOUR
  let startedMs = at
  let items: Item[] = []
  const end = (nextMs: number) => {
    sessions.push({ startedMs, endedMs: at, items })
    startedMs = at = nextMs
    items = []
  }
  for (const { afterMs, what } of list) {
    at += afterMs
    if (what === 'trade') items.push(trade(at))
    else if (what === 'quote') items.push(quote(at))
    else if (what === 'gap') items.push(gap(at))
    else end(what === 'stop' ? at + 5_000 : at)
  }
  end(at)
  return sessions
}
