/**
 * What is known now of one instrument, and how a print changes it. One mutable cell an instrument:
 * numbers in place, NaN for "not known", nothing allocated by a tick.
 */
import { AHEAD_MS } from '../../../shared/features/alerts/evaluator/event-order.ts'
import { addVolume, usable } from '../../../shared/core/market/bars.ts'
import type { SessionState } from '../../../shared/core/market/calendar.ts'
import {
  parseInstrument,
  type AssetClass,
  type FeedId,
  type InstrumentId,
  type UnixMs,
} from '../../../shared/base/units.ts'
import { pipOf, startDecimals } from './instruments.ts'
import type { BarSeries } from './series.ts'
import type { TapeRing } from './tape.ts'

/** What Last is made of. A higher rank takes over and begins anew; a lower one never mixes in. */
export const RANK = { none: 0, bar: 1, mid: 2, trade: 3 } as const
export type Rank = (typeof RANK)[keyof typeof RANK]

/** Minutes of closes behind a sparkline. */
export const SPARK_MINUTES = 60

const MAX_DECIMALS = 10

/** Told of each change of a cell; it must not take long. */
export interface CellWatcher {
  changed(cell: Cell): void
}

export interface Cell {
  readonly id: InstrumentId
  readonly asset: AssetClass
  readonly key: string
  readonly pip: number | null
  /** The service's spelling once it told, else as asked. */
  symbol: string
  /** The service told the spelling itself. */
  spelt: boolean
  rank: Rank
  lastFeed: FeedId | null
  last: number
  /** Event time; of a print that was dated ahead of its receipt, that. */
  lastEventMs: number
  lastRecvMs: number
  /** Receipt of any message, also of a quote that moved no Last. */
  seenMs: number
  /** Direction of the last print that differed from the one before it (an equal print keeps it); NaN: unknown. */
  tick: number
  flash: number
  /** The connection epoch of the feed in which Last was set: another one means "no flash". */
  epoch: number
  bid: number
  ask: number
  bidSize: number
  askSize: number
  /** What open, high, low and volume are of: a trading day, or a stretch of the hours around one. */
  dayStart: number
  dayEnd: number
  session: SessionState | null
  /** Prints up to here leave the day as it is: the hours after its session. */
  heldUntil: number
  /** Start of the trading day before: whose close is the reference, where it is known. */
  dayBefore: number
  /** The last trading day that ended, and its close. */
  endedStart: number
  endedClose: number
  open: number
  high: number
  low: number
  volume: number
  /** What `volume` lost to rounding, as in a bar: the day's volume is that of its daily bar. */
  volumeRest: number
  /** The price of the day's latest print, by event time. */
  dayClose: number
  dayCloseMs: number
  reference: number
  referenceOf: 'previous close' | 'session open' | 'first print' | null
  decimals: number
  mapping: string
  /** The last recorded price from before this start, shown until the first one comes. */
  stored: { readonly price: number; readonly atMs: UnixMs } | null
  /** Closes of minutes, a ring; `sparkMinute` is the newest minute (since the epoch), NaN: none. */
  readonly spark: Float64Array
  sparkMinute: number
  sparkCount: number
  series: readonly BarSeries[]
  tape: TapeRing | null
  watchers: readonly CellWatcher[]
}

/** A cell that knows nothing yet; `symbol` is how it would be asked for. */
export function createCell(id: InstrumentId, symbol: string): Cell {
  const parsed = parseInstrument(id)
  if (!parsed) throw new TypeError(`no instrument: ${id}`)
  const { asset, key } = parsed
  return {
    id,
    asset,
    key,
    pip: pipOf(asset, key),
    symbol,
    spelt: false,
    rank: RANK.none,
    lastFeed: null,
    last: NaN,
    lastEventMs: NaN,
    lastRecvMs: NaN,
    seenMs: NaN,
    tick: NaN,
    flash: 0,
    epoch: -1,
    bid: NaN,
    ask: NaN,
    bidSize: NaN,
    askSize: NaN,
    dayStart: NaN,
    dayEnd: NaN,
    session: null,
    heldUntil: NaN,
    dayBefore: NaN,
    endedStart: NaN,
    endedClose: NaN,
    open: NaN,
    high: NaN,
    low: NaN,
    volume: NaN,
    volumeRest: 0,
    dayClose: NaN,
    dayCloseMs: NaN,
    reference: NaN,
    referenceOf: null,
    decimals: startDecimals(asset, key),
    mapping: '',
    stored: null,
    spark: new Float64Array(SPARK_MINUTES),
    sparkMinute: NaN,
    sparkCount: 0,
    series: [],
    tape: null,
    watchers: [],
  }
}

