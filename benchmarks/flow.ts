/** A volume profile of 30 days of one symbol: the very first one, which reads every trade and quote, and later ones. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { FlowDayFiles } from '../src/main/core/market/flow/flow-day-files.ts'
import { FlowDays } from '../src/main/core/market/flow/flow-days.ts'
import { flowStream } from '../src/main/core/market/flow/flow-stream.ts'
import { createHub } from '../src/main/core/market/hub.ts'
import { hubCalendar } from '../src/main/core/market/hub-calendar.ts'
import { openStoreReader } from '../src/main/core/store/open.ts'
import { newColumns } from '../src/main/core/store/format/message-columns.ts'
import { StoreEngine } from '../src/main/core/store/threads/engine.ts'
import { newSessionId } from '../src/main/core/store/types/session-id.ts'
import { createViewHistory } from '../src/main/core/views/history.ts'
import type { FlowValue } from '../src/shared/core/views/contract.ts'
import type { StreamSource } from '../src/shared/rpc/transport.ts'
import { instrumentId, unixMs } from '../src/shared/base/units.ts'
import { ownSeconds } from './cpu.ts'
import { row, type Row } from './row.ts'
import { inFolder } from './session.ts'

const READER_WORKER = new URL('../src/main/reader-worker.ts', import.meta.url)
const BTC = instrumentId('crypto', 'BTC-USD')
const FEEDS = ['crypto/XT', 'crypto/XQ'] as const
const DAY_MS = 86_400_000
const DAYS = 30
const START = Date.UTC(2026, 0, 5)
const FLUSH = 5_000
/** Of the profile, in units of the price's last decimal. */
const ROWS = { decimals: 2, group: 500 }

/** Numbers from 0 to 1, the same in every run. */
function lcg(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 0x1_0000_0000
  }
}

/** Stores 30 whole days and half a day, a session each. Returns the number of trades. */
function record(file: string, messagesPerDay: number): number {
  let now = START
  const engine = new StoreEngine(file, () => now)
  const random = lcg(5)
  const encoder = new TextEncoder()
  let cents = 6_000_000
  let trades = 0
  for (let day = 0; day <= DAYS; day++) {
    const fromMs = START + day * DAY_MS
    const count = day < DAYS ? messagesPerDay : messagesPerDay / 2
    now = fromMs
    engine.begin(newSessionId(unixMs(fromMs)), { kind: 'demo', origin: 'demo', user: '' }, unixMs(fromMs))
    const connSeq = [0, 0]
    for (let done = 0; done < count;) {
      const n = Math.min(FLUSH, count - done)
      const bytes = new Uint8Array(n * 128)
      const messages = { ...newColumns(n, 0), bytes }
      let to = 0
      for (let i = 0; i < n; i++) {
        const seq = done + i + 1
        now = fromMs + Math.floor((seq * DAY_MS) / messagesPerDay) - 1
        // Five quotes to three trades.
        const conn = random() < 0.375 ? 0 : 1
        cents += Math.round((random() - 0.5) * 200)
        const [price, t] = [cents / 100, now - Math.floor(random() * 20)]
        const text =
          conn === 0
            ? `{"ev":"XT","pair":"BTC-USD","p":${price},"t":${t},"s":${(random() * 3).toFixed(4)}}`
            : `{"ev":"XQ","pair":"BTC-USD","bp":${price},"ap":${(cents + 20) / 100},"t":${t}}`
        if (conn === 0) trades++
        to += encoder.encodeInto(text, bytes.subarray(to)).written
        messages.offsets[i + 1] = to
        messages.seq[i] = seq
        messages.conn[i] = conn + 1
        messages.connSeq[i] = connSeq[conn] = connSeq[conn] + 1
        messages.recvMs[i] = now
        messages.monoNs[i] = seq * 1_000
      }
      const connections = done === 0 ? { connections: FEEDS.map((feed, i) => ({ conn: i + 1, feed })) } : {}
      engine.commit([{ messages: { ...messages, bytes: bytes.subarray(0, to) }, entries: [], ...connections }])
      done += n
      engine.drain()
    }
    // The next session begins when this one ends.
    engine.end(unixMs(fromMs + (day < DAYS ? DAY_MS : DAY_MS / 2)), [])
    engine.drain()
  }
  engine.close()
  return trades
}

/** Resolves with a stream's first value, and closes it. */
async function firstOf(open: (wake: () => void) => StreamSource<FlowValue>): Promise<FlowValue> {
  const stream = await new Promise<StreamSource<FlowValue>>((resolve) => {
    const opened = open(() => resolve(opened))
  })
  const value = stream.take()
  stream.close()
  if (value === undefined) throw new Error('the stream was woken without a value')
  return value
}

/** Waits until every day is saved. */
async function allSaved(folder: string): Promise<void> {
  while (readdirSync(folder).filter((name) => name.endsWith('.day')).length < DAYS) await setImmediate()
}

/** `messagesPerDay`: an even number. Throws where the profile doesn't hold every trade. */
export async function benchFlow(messagesPerDay = 100_000, times = 5): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    const file = join(folder, 'tapedeck.db')
    const trades = record(file, messagesPerDay)
    const reader = await openStoreReader({ file, worker: READER_WORKER })
    const nowMs = START + (DAYS + 0.5) * DAY_MS
    const hub = createHub({ calendar: hubCalendar })
    const history = createViewHistory({
      reader,
      source: () => 'demo',
      present: () => new Map(),
      committed: () => Promise.resolve(true),
      wallMs: () => nowMs,
      days: (asset) => hubCalendar.days(asset),
      failed: (what, thrown) => {
        throw new Error(`could not read ${what}`, { cause: thrown })
      },
    })
    const saved = join(folder, 'flow-days')
    let days = new FlowDays(new FlowDayFiles(saved))
    /** Processor time of a profile, all threads, ms. */
    const profile = async (group: number): Promise<number> => {
      const from = ownSeconds()
      const asked = { instrument: BTC, grid: null, rows: { ...ROWS, group }, fromMs: START, toMs: null }
      const { coverage } = await firstOf((wake) => flowStream(hub, history, asked, wake, days))
      const ms = (ownSeconds() - from) * 1_000
      if (coverage.trades !== trades) throw new Error(`${coverage.trades} of ${trades} trades are in the profile`)
      return ms
    }
    try {
      const first = await profile(ROWS.group)
      const later: number[] = []
      // As a chart that is moved: the rows change each time.
      for (let i = 0; i < times; i++) later.push(await profile(ROWS.group + i))
      await allSaved(saved)
      const started: number[] = []
      for (let i = 0; i < times; i++) {
        days = new FlowDays(new FlowDayFiles(saved))
        started.push(await profile(ROWS.group))
      }
      const of = { unit: 'ms', peer: 1_000, peerName: 'one second' }
      const what = `a volume profile of ${DAYS} days, ${((messagesPerDay * DAYS) / 1e6).toFixed(1)} M trades and quotes`
      return [
        row({
          ...{ ...of, name: `${what}, once indexed` },
          ...{ ours: Math.max(...later), goal: { is: 'at most', ratio: 1 } },
        }),
        row({
          ...{ ...of, name: `${what}, the first after a start, once indexed` },
          ...{ ours: Math.max(...started), goal: { is: 'at most', ratio: 1 } },
        }),
        row({ ...of, name: `${what}, never indexed`, ours: first, goal: null }),
      ]
    } finally {
      await reader.close()
    }
  })
}
