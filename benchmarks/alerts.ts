/**
 * What ten thousand alerts cost a message: as a share of a core at 10,000 messages a second, and beside what the
 * tick path takes for a message in the same run. Half of all messages and alerts are of one symbol.
 */
import { Evaluator } from '../src/shared/alerts/evaluator.ts'
import type { Alert, AlertCondition } from '../src/shared/alerts/types.ts'
import { gridOf, isOpen } from '../src/shared/calendar.ts'
import { instrumentId, unixMs, type FeedId } from '../src/shared/units.ts'
import { KIND, scratch, type Scratch } from '../src/service/codec.ts'
import { alertSink } from '../src/main/alerts/record-sink.ts'
import { median, row, type Row } from './row.ts'
import { pipelineRuns } from './pipeline.ts'

const ALERTS = 10_000
const SYMBOLS = 200
/** The clock of a thread's CPU time goes in steps of milliseconds: fewer say nothing of nanoseconds. */
const LEAST_RECORDS = 1_000_000
const START_MS = 1_700_000_000_000

type Kinds = 'prices' | 'mixed'

/** Thousands on one symbol and some on each of the others: mostly prices, and of every other measured kind some. */
function alertsOf(count: number, kinds: Kinds): Alert[] {
  return Array.from({ length: count }, (_, i): Alert => {
    const symbol = i % 2 === 0 ? 0 : i % SYMBOLS
    return {
      id: `a${i}`,
      instrument: instrumentId('crypto', `S${symbol}-USD`),
      condition: conditionOf(i, kinds),
      repeat: { restMs: 1_000, backPercent: 0 },
      expiresMs: START_MS + 86_400_000,
      note: '',
      sound: 'none',
      system: false,
      log: false,
      flash: false,
      enabled: true,
      market: 'demo',
      createdMs: START_MS,
      fired: 0,
      firedMs: null,
      firedOf: null,
      done: false,
    }
  })
}

function conditionOf(i: number, kinds: Kinds): AlertCondition {
  const spread = (i * 7_919) % 100_000
  if (kinds === 'mixed' && i % 50 < 2)
    return { is: 'move', of: 'last', percent: 5 + (i % 7), withinMs: 300_000, direction: 'either' }
  if (kinds === 'mixed' && i % 50 < 4) return { is: 'volume', above: 1e6 + i, withinMs: 60_000 }
  // Levels up to half the price away on either side, the nearest some ticks away.
  return { is: 'price', of: 'last', level: 50_000 + spread, direction: i % 3 === 0 ? 'either' : 'up' }
}

/** Trades: symbol, price and receipt of each. */
interface Tape {
  readonly symbols: Uint16Array
  readonly prices: Float64Array
  readonly ms: Float64Array
}

/** Every symbol in turn, the first as often as all others together; prices walk about a little. */
function tapeOf(count: number): Tape {
  let random = 7
  const next = () => (random = (random * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
  const walk = new Float64Array(SYMBOLS).fill(100_000)
  const tape = { symbols: new Uint16Array(count), prices: new Float64Array(count), ms: new Float64Array(count) }
  for (let i = 0; i < count; i++) {
    const symbol = i % 2 === 0 ? 0 : i % SYMBOLS
    walk[symbol] += Math.round((next() - 0.5) * 10) / 10
    tape.symbols[i] = symbol
    tape.prices[i] = walk[symbol]
    tape.ms[i] = START_MS + Math.floor(i / 10)
  }
  return tape
}

const NAMES = Array.from({ length: SYMBOLS }, (_, i) => `S${i}-USD`)
const FEED: FeedId = 'crypto/XT'

/** Nanoseconds of this thread a message, all but the first tenth, which warms up. */
function play({ symbols, prices, ms }: Tape, apply: (seq: number, ms: number, record: Scratch) => void): number {
  // One record, filled again and again, as the decoder does.
  const record: Scratch = { ...scratch(), kind: KIND.trade, size: 0.5 }
  const warm = Math.floor(symbols.length / 10)
  let from = process.threadCpuUsage()
  for (let i = 0; i < symbols.length; i++) {
    if (i === warm) from = process.threadCpuUsage()
    record.symbol = NAMES[symbols[i]]
    record.symbolPlace = symbols[i]
    record.price = prices[i]
    record.eventMs = ms[i]
    apply(i + 1, ms[i], record)
  }
  const { user, system } = process.threadCpuUsage(from)
  return ((user + system) * 1_000) / (symbols.length - warm)
}

/** What alerts add to each message, ns, and how often something fired. */
function measure(kinds: Kinds, tape: Tape): { readonly nanos: number; readonly fired: number } {
  let fired = 0
  const evaluator = new Evaluator({
    grid: gridOf,
    isOpen,
    feeds: () => ({ trade: FEED, quote: 'crypto/XQ' }),
    listener: {
      fired: () => void (fired += 1),
      back: () => undefined,
      unseen: () => undefined,
      expired: () => undefined,
      blind: () => undefined,
      wantsBars: () => undefined,
      changed: () => undefined,
    },
  })
  for (const alert of alertsOf(ALERTS, kinds)) evaluator.put(alert)
  const sink = alertSink(evaluator)
  let sum = 0
  const nothing = play(tape, (_, at, record) => {
    sum += record.price + at
  })
  const nanos = play(tape, (seq, at, record) => sink.apply(FEED, seq, unixMs(at), record))
  if (Number.isNaN(sum)) throw new Error('nothing was played')
  return { nanos: Math.max(0, nanos - nothing), fired }
}

/** The median of `rounds` after one to warm up. */
function medianOf(kinds: Kinds, tape: Tape, rounds: number): { nanos: number; fired: number } {
  const { fired } = measure(kinds, tape)
  const nanos = Array.from({ length: rounds }, () => measure(kinds, tape).nanos)
  return { nanos: median(nanos), fired }
}

/** Rows, each the median of `rounds`; the tick path is the pipeline's own over `messages`. */
export async function benchAlerts(messages: number, rounds: number): Promise<readonly Row[]> {
  const tape = tapeOf(Math.max(messages, LEAST_RECORDS))
  const prices = medianOf('prices', tape, rounds)
  const mixed = medianOf('mixed', tape, rounds)
  const path = median((await pipelineRuns(messages, rounds)).map(({ ours }) => ours.threadMicros)) * 1_000
  return [
    row({
      name: `10,000 alerts of several kinds, at 10,000 messages/s (${mixed.fired} fired)`,
      unit: 'ms of a second',
      ours: (mixed.nanos * 10_000) / 1e6,
      peer: 1_000,
      peerName: 'a core',
      goal: { is: 'at most', ratio: 0.02 },
    }),
    row({
      name: '10,000 alerts on prices, a message',
      unit: 'ns',
      ours: prices.nanos,
      peer: path,
      peerName: 'the tick path: CPU of the thread that reads the socket',
      goal: { is: 'at most', ratio: 0.02 },
    }),
    row({
      name: '10,000 alerts of several kinds, a message',
      unit: 'ns',
      ours: mixed.nanos,
      peer: path,
      peerName: 'the tick path: CPU of the thread that reads the socket',
      goal: null,
    }),
  ]
}
