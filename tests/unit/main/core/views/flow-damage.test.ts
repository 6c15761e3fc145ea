/** Corrupt trades are told by everything that is built from them, and hide nothing of other sessions. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import { eventBarsStream } from '../../../../../src/main/core/market/event-bars/stream.ts'
import { FlowDays } from '../../../../../src/main/core/market/flow/flow-days.ts'
import { flowStream } from '../../../../../src/main/core/market/flow/flow-stream.ts'
import { readLargeTrades } from '../../../../../src/main/core/market/flow/large-trades.ts'
import { quoteMapStream } from '../../../../../src/main/core/market/flow/quote-stream.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { eventBarsPage } from '../../../../../src/main/core/views/event-bars-page.ts'
import { createViewHistory } from '../../../../../src/main/core/views/history.ts'
import type { View } from '../../../../../src/main/core/views/views.ts'
import { gridOf } from '../../../../../src/shared/core/market/calendar.ts'
import type { StreamSource } from '../../../../../src/shared/rpc/transport.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'
import { blocksOf, flip, inStore } from '../store/flip.ts'
import { DEMO, T0, Writer, type Item } from '../store/harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const DAY = 86_400_000
const day = Math.floor(T0 / DAY) * DAY

let folder: ReturnType<typeof makeStoreFolder>
let reader: LocalReader
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(async () => {
  await reader.close()
  folder.remove()
})

/** Two sessions of ten trades each, a second apart, each in a block. With one of them, all rollups can be corrupt, too. */
function record(damaged: number | null, secondMs = T0 + 3_600_000, withRollups = false): void {
  let now = T0
  const engine = new StoreEngine(folder.file, () => now)
  for (const fromMs of [T0, secondMs]) {
    now = fromMs
    engine.begin(newSessionId(fromMs), DEMO, unixMs(fromMs))
    const writer = new Writer()
    const items = Array.from({ length: 10 }, (_, i): Item => {
      const recvMs = fromMs + (i + 1) * 1_000
      return { conn: 1, data: tradeText('BTC-USD', 100 + i, 1, recvMs), recvMs }
    })
    engine.commit([writer.batch(items)])
    now += 130_000
    engine.drain()
    engine.end(unixMs(fromMs + 400_000), [])
    engine.drain()
  }
  engine.close()
  if (damaged !== null) flip(folder.file, 'block', blocksOf(folder.file, 'crypto/XT', BTC)[damaged])
  if (withRollups)
    for (const id of inStore(folder.file, (db) => db.prepare<[], number>('SELECT id FROM rollup').pluck().all()))
      flip(folder.file, 'rollup', id)
  reader = openLocalReader(folder.file)
}

function viewAt(nowMs: number): { readonly view: View; readonly failures: string[] } {
  const failures: string[] = []
  const history = createViewHistory({
    reader,
    source: () => 'demo',
    present: () => new Map(),
    committed: () => Promise.resolve(true),
    wallMs: () => nowMs,
    days: (asset) => hubCalendar.days(asset),
    failed: (what) => void failures.push(what),
  })
  const hub = createHub({ calendar: hubCalendar })
  // The parts of a view that these streams use.
  const view = { hub, history, source: () => 'demo', upTo: () => undefined, wallMs: () => nowMs } as never as View
  return { view, failures }
}

async function firstOf<T>(open: (wake: () => void) => StreamSource<T>): Promise<T | undefined> {
  const stream = await new Promise<StreamSource<T>>((resolve) => {
    const opened = open(() => resolve(opened))
  })
  const value = stream.take()
  stream.close()
  return value
}

const rule = { kind: 'tick', size: 3 } as const
const today = T0 + 2 * 3_600_000
/** The second session. */
const lost = { fromMs: T0 + 3_600_000, toMs: T0 + 4_000_000 }
const span = { feed: 'crypto/XT', cause: 'unreadable', ...lost }

describe('corrupt trades', () => {
  it('are a gap of event bars, which ends the bar before', async () => {
    record(1)
    const { view, failures } = viewAt(today)
    const page = await eventBarsPage(reader, view, { instrument: BTC, rule, beforeMs: null, limit: 50 })
    expect(page.gaps).toEqual([span])
    expect(page.bars.map(({ close, complete }) => [close, complete])).toEqual([
      ...[102, 105, 108].map((close) => [close, true]),
      [109, false],
    ])
    expect(failures).toContain('trades')
    const value = await firstOf((wake) =>
      eventBarsStream(view.hub, view.history, { instrument: BTC, rule }, () => today, wake),
    )
    expect([value?.reset, value?.gaps]).toEqual([page.bars, page.gaps])
  })

  it('hide nothing of another session, and are a gap of a day without other trades', async () => {
    record(0)
    const { view } = viewAt(today)
    const asked = { instrument: BTC, rule, beforeMs: null, limit: 50 }
    const gaps = [{ ...span, fromMs: T0, toMs: T0 + 400_000 }]
    const page = await eventBarsPage(reader, view, asked)
    expect([page.bars.map(({ close }) => close), page.gaps]).toEqual([[102, 105, 108, 109], gaps])
    expect(await eventBarsPage(reader, view, { ...asked, beforeMs: T0 + 500_000 })).toMatchObject({ bars: [], gaps })
  })

  it('are reported with the first bars, even if no bar tells of which day they are', async () => {
    record(0, T0 + 5 * DAY, true)
    const { view } = viewAt(T0 + 5 * DAY + 3_600_000)
    const page = await eventBarsPage(reader, view, { instrument: BTC, rule, beforeMs: null, limit: 50 })
    expect(page.bars).toHaveLength(4)
    expect([page.more, page.gaps]).toEqual([false, [{ ...span, fromMs: T0, toMs: T0 + 400_000 }]])
  })

  it('are counted as a gap of volume by side, also in days that are over', async () => {
    record(1)
    const profile = async (nowMs: number, days: FlowDays | null) => {
      const { view } = viewAt(nowMs)
      const args = { instrument: BTC, grid: null, rows: { decimals: 0, group: 1 }, fromMs: day, toMs: null }
      return (await firstOf((wake) => flowStream(view.hub, view.history, args, wake, days)))?.coverage
    }
    expect(await profile(today, null)).toMatchObject({ gaps: 1, trades: 10 })
    const days = new FlowDays()
    for (const _ of [1, 2]) expect(await profile(today + DAY, days)).toMatchObject({ gaps: 1, trades: 10 })
  })

  it('are told with the quotes of bars and the size of large trades', async () => {
    record(1)
    const { view } = viewAt(today)
    const args = {
      instrument: BTC,
      grid: gridOf('crypto', '1m'),
      rows: { decimals: 0, group: 1 },
      fromMs: day,
      toMs: null,
    }
    const value = await firstOf((wake) => quoteMapStream(view.hub, view.history, args, wake))
    expect(value?.unread).toEqual([lost])
    const { history } = viewAt(today + DAY).view
    expect(await readLargeTrades(history, BTC, today + DAY)).toMatchObject({ trades: 10, isWhole: false })
  })

  it('are none in a store that can be read, or has no file', async () => {
    record(null)
    const { view, failures } = viewAt(today)
    const page = await eventBarsPage(reader, view, { instrument: BTC, rule, beforeMs: null, limit: 50 })
    expect(page.gaps).toEqual([])
    expect(
      page.bars.filter(({ complete }) => !complete),
      'ended by the session',
    ).toHaveLength(1)
    expect(await readLargeTrades(viewAt(today + DAY).view.history, BTC, today + DAY)).toMatchObject({ isWhole: true })
    expect(failures).toEqual([])
  })
})
