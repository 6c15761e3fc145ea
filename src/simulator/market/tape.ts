/** Real records of `resources/demo`: unpacked, moved to the present, and played forward and backward forever. */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { firstAfter } from '../../shared/base/search.ts'
import { instrumentId, type AssetClass, type InstrumentId } from '../../shared/base/units.ts'
import { hashAt, hashText, wander } from './random.ts'
import { quoteTick, tickScale, tradeTick, type Tick, type TickSource } from './tick.ts'

/** The unpacked columns of a tape (`scripts/demo-data.mjs` describes the file). */
export interface Tape {
  readonly asset: AssetClass
  readonly symbol: string
  readonly decimals: number
  readonly sizeDecimals: number
  /** Ms of the record per ms of the market. */
  readonly pace: number
  readonly durationMs: number
  readonly events: number
  /** Ms since the first event. */
  readonly offset: Uint32Array
  readonly isQuote: Uint8Array
  /** Trade: price, size. Quote: bid, ask. In ticks and lots. */
  readonly first: Int32Array
  readonly second: Int32Array
  readonly bidSize: Int32Array
  readonly askSize: Int32Array
  readonly quoted: boolean
}

const FILES: Readonly<Partial<Record<InstrumentId, string>>> = {
  [instrumentId('crypto', 'BTC-USD')]: 'btc-usd',
  [instrumentId('crypto', 'ETH-USD')]: 'eth-usd',
  [instrumentId('forex', 'EURUSD')]: 'eurusd',
  [instrumentId('forex', 'NZDUSD')]: 'nzdusd',
  [instrumentId('stocks', 'SPY')]: 'spy',
  [instrumentId('stocks', 'IBM')]: 'ibm',
}

/**
 * Reads the tape of an instrument. Returns undefined if the folder has none. Throws if the file is missing or corrupt.
 */
export function readTape(dataDir: URL, id: InstrumentId): Tape | undefined {
  const name = FILES[id]
  return name === undefined ? undefined : unpackTape(readFileSync(new URL(`${name}.tape.br`, dataDir)))
}

/** Unpacks the bytes of a tape file. */
function unpackTape(file: Uint8Array): Tape {
  const bytes = brotliDecompressSync(file)
  let at = 0
  const block = () => {
    const length = bytes.readUInt32LE(at)
    at += 4 + length
    return bytes.subarray(at - length, at)
  }
  const head: unknown = JSON.parse(block().toString('utf8'))
  // Our own build wrote this header. A corrupt file fails the brotli or length checks.
  const header = head as Omit<Tape, 'offset' | 'isQuote' | 'first' | 'second' | 'bidSize' | 'askSize' | 'quoted'> & {
    trades: number
    columns: string[]
  }
  const columns = new Map(header.columns.map((name) => [name, varints(block())]))
  const column = (name: string) => columns.get(name) ?? (() => 0)
  const [dt, kind, price, size] = ['dt', 'kind', 'price', 'size'].map(column)
  const [bid, spread, bidSize, askSize] = ['bid', 'spread', 'bidSize', 'askSize'].map(column)
  const n = header.events
  const tape = {
    ...header,
    offset: new Uint32Array(n),
    isQuote: new Uint8Array(n),
    first: new Int32Array(n),
    second: new Int32Array(n),
    bidSize: new Int32Array(n),
    askSize: new Int32Array(n),
    quoted: header.trades < n,
  }
  let ms = 0
  let lastPrice = 0
  let lastBid = 0
  for (let i = 0; i < n; i++) {
    ms += dt()
    tape.offset[i] = ms
    if (kind() === 0) {
      lastPrice += zigzag(price())
      tape.first[i] = lastPrice
      tape.second[i] = size()
    } else {
      tape.isQuote[i] = 1
      lastBid += zigzag(bid())
      tape.first[i] = lastBid
      tape.second[i] = lastBid + spread()
      tape.bidSize[i] = bidSize()
      tape.askSize[i] = askSize()
    }
  }
  return tape
}

