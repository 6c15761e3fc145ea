/**
 * A digest of the market state that results from the stored records, so that a replay can prove that it reached the
 * same state as live. It is a pure fold, empty at the start of a session, over the last trade, last quote, forming
 * one-minute bar and forming UTC-day bar of every (feed, symbol). Clocks, freshness, windows and reference prices are
 * not included. Only the stored order of records matters; receive times only determine when a digest is taken: before
 * the first record received in a later minute.
 */
import { createHash } from 'node:crypto'
import { DAY_MS, MINUTE_MS } from '../../../shared/base/durations.ts'
import { midPrice, usable } from '../../../shared/core/market/bars.ts'
import { missingCase } from '../../../shared/base/errors.ts'
import { unixMs, type FeedId, type UnixMs } from '../../../shared/base/units.ts'
import { KIND, type Scratch } from '../../../service/codec.ts'

/** Increment this whenever the fold would return a different digest for the same records. */
export const FOLD_VERSION = 1

/** The fold's part of a snapshot. */
export interface FoldSave {
  /** Minute since the epoch of the newest record; null: none yet. */
  readonly minute: number | null
  readonly cells: readonly {
    readonly feed: FeedId
    readonly symbol: string
    readonly numbers: Float64Array
  }[]
}

/** Numbers per feed and symbol. */
export const FOLD_NUMBERS = 22

export interface MinuteDigest {
  /** Start of the minute, by receive time, that has ended; UTC ms. */
  readonly minuteMs: UnixMs
  readonly sha256: string
}

export interface DigestFold {
  /** Applies a stored record. The first record of a later minute returns the digest of everything before it. */
  apply(feed: FeedId, recvMs: number, record: Scratch): MinuteDigest | null
  /** The digest of everything so far. */
  now(): string
  /** Empties the fold, because a session began or the recorder lost frames. */
  reset(): void
  save(): FoldSave
  restore(save: FoldSave): void
}

/** Offsets into the numbers; NaN: nothing yet. A bar is start, open, high, low, close, volume, count. */
const TRADE = 0
const QUOTE = 3
const MINUTE_BAR = 8
const DAY_BAR = 15

/** What is hashed of a cell: `label`, its feed and symbol, and then its numbers. */
interface Hashed {
  readonly label: Uint8Array
  readonly numbers: Float64Array
}

export function createDigestFold(): DigestFold {
  const cells = new Map<FeedId, Map<string, Float64Array>>()
  let minute = NaN
  /** The cells in the order in which they are hashed; null if there are new ones. */
  let order: readonly Hashed[] | null = null
  let bytes = new DataView(new ArrayBuffer(0))

  const cell = (feed: FeedId, symbol: string): Float64Array => {
    let symbols = cells.get(feed)
    if (symbols === undefined) cells.set(feed, (symbols = new Map<string, Float64Array>()))
    let numbers = symbols.get(symbol)
    if (numbers === undefined) {
      symbols.set(symbol, (numbers = new Float64Array(FOLD_NUMBERS).fill(NaN)))
      order = null
    }
    return numbers
  }
  const inOrder = (): readonly Hashed[] =>
    [...cells.keys()].sort().flatMap((feed) => {
      const symbols = cells.get(feed)!
      return [...symbols.keys()].sort().map((symbol) => ({
        label: Buffer.from(`${feed} ${symbol}\n`),
        numbers: symbols.get(symbol)!,
      }))
    })
  const now = () => {
    order ??= inOrder()
    const size = order.reduce((sum, { label }) => sum + label.length + 8 * FOLD_NUMBERS, 0)
    // One piece of memory and one update for all: each costs as much as hashing the numbers of a cell.
    if (bytes.byteLength < size) bytes = new DataView(new ArrayBuffer(2 * size))
    const all = new Uint8Array(bytes.buffer, 0, size)
    let at = 0
    for (const { label, numbers } of order) {
      all.set(label, at)
      at = writeBigEndian(bytes, at + label.length, numbers)
    }
    return createHash('sha256').update(all).digest('hex')
  }

  return {
    now,
    reset() {
      cells.clear()
      order = null
      minute = NaN
    },
    save: () => ({
      minute: Number.isNaN(minute) ? null : minute,
      cells: [...cells].flatMap(([feed, symbols]) =>
        [...symbols].map(([symbol, numbers]) => ({ feed, symbol, numbers: numbers.slice() })),
      ),
    }),
    restore(save) {
      cells.clear()
      order = null
      minute = save.minute ?? NaN
      for (const { feed, symbol, numbers } of save.cells) cell(feed, symbol).set(numbers)
    },
    apply(feed, recvMs, record) {
      // After the clock was set back, receive times in an earlier minute don't trigger a digest.
      const at = Math.floor(recvMs / MINUTE_MS)
      const taken = at > minute ? { minuteMs: unixMs(minute * MINUTE_MS), sha256: now() } : null
      if (!(at <= minute)) minute = at
      fold(cell(feed, record.symbol), recvMs, record)
      return taken
    },
  }
}

function fold(n: Float64Array, recvMs: number, r: Scratch): void {
  const eventMs = Number.isNaN(r.eventMs) ? recvMs : r.eventMs
  switch (r.kind) {
    case KIND.trade:
      n[TRADE] = r.price
      n[TRADE + 1] = r.size
      n[TRADE + 2] = eventMs
      foldPrice(n, eventMs, r.price, r.size)
      return
    case KIND.quote:
      n[QUOTE] = r.bid
      n[QUOTE + 1] = r.ask
      n[QUOTE + 2] = r.bidSize
      n[QUOTE + 3] = r.askSize
      n[QUOTE + 4] = eventMs
      foldPrice(n, eventMs, midPrice(r.bid, r.ask), NaN)
      return
    case KIND.bar:
      foldBar(n, MINUTE_BAR, MINUTE_MS, r.startMs, r.close, r.volume)
      foldBar(n, DAY_BAR, DAY_MS, r.startMs, r.close, NaN)
      return
    case KIND.unknown:
    case KIND.none:
      return
    default:
      missingCase(r.kind)
  }
}

function foldPrice(n: Float64Array, eventMs: number, price: number, size: number): void {
  foldBar(n, MINUTE_BAR, MINUTE_MS, eventMs, price, size)
  foldBar(n, DAY_BAR, DAY_MS, eventMs, price, size)
}

/** Only the newest bar is state: a record of an older bar is ignored. */
function foldBar(n: Float64Array, at: number, length: number, eventMs: number, price: number, size: number): void {
  if (!usable(price) || !Number.isFinite(eventMs)) return
  const start = Math.floor(eventMs / length) * length
  if (start < n[at]) return
  if (start !== n[at]) {
    n[at] = start
    n[at + 1] = n[at + 2] = n[at + 3] = price
    n[at + 5] = NaN
    n[at + 6] = 0
  }
  if (price > n[at + 2]) n[at + 2] = price
  if (price < n[at + 3]) n[at + 3] = price
  n[at + 4] = price
  if (size >= 0 && size < Infinity) n[at + 5] = (Number.isNaN(n[at + 5]) ? 0 : n[at + 5]) + size
  n[at + 6] = n[at + 6] + 1
}

/** Writes doubles as IEEE bytes, the same on every machine; every NaN becomes the same NaN. Returns where they end. */
function writeBigEndian(to: DataView, from: number, numbers: Float64Array): number {
  for (let i = 0; i < numbers.length; i += 1) {
    to.setFloat64(from + i * 8, Number.isNaN(numbers[i]) ? NaN : numbers[i])
  }
  return from + numbers.length * 8
}
