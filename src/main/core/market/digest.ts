/**
 * A digest of the market state that results from the stored records, so that a replay can prove that it reached the
 * same state as live. It is a pure fold, empty at the start of a session, over the last trade, last quote, forming
 * one-minute bar and forming UTC-day bar of every (feed, symbol). Clocks, freshness, windows and reference prices are
 * not included. Only the stored order of records matters; receive times only determine when a digest is taken: before
 * the first record received in a later minute.
 */
import { createHash } from 'node:crypto'
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

const MINUTE = 60_000
const DAY = 86_400_000

/** Offsets into the numbers; NaN: nothing yet. A bar is start, open, high, low, close, volume, count. */
const TRADE = 0
const QUOTE = 3
const MINUTE_BAR = 8
const DAY_BAR = 15

/** An empty fold. */
export function createDigestFold(): DigestFold {
  const cells = new Map<FeedId, Map<string, Float64Array>>()
  let minute = NaN

  const cell = (feed: FeedId, symbol: string): Float64Array => {
    let symbols = cells.get(feed)
    if (symbols === undefined) cells.set(feed, (symbols = new Map<string, Float64Array>()))
    let numbers = symbols.get(symbol)
    if (numbers === undefined) symbols.set(symbol, (numbers = new Float64Array(FOLD_NUMBERS).fill(NaN)))
    return numbers
  }
  const now = () => {
    const hash = createHash('sha256')
    for (const feed of [...cells.keys()].sort()) {
      const symbols = cells.get(feed)!
      for (const symbol of [...symbols.keys()].sort()) {
        hash.update(`${feed} ${symbol}\n`)
        hash.update(bigEndian(symbols.get(symbol)!))
      }
    }
    return hash.digest('hex')
  }

  return {
    now,
    reset() {
      cells.clear()
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
      minute = save.minute ?? NaN
      for (const { feed, symbol, numbers } of save.cells) cell(feed, symbol).set(numbers)
    },
    apply(feed, recvMs, record) {
      // After the clock was set back, receive times in an earlier minute don't trigger a digest.
      const at = Math.floor(recvMs / MINUTE)
      const taken = at > minute ? { minuteMs: unixMs(minute * MINUTE), sha256: now() } : null
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
      foldBar(n, MINUTE_BAR, MINUTE, r.startMs, r.close, r.volume)
      foldBar(n, DAY_BAR, DAY, r.startMs, r.close, NaN)
      return
    case KIND.unknown:
    case KIND.none:
      return
    default:
      missingCase(r.kind)
  }
}

function foldPrice(n: Float64Array, eventMs: number, price: number, size: number): void {
  foldBar(n, MINUTE_BAR, MINUTE, eventMs, price, size)
  foldBar(n, DAY_BAR, DAY, eventMs, price, size)
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

/** Doubles as IEEE bytes, the same on every machine; every NaN becomes the same NaN. */
function bigEndian(numbers: Float64Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(numbers.length * 8))
  for (let i = 0; i < numbers.length; i += 1) view.setFloat64(i * 8, Number.isNaN(numbers[i]) ? NaN : numbers[i])
  return new Uint8Array(view.buffer)
}