/** Forgets every value (another source begins); watchers, spelling and flash count stay. */
export function clearCell(cell: Cell): void {
  cell.rank = RANK.none
  cell.lastFeed = null
  cell.last = cell.lastEventMs = cell.lastRecvMs = cell.seenMs = cell.tick = NaN
  cell.epoch = -1
  cell.bid = cell.ask = cell.bidSize = cell.askSize = NaN
  cell.decimals = startDecimals(cell.asset, cell.key)
  cell.mapping = ''
  cell.stored = null
  forgetDays(cell)
  cell.reference = NaN
  cell.referenceOf = null
  cell.sparkMinute = NaN
  cell.sparkCount = 0
}

function forgetDays(cell: Cell): void {
  cell.dayStart = cell.dayEnd = cell.heldUntil = cell.endedStart = cell.endedClose = NaN
  cell.session = null
  clearDay(cell)
}

function clearDay(cell: Cell): void {
  cell.open = cell.high = cell.low = cell.volume = cell.dayClose = cell.dayCloseMs = NaN
  cell.volumeRest = 0
}

/** Fixed decimals grow with what the service's literals show, and never shrink. */
export function learnDecimals(cell: Cell, decimals: number): void {
  if (decimals > cell.decimals) cell.decimals = Math.min(decimals, MAX_DECIMALS)
}

/** Where an instrument's trading days, and the stretches of hours around them, begin and end. */
export interface DayGrid {
  startOf(ms: number): number
  endOf(start: number): number
  /** Start of the trading day before the one, or before the date of the stretch, that starts at `start`. */
  previous(start: number): number
  /** `open`: a trading day; else which hours around one. */
  session(start: number): SessionState
}

/**
 * Takes a print into Last, the day and the sparkline. `epoch` is the connection epoch of the feed. One that is dated
 * further ahead of its receipt than clocks differ counts as of that, and follows what came before it: by its own date
 * all that come next would be late, and the day over, until the clock gets there.
 * Answers the print's direction for the tape: -1, 0, 1, or NaN where it has no predecessor; undefined
 * when the price does not count here.
 */
export function applyPrint(
  cell: Cell,
  feed: FeedId,
  rank: Rank,
  price: number,
  size: number,
  eventMs: number,
  recvMs: number,
  epoch: number,
  days: DayGrid,
): number | undefined {
  if (!usable(price) || rank < cell.rank) return undefined
  if (rank > cell.rank) begin(cell, rank)
  const isAhead = eventMs - recvMs > AHEAD_MS
  const atMs = isAhead ? recvMs : eventMs
  const direction = move(
    cell,
    feed,
    price,
    isAhead && cell.lastEventMs > recvMs ? cell.lastEventMs : atMs,
    recvMs,
    epoch,
  )
  addToDay(cell, price, size, atMs, days)
  addToSpark(cell, price, atMs)
  return direction
}

/** Another kind of record takes over: what was built from the other kind must not mix in. */
function begin(cell: Cell, rank: Rank): void {
  cell.rank = rank
  cell.last = cell.lastEventMs = cell.tick = NaN
  forgetDays(cell)
  cell.sparkMinute = NaN
  cell.sparkCount = 0
  if (cell.referenceOf !== 'previous close') {
    cell.reference = NaN
    cell.referenceOf = null
  }
}

function move(cell: Cell, feed: FeedId, price: number, eventMs: number, recvMs: number, epoch: number): number {
  const follows = cell.epoch === epoch && cell.lastFeed === feed && !Number.isNaN(cell.last)
  const direction = follows ? Math.sign(price - cell.last) : NaN
  cell.lastRecvMs = recvMs
  // A late print is a print, but not the last one.
  if (follows && eventMs < cell.lastEventMs) return direction
  if (!follows) cell.tick = NaN
  else if (direction !== 0) {
    cell.tick = direction
    cell.flash += 1
  } else if (Number.isNaN(cell.tick)) cell.tick = 0
  cell.last = price
  cell.lastEventMs = eventMs
  cell.lastFeed = feed
  cell.epoch = epoch
  return direction
}

