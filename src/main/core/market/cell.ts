/**
 * The current values of one instrument, and how a price changes them. One mutable cell per instrument: numbers are
 * updated in place, NaN means "unknown", and a tick allocates nothing.
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
import type { FlowSink } from './flow-sink.ts'
import type { TapeRing } from './tape.ts'

/** Where Last comes from. A higher rank replaces a lower one and starts from scratch; a lower one is ignored. */
export const RANK = { none: 0, bar: 1, mid: 2, trade: 3 } as const
export type Rank = (typeof RANK)[keyof typeof RANK]

/** Minutes of closes behind a sparkline. */
const SPARK_MINUTES = 60

const MAX_DECIMALS = 10

/** Called on the tick path after each change of a cell: it must be quick. */
export interface CellWatcher {
  changed(cell: Cell): void
}

export interface Cell {
  readonly id: InstrumentId
  readonly asset: AssetClass
  readonly key: string
  readonly pip: number | null
  /** As the service writes it, once received; a guess before that. */
  symbol: string
  isSymbolConfirmed: boolean
  rank: Rank
  lastFeed: FeedId | null
  last: number
  /** Event time, UTC ms; for a price dated too far ahead, its receipt time. */
  lastEventMs: number
  lastRecvMs: number
  /** Receipt of the last message of any kind. */
  seenMs: number
  /** Direction of the last change of price (an equal price keeps it); NaN: unknown. */
  tick: number
  flash: number
  /** The feed's connection epoch in which Last was set; a price of another epoch does not flash. */
  epoch: number
  bid: number
  ask: number
  bidSize: number
  askSize: number
  /** The range of open, high, low and volume: a trading day, or the hours before or after one. */
  dayStart: number
  dayEnd: number
  session: SessionState | null
  /** Prices before this time don't change the day: they are from the hours after its session. */
  heldUntil: number
  /** Start of the previous trading day, whose close is the reference if it is known. */
  dayBefore: number
  /** The most recent trading day that ended, and its close. */
  endedStart: number
  endedClose: number
  open: number
  high: number
  low: number
  volume: number
  /** Rounding error of `volume`, tracked as in a bar, so that the day's volume equals its daily bar's. */
  volumeRest: number
  /** The day's latest price by event time. */
  dayClose: number
  dayCloseMs: number
  reference: number
  referenceOf: 'previous close' | 'session open' | 'first print' | null
  decimals: number
  mapping: string
  /** The last recorded price from before this start, shown until the first live one. */
  stored: { readonly price: number; readonly atMs: UnixMs } | null
  /** A ring of minute closes. `sparkMinute`: the newest minute, counted from the epoch; NaN: none. */
  readonly spark: Float64Array
  sparkMinute: number
  sparkCount: number
  series: readonly BarSeries[]
  tape: TapeRing | null
  /** Those that judge the sides of its trades; null: none. */
  flows: readonly FlowSink[] | null
  watchers: readonly CellWatcher[]
}

/** An empty cell. `symbol`: what to subscribe to. Throws a TypeError for an invalid id. */
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
    isSymbolConfirmed: false,
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
    flows: null,
    watchers: [],
  }
}

/** Clears every value, because another source begins; watchers, symbol and flash count stay. */
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

/** Raises the number of decimals to that of a price that the service sent; it never decreases. */
export function learnDecimals(cell: Cell, decimals: number): void {
  if (decimals > cell.decimals) cell.decimals = Math.min(decimals, MAX_DECIMALS)
}

/** The trading days of an asset class, and the hours before and after them. All times UTC ms. */
export interface DayGrid {
  startOf(ms: number): number
  endOf(start: number): number
  /** Start of the previous trading day, given the start of a day (or of the date that the hours belong to). */
  previous(start: number): number
  /** `open` for a trading day; otherwise which hours before or after one. */
  session(start: number): SessionState
}

/**
 * Applies a price to Last, the day and the sparkline. `epoch` is the connection epoch of the feed; times are UTC ms. A
 * price dated further ahead of its receipt than clocks normally differ gets its receipt time as event time. Otherwise
 * every later price would count as late, and the day would end too early.
 * Returns the direction for the tape: -1, 0, 1, or NaN for a first price; undefined if the price is unusable or of a
 * lower rank.
 */
