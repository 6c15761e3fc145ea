/** Bars, rows and messages for tests. */
import type { Bar, Print } from '../../src/shared/core/market/market.ts'
import type { SessionRow } from '../../src/shared/core/recording/session.ts'
import type { QuoteRow } from '../../src/shared/core/status/status.ts'
import { instrumentId, sessionId, unixMs } from '../../src/shared/base/units.ts'
import { START_MS, type SentMessage } from './terminal-messages.ts'

/** The labels of a session that the user hasn't labeled. */
export const UNLABELED = { name: '', notes: '', tags: [], pinned: false, binnedMs: null } as const

export interface BarParts extends Omit<Partial<Bar>, 'startMs' | 'endMs'> {
  /** UTC ms. */
  readonly startMs?: number
  readonly lengthMs?: number
}

/** A complete bar of one minute and one record. Without other prices it is flat at `close`, 100 by default. */
export function makeBar({ startMs = 0, lengthMs = 60_000, close = 100, ...parts }: BarParts = {}): Bar {
  return {
    startMs: unixMs(startMs),
    endMs: unixMs(startMs + lengthMs),
    open: close,
    high: close,
    low: close,
    close,
    volume: 1,
    count: 1,
    complete: true,
    ...parts,
  }
}

/** The row of BTC-USD, for which nothing has been received. */
export const makeQuoteRow = (parts: Partial<QuoteRow> = {}): QuoteRow => ({
  instrument: instrumentId('crypto', 'BTC-USD'),
  asset: 'crypto',
  symbol: 'BTC-USD',
  name: null,
  last: null,
  lastOf: null,
  lastEventMs: null,
  lastRecvMs: null,
  tick: null,
  flash: 0,
  bid: null,
  ask: null,
  bidSize: null,
  askSize: null,
  open: null,
  high: null,
  low: null,
  volume: null,
  rangeOf: null,
  reference: null,
  referenceOf: null,
  decimals: 2,
  pip: null,
  freshness: 'waiting',
  spark: [],
  mapping: null,
  ...parts,
})

/** A trade of the tape, received 40 ms after it was made. */
export const makePrint = (seq: number, parts: Partial<Print> = {}): Print => ({
  seq,
  eventMs: unixMs(seq * 640),
  recvMs: unixMs(seq * 640 + 40),
  price: 100,
  size: 1,
  direction: 0,
  ...parts,
})

/** A session of the demo market without messages, which still runs. */
export const makeSession = (id: string, parts: Partial<SessionRow> = {}): SessionRow => ({
  session: sessionId(id),
  source: 'demo',
  startedMs: unixMs(0),
  endedMs: null,
  clean: false,
  isCorrupt: false,
  live: true,
  feeds: [],
  symbols: 0,
  messages: 0,
  bytes: 0,
  gaps: [],
  gapCount: 0,
  edges: 0,
  imported: false,
  ...UNLABELED,
  ...parts,
})

/** The text of a crypto trade. Numbers can be literals, so that tests choose the digits. `eventMs`: UTC ms. */
export const tradeText = (
  pair: string,
  price: number | string,
  size: number | string,
  eventMs: number | string,
): string => `{"ev":"XT","pair":"${pair}","p":${price},"t":${eventMs},"s":${size}}`

/** A crypto trade as the service sends it to subscribers. `eventMs`: UTC ms. */
export const tradeOf = (pair: string, price: number, size = 1, eventMs: number = START_MS): SentMessage => ({
  feed: 'crypto/XT',
  symbol: pair,
  raw: tradeText(pair, price, size, eventMs),
})

/** A crypto quote as the service sends it to subscribers. `eventMs`: UTC ms. */
export const quoteOf = (pair: string, bid: number, ask: number, eventMs: number = START_MS): SentMessage => ({
  feed: 'crypto/XQ',
  symbol: pair,
  raw: quoteText(pair, bid, ask, eventMs),
})

/** The text of a crypto quote. `eventMs`: UTC ms. */
export const quoteText = (pair: string, bid: number | string, ask: number | string, eventMs: number): string =>
  `{"ev":"XQ","pair":"${pair}","bp":${bid},"ap":${ask},"t":${eventMs}}`