function addToDay(cell: Cell, price: number, size: number, eventMs: number, days: DayGrid): void {
  if (!(eventMs < cell.dayEnd) && !(eventMs < cell.heldUntil)) rollDay(cell, days.startOf(eventMs), price, days)
  if (!(eventMs >= cell.dayStart && eventMs < cell.dayEnd)) return
  if (Number.isNaN(cell.open)) {
    cell.open = price
    cell.high = price
    cell.low = price
  } else {
    if (price > cell.high) cell.high = price
    if (price < cell.low) cell.low = price
  }
  if (!(eventMs < cell.dayCloseMs)) {
    cell.dayClose = price
    cell.dayCloseMs = eventMs
  }
  if (size >= 0 && size < Infinity) addVolume(cell, size, 0)
}

function rollDay(cell: Cell, start: number, price: number, days: DayGrid): void {
  const before = days.previous(start)
  const session = days.session(start)
  // Hours after a session never mix with it, and what is asked for then is still its range.
  if (session !== 'open' && cell.session === 'open' && before === cell.dayBefore) {
    cell.heldUntil = days.endOf(start)
    return
  }
  if (cell.session === 'open') {
    cell.endedStart = cell.dayStart
    cell.endedClose = cell.dayClose
  }
  // Only the day right before gives a previous close: after a sleep of days its close is not known.
  if (before === cell.endedStart && !Number.isNaN(cell.endedClose)) {
    cell.reference = cell.endedClose
    cell.referenceOf = 'previous close'
  } else if (cell.referenceOf === null || before !== cell.dayBefore) {
    cell.reference = price
    cell.referenceOf = 'first print'
  }
  cell.dayStart = start
  cell.dayEnd = days.endOf(start)
  cell.session = session
  cell.heldUntil = NaN
  cell.dayBefore = before
  clearDay(cell)
}

function addToSpark(cell: Cell, price: number, eventMs: number): void {
  const minute = Math.floor(eventMs / 60_000)
  if (minute > cell.sparkMinute || Number.isNaN(cell.sparkMinute)) {
    cell.sparkMinute = minute
    cell.sparkCount += 1
  } else if (minute < cell.sparkMinute) return
  cell.spark[(cell.sparkCount - 1) % SPARK_MINUTES] = price
}

/** The closes behind the sparkline, oldest first. */
export function sparkOf(cell: Cell): readonly number[] {
  const from = Math.max(0, cell.sparkCount - SPARK_MINUTES)
  const closes: number[] = []
  for (let i = from; i < cell.sparkCount; i += 1) closes.push(cell.spark[i % SPARK_MINUTES])
  return closes
}

/** The numbers of a cell that say what is known, in the order in which a snapshot keeps them. `flash` only counts. */
const KEPT = [
  'rank',
  'last',
  'lastEventMs',
  'lastRecvMs',
  'seenMs',
  'tick',
  'epoch',
  'bid',
  'ask',
  'bidSize',
  'askSize',
  'dayStart',
  'dayEnd',
  'heldUntil',
  'dayBefore',
  'endedStart',
  'endedClose',
  'open',
  'high',
  'low',
  'volume',
  'dayClose',
  'dayCloseMs',
  'reference',
  'decimals',
  'sparkMinute',
  'volumeRest',
] as const satisfies readonly (keyof Cell)[]

/** A cell as a snapshot keeps it. */
export interface CellSave {
  readonly id: InstrumentId
  readonly symbol: string
  readonly spelt: boolean
  readonly lastFeed: FeedId | null
  readonly session: SessionState | null
  readonly referenceOf: Cell['referenceOf']
  readonly mapping: string
  /** The numbers, then the closes of the sparkline. */
  readonly numbers: Float64Array
}

/** What is known in a cell. */
export function saveCell(cell: Cell): CellSave {
  const { id, symbol, spelt, lastFeed, session, referenceOf, mapping } = cell
  const spark = sparkOf(cell)
  const numbers = new Float64Array(KEPT.length + spark.length)
  for (let i = 0; i < KEPT.length; i += 1) numbers[i] = cell[KEPT[i]]
  numbers.set(spark, KEPT.length)
  return { id, symbol, spelt, lastFeed, session, referenceOf, mapping, numbers }
}

