/**
 * Costs of 10,000 alerts per message, as a share of a core at 10,000 messages/s and as a share of the CPU that the tick
 * path (socket → committed → decoded → hub, all of its threads) takes per message in the same run. Half of all messages
 * and alerts belong to one symbol. Everything that the thread does between two messages counts except the loop itself,
 * which is measured with a sink that does nothing.
 */
import { Evaluator } from '../src/shared/features/alerts/evaluator/evaluator.ts'
import type { Alert, AlertCondition } from '../src/shared/features/alerts/types.ts'
import { gridOf, isOpen } from '../src/shared/core/market/calendar.ts'
import { instrumentId, price, serviceSymbol, size, unixMs, type FeedId, type UnixMs } from '../src/shared/base/units.ts'
import { scratch, type Scratch } from '../src/service/codec.ts'
import { CODECS } from '../src/service/codecs/table.ts'
import { decode } from '../src/service/codecs/decode.ts'
import { alertSink, type AlertSink } from '../src/main/features/alerts/record-sink.ts'
import { quietDraft } from './quiet-alert.ts'
import { median, row, type Row } from './row.ts'
import { pipelineRuns } from './pipeline.ts'

const ALERTS = 10_000
const SYMBOLS = 200
/** A thread's CPU clock has steps of milliseconds, so nanoseconds per message need many messages. */
const MIN_RECORDS = 1_000_000
const START_MS = 1_700_000_000_000
const QUOTED = ['bid', 'ask', 'mid'] as const

/** What the alerts wait for: the last price; bid, ask and mid; or all kinds that a trade can fire. */
type Kinds = 'last' | 'quotes' | 'mixed'

