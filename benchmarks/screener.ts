/**
 * What an open screen over 550 instruments costs: its look at them each second, and reading their bars again every 15
 * seconds. Messages cost it nothing: it registers nothing that a message passes.
 */
import { join } from 'node:path'
import { createDigestFold } from '../src/main/core/market/digest.ts'
import { createHub } from '../src/main/core/market/hub.ts'
import { hubCalendar } from '../src/main/core/market/hub-calendar.ts'
import { createMarket } from '../src/main/core/market/market.ts'
import { openStoreReader } from '../src/main/core/store/open.ts'
import { createViewHistory } from '../src/main/core/views/history.ts'
import { storedInstruments } from '../src/main/features/screener/read-facts.ts'
import { ViewScreener } from '../src/main/features/screener/view-screener.ts'
import { NEW_SCREEN, universeOf, type Screen } from '../src/shared/features/screener/screen.ts'
import { instrumentId } from '../src/shared/base/units.ts'
import { ownSeconds } from './cpu.ts'
import { makeSession } from './replay.ts'
import { row, type Row } from './row.ts'
import { inFolder } from './session.ts'

const READER_WORKER = new URL('../src/main/reader-worker.ts', import.meta.url)
const INSTRUMENTS = 550
const HOUR_MS = 3_600_000
/** How often the terminal reads bars again, s. */
const READ_EVERY_S = 15
const PAGE = 60

const screen: Screen = {
  ...NEW_SCREEN,
  span: '1h',
  reference: instrumentId('crypto', 'C1-USD'),
  filters: [{ metric: 'coverage', min: 0, max: null }],
  columns: [...NEW_SCREEN.columns, 'correlation', 'gaps', 'age'],
}

/** `count`: messages stored over an hour; `looks`: how often it is looked. */
export async function benchScreener(count = 200_000, looks = 400): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    const file = join(folder, 'tapedeck.db')
    const hub = createHub({ calendar: hubCalendar })
    const market = createMarket(hub, createDigestFold())
    const session = makeSession(file, count, HOUR_MS / count, INSTRUMENTS, market)
    const reader = await openStoreReader({ file, worker: READER_WORKER })
    let realMs = 0
    const history = createViewHistory({
      reader,
      source: () => 'demo',
      present: () => new Map(),
      committed: () => Promise.resolve(true),
      wallMs: () => session.toMs,
      days: (asset) => hubCalendar.days(asset),
      failed: (what, thrown) => {
        throw new Error(`could not read ${what}`, { cause: thrown })
      },
    })
    const screener = new ViewScreener({
      view: { live: true, wallMs: () => session.toMs, hub, history },
      instruments: () => storedInstruments(reader, 'demo'),
      sessions: async () => [],
      fundamentals: async () => new Map(),
      inUniverse: (universe) => universeOf(universe, []),
      realMs: () => realMs,
      changed: () => undefined,
    })
    try {
      // Once before: indexes and bars of past days are then there, as after the first look.
      await screener.settle(screen)
      const { known, matched } = screener.page(screen, 0, PAGE)
      if (known !== INSTRUMENTS || matched !== INSTRUMENTS) throw new Error(`${matched} of ${known} instruments`)
      const [readFrom, readAt] = [ownSeconds(), performance.now()]
      screener.forget()
      await screener.settle(screen)
      const read = ownSeconds() - readFrom
      const readMs = performance.now() - readAt
      const lookFrom = ownSeconds()
      for (let i = 0; i < looks; i++) {
        realMs += 1
        screener.page(screen, 0, PAGE)
      }
      const look = (ownSeconds() - lookFrom) / looks
      const of = { unit: 'ms per second', peer: 1_000, peerName: 'one core' }
      return [
        row({
          ...{ ...of, name: `a screen over ${INSTRUMENTS} symbols, looked at each second` },
          ...{ ours: look * 1_000, goal: { is: 'at most', ratio: 0.01 } },
        }),
        row({
          ...{ ...of, name: `their bars, read again every ${READ_EVERY_S} s, all threads` },
          ...{ ours: (read * 1_000) / READ_EVERY_S, goal: { is: 'at most', ratio: 0.1 } },
        }),
        row({
          name: 'one reading of their bars',
          ...{ unit: 'ms', ours: readMs, peer: READ_EVERY_S * 1_000, peerName: `${READ_EVERY_S} s` },
          goal: { is: 'at most', ratio: 0.5 },
        }),
      ]
    } finally {
      screener.close()
      await reader.close()
    }
  })
}