const zigzag = (n: number) => (n % 2 === 0 ? n / 2 : -(n + 1) / 2)

function varints(bytes: Uint8Array): () => number {
  let at = 0
  return () => {
    const first = bytes[at]
    if (first !== undefined && first < 128) {
      at++
      return first // most are this small
    }
    let value = 0
    let factor = 1
    for (;;) {
      const byte = bytes[at++]
      if (byte === undefined) throw new RangeError('the tape ends early')
      value += (byte & 127) * factor
      if (byte < 128) return value
      factor *= 128
    }
  }
}

const DRIFT_PERIODS = [86_400_000, 21_600_000, 7_200_000, 2_400_000, 900_000]
const DRIFT: Readonly<Record<AssetClass, number>> = { crypto: 0.035, forex: 0.005, stocks: 0.012 }

/**
 * A tape as an endless market: forward, then backward, so that its ends meet without a jump, with a slow drift in whole
 * ticks so that no two rounds look alike. The position follows from the time and the seed alone.
 */
export function loopTape(tape: Tape, marketSeed: number): TickSource {
  const seed = hashText(`${tape.asset}:${tape.symbol}`, marketSeed)
  const scale = tickScale(tape.decimals)
  const lots = tickScale(tape.sizeDecimals)
  const period = loopMs(tape)
  const anchor = hashAt(seed, 1) % period
  const level = tape.first[0]
  const driftAt = (ms: number) =>
    Math.round(level * wander(seed, Math.floor(ms / 100) * 100, DRIFT[tape.asset], DRIFT_PERIODS))

  const push = (out: Tick[], i: number, ms: number) => {
    const drift = driftAt(ms)
    const first = tape.first[i] + drift
    const second = tape.second[i]
    if (tape.isQuote[i] === 1) {
      const sized = tape.asset === 'stocks'
      const ask = (second + drift) / scale
      out.push(
        sized ? quoteTick(ms, first / scale, ask, tape.bidSize[i], tape.askSize[i]) : quoteTick(ms, first / scale, ask),
      )
      return
    }
    out.push(tradeTick(ms, first / scale, second / lots))
    if (tape.quoted) return
    // A tape of trades only gets a book one tick wide around each price change, and sometimes in between.
    const h = hashAt(seed, i, 9)
    if (tape.first[i - 1] === tape.first[i] && h % 4 !== 0) return
    const bid = first - (hashAt(seed, Math.floor(i / 6), 8) & 1)
    out.push(quoteTick(ms, bid / scale, (bid + 1) / scale, 100 * (1 + ((h >>> 4) & 31)), 100 * (1 + ((h >>> 10) & 31))))
  }

  const firstFrom = (offset: number): number => firstAfter(tape.offset, (one) => one < offset)
  return {
    decimals: tape.decimals,
    sizeDecimals: tape.sizeDecimals,
    ticks(from, to) {
      const out: Tick[] = []
      for (let round = Math.floor((from - anchor) / period); anchor + round * period < to; round++) {
        const start = anchor + round * period
        const place = (i: number) => Math.floor(tape.offset[i] / tape.pace)
        if (round % 2 === 0) {
          for (let i = firstFrom((from - start) * tape.pace); i < tape.events; i++) {
            const ms = start + place(i)
            if (ms >= to) break
            push(out, i, ms)
          }
        } else {
          const last = start + period - 1
          // Backward: the first event due at `from` or later is the last one at or before this position.
          for (let i = firstFrom((last - from + 1) * tape.pace) - 1; i >= 0; i--) {
            const ms = last - place(i)
            if (ms >= to) break
            push(out, i, ms)
          }
        }
      }
      return out
    },
  }
}

/** The market time of one pass over a tape. */
export function loopMs(tape: Pick<Tape, 'durationMs' | 'pace'>): number {
  return Math.floor(tape.durationMs / tape.pace) + 1
}