/** Half of the alerts on one symbol, the others spread: mostly price alerts, with some of the other kinds. */
function alertsOf(count: number, kinds: Kinds): Alert[] {
  return Array.from({ length: count }, (_, i): Alert => {
    const symbol = i % 2 === 0 ? 0 : i % SYMBOLS
    const instrument = instrumentId('crypto', `S${symbol}-USD`)
    return {
      ...quietDraft(instrument, conditionOf(i, kinds), {
        repeat: { restMs: 1_000, backPercent: 0 },
        expiresMs: START_MS + 86_400_000,
      }),
      id: `a${i}`,
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
  // Levels up to half the price away on either side; the nearest is some ticks away.
  const of = kinds === 'quotes' ? QUOTED[i % QUOTED.length] : 'last'
  return { is: 'price', of, level: 50_000 + spread, direction: i % 3 === 0 ? 'either' : 'up' }
}

/** Trades, or the bids of quotes: symbol, price and receive time of each. */
interface Tape {
  readonly symbols: Uint16Array
  readonly prices: Float64Array
  readonly ms: readonly UnixMs[]
}

/** The symbols take turns, the first one every other time. Prices are random walks. */
function tapeOf(count: number): Tape {
  let random = 7
  const next = () => (random = (random * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
  const walk = new Float64Array(SYMBOLS).fill(100_000)
  const ms = Array.from({ length: count }, (_, i) => unixMs(START_MS + Math.floor(i / 10)))
  const tape = { symbols: new Uint16Array(count), prices: new Float64Array(count), ms }
  for (let i = 0; i < count; i++) {
    const symbol = i % 2 === 0 ? 0 : i % SYMBOLS
    walk[symbol] += Math.round((next() - 0.5) * 10) / 10
    tape.symbols[i] = symbol
    tape.prices[i] = walk[symbol]
  }
  return tape
}

const TRADES: FeedId = 'crypto/XT'
const QUOTES: FeedId = 'crypto/XQ'

/** A decoded message of a symbol, with the slot that the decoder gives it. */
function decoded(feed: FeedId, symbol: number): Scratch {
  const at = { feed, symbol: serviceSymbol(`S${symbol}-USD`), eventMs: unixMs(START_MS) }
  const text = CODECS[feed].encode(
    feed === QUOTES
      ? { ...at, kind: 'quote', bid: price(1), ask: price(1), bidSize: size(1), askSize: size(1) }
      : { ...at, kind: 'trade', price: price(1), size: size(0.5) },
  )
  const bytes = new TextEncoder().encode(text)
  const record = scratch()
  decode(feed, bytes, 0, bytes.length, record)
  if (record.symbol === '') throw new Error('the decoder found no symbol')
  return record
}

/** Nanoseconds of CPU per message. The first tenth warms up and isn't counted. */
function play(feed: FeedId, { symbols, prices, ms }: Tape, sink: Pick<AlertSink, 'apply'>): number {
  const read = Array.from({ length: SYMBOLS }, (_, symbol) => decoded(feed, symbol))
  const names = read.map(({ symbol }) => symbol)
  const places = Int32Array.from(read, ({ symbolPlace }) => symbolPlace)
  // The decoder reuses one record, too.
  const record = decoded(feed, 0)
  const quotes = feed === QUOTES
  const warm = Math.floor(symbols.length / 10)
  let from = process.threadCpuUsage()
  for (let i = 0; i < symbols.length; i++) {
    if (i === warm) from = process.threadCpuUsage()
    record.symbol = names[symbols[i]]
    record.symbolPlace = places[symbols[i]]
    if (quotes) {
      record.bid = prices[i]
      record.ask = prices[i] + 0.1
    } else record.price = prices[i]
    record.eventMs = ms[i]
    sink.apply(feed, i + 1, ms[i], record)
  }
  const { user, system } = process.threadCpuUsage(from)
  return ((user + system) * 1_000) / (symbols.length - warm)
}

const NOTHING: Pick<AlertSink, 'apply'> = { apply: () => undefined }

/** What alerts add to each message, ns, and how often one fired. */
function measure(kinds: Kinds, tape: Tape, count = ALERTS): { readonly nanos: number; readonly fired: number } {
  let fired = 0
  const evaluator = new Evaluator({
    grid: gridOf,
    isOpen,
    feeds: () => ({ trade: TRADES, quote: QUOTES }),
    listener: {
      fired: () => void (fired += 1),
      rearmed: () => undefined,
      unseen: () => undefined,
      expired: () => undefined,
      suspended: () => undefined,
      wantsBars: () => undefined,
      changed: () => undefined,
    },
  })
  for (const alert of alertsOf(count, kinds)) evaluator.put(alert)
  const feed = kinds === 'quotes' ? QUOTES : TRADES
  const nothing = play(feed, tape, NOTHING)
  const nanos = play(feed, tape, alertSink(evaluator))
  return { nanos: Math.max(0, nanos - nothing), fired }
}

/** The median of `rounds`, after one round that warms up. */
function medianOf(kinds: Kinds, tape: Tape, rounds: number, count = ALERTS): { nanos: number; fired: number } {
  const { fired } = measure(kinds, tape, count)
  const nanos = Array.from({ length: rounds }, () => measure(kinds, tape, count).nanos)
  return { nanos: median(nanos), fired }
}

/** Rows, each the median of `rounds`. The tick path is measured by the pipeline benchmark over `messages`. */
export async function benchAlerts(messages: number, rounds: number): Promise<readonly Row[]> {
  const tape = tapeOf(Math.max(messages, MIN_RECORDS))
  const last = medianOf('last', tape, rounds)
  const quotes = medianOf('quotes', tape, rounds)
  const mixed = medianOf('mixed', tape, rounds)
  const none = medianOf('last', tape, rounds, 0)
  const path = (await pipelineRuns(messages, rounds)).map(({ ours }) => ours)
  const whole = median(path.map(({ processMicros }) => processMicros)) * 1_000
  const thread = median(path.map(({ threadMicros }) => threadMicros)) * 1_000
  const ofPath = (name: string, nanos: number, goal: Row['goal']): Row =>
    row({ name, unit: 'ns', ours: nanos, peer: whole, peerName: 'the tick path: CPU of all its threads', goal })
  const ofThread = (name: string, nanos: number): Row =>
    row({ name, unit: 'ns', ours: nanos, peer: thread, peerName: 'its thread that reads the socket alone', goal: null })
  return [
    row({
      name: `10,000 alerts of several kinds, at 10,000 messages/s (${mixed.fired} fired)`,
      unit: 'ms of a second',
      ours: (mixed.nanos * 10_000) / 1e6,
      peer: 1_000,
      peerName: 'a core',
      goal: { is: 'at most', ratio: 0.02 },
    }),
    ofPath('10,000 alerts on prices, a trade', last.nanos, { is: 'at most', ratio: 0.02 }),
    ofPath('10,000 alerts on bid, ask and mid, a quote', quotes.nanos, { is: 'at most', ratio: 0.02 }),
    ofThread('10,000 alerts on prices, a trade', last.nanos),
    ofThread('10,000 alerts on bid, ask and mid, a quote', quotes.nanos),
    ofPath('10,000 alerts of several kinds, a trade', mixed.nanos, null),
    ofPath('no alert at all, a trade', none.nanos, null),
  ]
}