/** Puts a cell where a save was taken; watchers and flash count stay. */
export function restoreCell(cell: Cell, save: CellSave): void {
  const { symbol, spelt, lastFeed, session, referenceOf, mapping, numbers } = save
  Object.assign(cell, { symbol, spelt, lastFeed, session, referenceOf, mapping })
  const kept: Record<(typeof KEPT)[number], number> = cell
  for (let i = 0; i < KEPT.length; i += 1) kept[KEPT[i]] = numbers[i]
  const spark = numbers.subarray(KEPT.length)
  cell.spark.set(spark)
  cell.sparkCount = spark.length
}

/** What the store knows of an instrument from before this hub: joined in once, without touching Last's flash. */
export interface CellSeed {
  readonly rank: Rank
  /** The last recorded price and the end of its minute, for the live view; null: none, or of a replay. */
  readonly stored?: Cell['stored']
  /** Start of the trading day right before now. */
  readonly dayBefore: number
  /** Its close; null: not known for sure. */
  readonly previousClose: number | null
  /** The trading day of now so far, up to where this hub began; `whole`: received from the day's very start. */
  readonly today: {
    readonly session: SessionState
    readonly startMs: number
    readonly endMs: number
    readonly open: number
    readonly high: number
    readonly low: number
    readonly close: number
    readonly volume: number | null
    /** What `volume` lost to rounding; absent: nothing. */
    readonly volumeRest?: number
    readonly whole: boolean
  } | null
  /** Closes of minutes, oldest first, with the minute of each (since the epoch). */
  readonly spark: readonly { readonly minute: number; readonly close: number }[]
}

/** Joins what the store knows. Nothing is joined across kinds of record: a seed of another rank is dropped. */
export function seedCell(cell: Cell, seed: CellSeed): void {
  cell.stored = seed.stored ?? null
  if (seed.today === null && seed.previousClose === null && seed.spark.length === 0) return
  if (cell.rank !== RANK.none && cell.rank !== seed.rank) return
  cell.rank = seed.rank
  seedSpark(cell, seed.spark)
  const { today } = seed
  if (Number.isNaN(cell.dayBefore)) cell.dayBefore = seed.dayBefore
  if (cell.dayBefore !== seed.dayBefore) return // a day has begun since it was asked for
  if (today !== null && cell.session !== 'open' && today.startMs < cell.dayStart) {
    // What came after the session was taken for the range of the day, which is known now.
    cell.heldUntil = cell.dayEnd
    clearDay(cell)
    cell.dayStart = NaN
  }
  if (today !== null && (Number.isNaN(cell.dayStart) || cell.dayStart === today.startMs)) {
    cell.dayStart = today.startMs
    cell.dayEnd = today.endMs
    cell.session = today.session
    cell.open = today.open
    cell.high = Number.isNaN(cell.high) ? today.high : Math.max(cell.high, today.high)
    cell.low = Number.isNaN(cell.low) ? today.low : Math.min(cell.low, today.low)
    if (today.volume !== null) addVolume(cell, today.volume, today.volumeRest ?? 0)
    if (Number.isNaN(cell.dayClose)) cell.dayClose = today.close
  }
  if (seed.previousClose !== null) {
    cell.reference = seed.previousClose
    cell.referenceOf = 'previous close'
  } else if (today !== null && cell.referenceOf !== 'previous close') {
    cell.reference = today.open
    cell.referenceOf = today.whole ? 'session open' : 'first print'
  }
}

function seedSpark(cell: Cell, older: CellSeed['spark']): void {
  const mine = sparkOf(cell)
  const firstMine = Number.isNaN(cell.sparkMinute) ? Infinity : cell.sparkMinute - mine.length + 1
  const before = older.filter(({ minute }) => minute < firstMine).map(({ close }) => close)
  const all = [...before, ...mine].slice(-SPARK_MINUTES)
  cell.spark.set(all)
  cell.sparkCount = all.length
  if (Number.isNaN(cell.sparkMinute)) cell.sparkMinute = older.at(-1)?.minute ?? NaN
}
