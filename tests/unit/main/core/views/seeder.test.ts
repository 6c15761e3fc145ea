/** The day of a newly shown instrument is right whatever part of the hub's messages the store has. */
import { afterEach, expect, test } from 'vitest'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { createViewHistory } from '../../../../../src/main/core/views/history.ts'
import { createSeeder } from '../../../../../src/main/core/views/seeder.ts'
import { instrumentId, unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'
import { DEMO, T0, Writer, type Item } from '../store/harness.ts'
import { applyItem, cleanups, cleanUp } from './store-of.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const MINUTE = 60_000

interface Trade {
  readonly price: number
  readonly size: number
}
/** A session: what the store has of it, and what was received after the disk failed. */
interface Recorded {
  readonly stored: readonly Trade[]
  readonly lost?: readonly Trade[]
  /** The disk doesn't let it begin. */
  readonly unbegun?: boolean
}

afterEach(cleanUp)

/** The day of an instrument whose `earlier` trades were recorded before the run: the hub received `run` and, with recording off, `unrecorded`. */
async function dayOf(earlier: readonly Trade[], run: readonly Recorded[], unrecorded: readonly Trade[] = []) {
  const folder = makeStoreFolder()
  let now = T0
  const engine = new StoreEngine(folder.file, () => now)
  const hub = createHub({ calendar: hubCalendar })
  const counted = new Set<SessionId>()
  let open: SessionId | null = null
  let seq = 0
  const itemsOf = (trades: readonly Trade[]): readonly Item[] =>
    trades.map(({ price, size }) => {
      now += 1_000
      return { conn: 1, data: tradeText('BTC-USD', price, size, now), recvMs: now }
    })
  const receive = (items: readonly Item[]) => {
    for (const item of items) applyItem(hub, ++seq, item)
  }
  const begin = () => {
    now += MINUTE
    seq = 0
    const session = newSessionId(unixMs(now))
    return { session, store: () => engine.begin(session, DEMO, unixMs(now)), writer: new Writer() }
  }
  if (earlier.length > 0) {
    const first = begin()
    first.store()
    engine.commit([first.writer.batch(itemsOf(earlier))])
    engine.end(unixMs(now), [])
  }
  for (const { stored, lost = [], unbegun = false } of run) {
    const { session, store, writer } = begin()
    open = session
    counted.add(session)
    const items = itemsOf(stored)
    if (!unbegun) {
      store()
      engine.commit([writer.batch(items)])
    }
    receive(items)
    receive(itemsOf(lost))
    // All but the last one have ended, as at a midnight or after recording was off.
    if (run.at(-1)?.stored !== stored) engine.end(unixMs(now), [])
  }
  if (unrecorded.length > 0) {
    open = null
    engine.end(unixMs(now), [])
    receive(itemsOf(unrecorded))
  }
  const reader = openLocalReader(folder.file)
  cleanups.push(
    () => folder.remove(),
    () => engine.close(),
    () => reader.close(),
  )
  const isWhole = run.every(({ lost = [], unbegun }) => lost.length === 0 && unbegun !== true)
  const history = createViewHistory({
    reader,
    source: () => 'demo',
    present: () => new Map(open === null ? [] : [[open, seq]]),
    committed: () => Promise.resolve(isWhole),
    counted: () => counted,
    wallMs: () => now,
    days: (asset) => hubCalendar.days(asset),
    failed: (what, thrown) => {
      throw new Error(what, { cause: thrown })
    },
  })
  const { promise: seeded, resolve } = Promise.withResolvers<void>()
  const seeder = createSeeder(
    {
      cell: (id) => hub.cell(id),
      seed(id, seed) {
        hub.seed(id, seed)
        resolve()
      },
    },
    history,
  )
  seeder.seed(BTC)
  receive(itemsOf([{ price: 101, size: 1 }])) // while the store is read
  await seeded
  const { open: first, high, low, last, volume } = hub.cell(BTC)
  return { open: first, high, low, last, volume }
}

const EARLIER = [{ price: 100, size: 5 }]

test('what the hub received is in the volume of the day once, while all of it is stored', async () => {
  expect(await dayOf(EARLIER, [{ stored: [{ price: 104, size: 3 }] }])).toEqual({
    open: 100,
    high: 104,
    low: 100,
    last: 101,
    volume: 9,
  })
  expect(await dayOf([], [{ stored: [{ price: 104, size: 3 }] }])).toMatchObject({ open: 104, volume: 4 })
})

test('what a failing disk doesn’t take of an open session is in the volume of the day', async () => {
  const run = [{ stored: [{ price: 104, size: 3 }], lost: [{ price: 90, size: 7 }] }]
  expect(await dayOf(EARLIER, run)).toEqual({ open: 100, high: 104, low: 90, last: 101, volume: 16 })
})

test('a session that a full disk doesn’t let begin doesn’t count an earlier one of the run twice', async () => {
  const run = [{ stored: [{ price: 104, size: 3 }] }, { stored: [{ price: 103, size: 2 }], unbegun: true }]
  expect(await dayOf(EARLIER, run)).toMatchObject({ open: 100, volume: 11 })
  expect(await dayOf(EARLIER, run.slice(1))).toMatchObject({ open: 100, volume: 8 })
})

test('what was received with recording off is in the volume of the day', async () => {
  const run = [{ stored: [{ price: 104, size: 3 }] }]
  expect(await dayOf(EARLIER, run, [{ price: 102, size: 4 }])).toMatchObject({ open: 100, volume: 13 })
  expect(await dayOf(EARLIER, [], [{ price: 102, size: 4 }])).toMatchObject({ open: 100, volume: 10 })
})