export function applyPrice(
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
  if (rank > cell.rank) changeRank(cell, rank)
  const isAhead = eventMs - recvMs > AHEAD_MS
  const atMs = isAhead ? recvMs : eventMs
  const direction = moveLast(
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

/** A higher rank replaces a lower one: clears everything that came from the lower one. */
function changeRank(cell: Cell, rank: Rank): void {
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

function moveLast(cell: Cell, feed: FeedId, price: number, eventMs: number, recvMs: number, epoch: number): number {
  const follows = cell.epoch === epoch && cell.lastFeed === feed && !Number.isNaN(cell.last)
  const direction = follows ? Math.sign(price - cell.last) : NaN
  cell.lastRecvMs = recvMs
  // A late price goes to the tape but doesn't become Last.
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
  // Prices after a session don't change the day, whose range stays visible.
  if (session !== 'open' && cell.session === 'open' && before === cell.dayBefore) {
    cell.heldUntil = days.endOf(start)
    return
  }
  if (cell.session === 'open') {
    cell.endedStart = cell.dayStart
    cell.endedClose = cell.dayClose
  }
  // Only the directly preceding day has a known close; after days of sleep there is no previous close.
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

/** The sparkline's closes, oldest first. */
export function sparkOf(cell: Cell): readonly number[] {
  const from = Math.max(0, cell.sparkCount - SPARK_MINUTES)
  const closes: number[] = []
  for (let i = from; i < cell.sparkCount; i += 1) closes.push(cell.spark[i % SPARK_MINUTES])
  return closes
}

/** The numbers of a cell that a snapshot stores, in this order. `flash` is only a counter and isn't stored. */
const SAVED_NUMBERS = [
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

export interface CellSave {
  readonly id: InstrumentId
  readonly symbol: string
  /** `isSymbolConfirmed`; the name is part of the stored format. */
  readonly spelt: boolean
  readonly lastFeed: FeedId | null
  readonly session: SessionState | null
  readonly referenceOf: Cell['referenceOf']
  readonly mapping: string
  /** The cell's numbers, then the closes of the sparkline. */
  readonly numbers: Float64Array
}

export function saveCell(cell: Cell): CellSave {
  const { id, symbol, isSymbolConfirmed: spelt, lastFeed, session, referenceOf, mapping } = cell
  const spark = sparkOf(cell)
  const numbers = new Float64Array(SAVED_NUMBERS.length + spark.length)
  for (let i = 0; i < SAVED_NUMBERS.length; i += 1) numbers[i] = cell[SAVED_NUMBERS[i]]
  numbers.set(spark, SAVED_NUMBERS.length)
  return { id, symbol, spelt, lastFeed, session, referenceOf, mapping, numbers }
}

/** Restores a saved cell; watchers and flash count stay. */
export function restoreCell(cell: Cell, save: CellSave): void {
  const { symbol, spelt, lastFeed, session, referenceOf, mapping, numbers } = save
  Object.assign(cell, { symbol, isSymbolConfirmed: spelt, lastFeed, session, referenceOf, mapping })
  const target: Record<(typeof SAVED_NUMBERS)[number], number> = cell
  for (let i = 0; i < SAVED_NUMBERS.length; i += 1) target[SAVED_NUMBERS[i]] = numbers[i]
  const spark = numbers.subarray(SAVED_NUMBERS.length)
  cell.spark.set(spark)
  cell.sparkCount = spark.length
}

/** Stored data of an instrument from before the hub began; added once, without a flash. */
export interface CellSeed {
  readonly rank: Rank
  /** Whether the volume of `today` leaves out what the hub received. */
  readonly isBefore?: boolean
  /** The last recorded price and the end of its minute, for the live view; null if there is none, or in a replay. */
  readonly stored?: Cell['stored']
  /** Start of the trading day right before now. */
  readonly dayBefore: number
  /** Its close; null: not known for certain. */
  readonly previousClose: number | null
  /** The current trading day up to when the hub began; `whole`: received from its start. */
  readonly today: {
    readonly session: SessionState
    readonly startMs: number
    readonly endMs: number
    readonly open: number
    readonly high: number
    readonly low: number
    readonly close: number
    readonly volume: number | null
    /** Rounding error of `volume`; absent: none. */
    readonly volumeRest?: number
    readonly whole: boolean
  } | null
  /** Minute closes, oldest first; `minute` counts from the epoch. */
  readonly spark: readonly { readonly minute: number; readonly close: number }[]
}

/** Adds stored data. Ignores a seed of another rank, because ranks never mix. */
export function seedCell(cell: Cell, seed: CellSeed): void {
  cell.stored = seed.stored ?? null
  if (seed.today === null && seed.previousClose === null && seed.spark.length === 0) return
  if (cell.rank !== RANK.none && cell.rank !== seed.rank) return
  cell.rank = seed.rank
  seedSpark(cell, seed.spark)
  const { today } = seed
  if (Number.isNaN(cell.dayBefore)) cell.dayBefore = seed.dayBefore
  if (cell.dayBefore !== seed.dayBefore) return // a new day has begun since the request
  if (today !== null && cell.session !== 'open' && today.startMs < cell.dayStart) {
    // Prices after the session stood in for the day's range, which is now known.
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
