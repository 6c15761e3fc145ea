/** A live market made up for the tests of replays: tells its hub what live tells, and writes down what live writes. */
import { createDigestFold, FOLD_VERSION } from '../../../../../src/main/core/market/digest.ts'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import type { Hub } from '../../../../../src/main/core/market/hub-types.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import { createMarket, type Market } from '../../../../../src/main/core/market/market.ts'
import type { Part } from '../../../../../src/main/core/playback/parts.ts'
import type { NewSnapshot, ReplayBatch } from '../../../../../src/main/core/store/types/replay.ts'
import type { StoredEntry } from '../../../../../src/main/core/store/types/messages.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import { createSnapshots } from '../../../../../src/main/core/recording/snapshots.ts'
import { scratch } from '../../../../../src/service/codec.ts'
import { decode } from '../../../../../src/service/codecs/decode.ts'
import { FLAG, type GapCause, type LedgerEntry } from '../../../../../src/shared/core/recording/session.ts'
import type { FeedState, QuoteRow } from '../../../../../src/shared/core/status/status.ts'
import { FEED_IDS, monoNs, sessionId, unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'
import type { SessionId } from '../../../../../src/shared/base/units.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'

/** How long a dropped feed waits before it is tried again. */
export const RETRY_MS = 4_000
export const T0 = Date.UTC(2026, 0, 5, 10, 0, 0)

interface Message {
  readonly seq: number
  readonly recvMs: number
  readonly feed: FeedId
  readonly flags: number
  readonly bytes: Uint8Array
}

export interface Recorded {
  readonly session: SessionId
  readonly startedMs: number
  endedMs: number
  readonly messages: Message[]
  readonly entries: StoredEntry[]
  readonly snapshots: NewSnapshot[]
}

export interface HubOf {
  readonly hub: Hub
  readonly market: Market
  digest(): string
}

/** An empty hub with its fold. */
export function emptyMarket(): HubOf {
  const hub = createHub({ calendar: hubCalendar })
  const fold = createDigestFold()
  return { hub, market: createMarket(hub, fold), digest: () => fold.now() }
}

/** Rows of every instrument that is known; the count of flashes is not of the market. */
export function rowsOf(hub: Hub, nowMs: number): readonly Omit<QuoteRow, 'flash'>[] {
  return [...hub.cells()]
    .filter((cell) => cell.isSymbolConfirmed)
    .map((cell) => {
      const { flash: _flash, ...row } = hub.row(cell, nowMs)
      return row
    })
    .sort((a, b) => a.instrument.localeCompare(b.instrument))
}

export class FakeLive {
  readonly of = emptyMarket()
  readonly sessions: Recorded[] = []
  seq = 0
  #conn = 0
  readonly #conns = new Map<FeedId, number>()
  readonly #gaps = new Map<FeedId, { readonly seq: number; readonly fromMs: number }>()
  readonly #states = new Map<FeedId, string>()
  readonly #record = scratch()
  readonly #fold: { cut(): void }
  readonly #snapshots
  #began = false

  constructor() {
    this.#fold = this.of.market
    this.#snapshots = createSnapshots(this.of.market, {
      snapshot: (snapshot) => {
        this.now.snapshots.push(snapshot)
      },
    })
  }

  get now(): Recorded {
    return this.sessions[this.sessions.length - 1]
  }

  begin(atMs: number): void {
    this.seq = 0
    this.#conn = 0
    this.#began = false
    this.sessions.push({
      session: sessionId(`r${this.sessions.length + 1}`),
      startedMs: atMs,
      endedMs: atMs,
      messages: [],
      entries: [],
      snapshots: [],
    })
  }

  end(atMs: number): void {
    this.now.endedMs = Math.max(this.now.endedMs, atMs)
    this.#conns.clear()
    this.#gaps.clear()
  }

  /** The day turns: another recording in the same instant, the connections kept, told anew with their state. */
  roll(symbols: readonly string[], atMs: number): void {
    const open = [...this.#conns.keys()]
    this.end(atMs)
    this.begin(atMs)
    for (const feed of open) {
      const conn = ++this.#conn
      this.#conns.set(feed, conn)
      this.entry(atMs, { type: 'connecting', feed, conn })
      this.entry(atMs, { type: 'connected', feed, conn })
      this.entry(atMs, { type: 'subscribe', feed, conn, symbols })
      this.entry(atMs, { type: 'acknowledged', feed, conn, symbols })
      this.entry(atMs, { type: 'state', feed, conn, state: this.#states.get(feed) ?? 'open' })
    }
  }

  get connected(): number {
    return this.#conns.size
  }

  entry(atMs: number, entry: LedgerEntry): number {
    this.seq += 1
    this.now.entries.push({ seq: this.seq, wallMs: atMs, monoNs: monoNs(0), entry })
    this.now.endedMs = Math.max(this.now.endedMs, atMs)
    return this.seq
  }

  #state(feed: FeedId, state: FeedState, atMs: number): void {
    const again = state.is === 'waiting' ? { untilMs: state.untilMs, attempt: state.attempt } : {}
    this.entry(atMs, { type: 'state', feed, conn: this.#conns.get(feed) ?? 0, state: state.is, ...again })
    this.#states.set(feed, state.is)
    this.of.hub.feedState(feed, state, unixMs(atMs))
  }

  connect(feed: FeedId, symbols: readonly string[], atMs: number): void {
    if (this.#conns.has(feed)) return
    this.#state(feed, { is: 'connecting', attempt: 1 }, atMs)
    const conn = ++this.#conn
    this.#conns.set(feed, conn)
    this.entry(atMs, { type: 'connecting', feed, conn })
    this.entry(atMs, { type: 'connected', feed, conn })
    this.entry(atMs, { type: 'subscribe', feed, conn, symbols })
    this.entry(atMs, { type: 'acknowledged', feed, conn, symbols })
    this.of.hub.acknowledged(feed, symbols)
    const gap = this.#gaps.get(feed)
    if (gap !== undefined) {
      this.#gaps.delete(feed)
      this.entry(atMs, { type: 'gap-close', feed, openedSeq: gap.seq })
      this.of.hub.gapClosed(feed, unixMs(gap.fromMs), unixMs(Math.max(atMs, gap.fromMs)))
    }
    this.#state(feed, { is: 'open', sinceMs: unixMs(atMs) }, atMs)
  }

  drop(feed: FeedId, atMs: number, cause: GapCause = 'drop'): void {
    const conn = this.#conns.get(feed)
    if (conn === undefined) return
    this.entry(atMs, { type: 'disconnected', feed, conn, closeCode: 1006, reason: '' })
    const seq = this.entry(atMs, { type: 'gap-open', feed, cause, symbols: [], fromMs: unixMs(atMs) })
    this.of.hub.gapOpened(feed, cause, [], unixMs(atMs))
    this.#gaps.set(feed, { seq, fromMs: atMs })
    const why = { code: 'offline', message: '', hint: '', closeCode: null } as const
    this.#state(feed, { is: 'waiting', untilMs: unixMs(atMs + RETRY_MS), attempt: 2, why }, atMs)
    this.#conns.delete(feed)
  }

  stale(feed: FeedId, atMs: number): void {
    if (this.#conns.has(feed)) this.#state(feed, { is: 'stale', sinceMs: unixMs(atMs), lastMs: unixMs(atMs) }, atMs)
  }

  /** A hole of the recorder's own: the fold begins anew. */
  cut(feed: FeedId, atMs: number): void {
    const openedSeq = this.entry(atMs, { type: 'gap-open', feed, cause: 'overflow', symbols: [], fromMs: unixMs(atMs) })
    this.of.hub.gapOpened(feed, 'overflow', [], unixMs(atMs))
    this.entry(atMs, { type: 'gap-close', feed, openedSeq })
    this.of.hub.gapClosed(feed, unixMs(atMs), unixMs(atMs))
    this.#fold.cut()
  }

  message(feed: FeedId, text: string, atMs: number, unasked = false): void {
    if (!this.#conns.has(feed)) return
    const bytes = new TextEncoder().encode(text)
    const kind = decode(feed, bytes, 0, bytes.length, this.#record)
    const flags =
      kind === 'control' ? FLAG.control : kind === 'undecodable' ? FLAG.undecodable : unasked ? FLAG.unasked : 0
    this.seq += 1
    const { seq } = this
    this.now.messages.push({ seq, recvMs: atMs, feed, flags, bytes })
    this.now.endedMs = Math.max(this.now.endedMs, atMs)
    if (flags !== 0) return
    if (!this.#began) {
      this.#began = true
      this.of.market.cut()
      this.of.hub.sessionBegan(true)
      this.#snapshots.began(this.now.session, atMs)
    }
    this.#take(feed, seq, atMs)
  }

  /** A stock trade dated in seconds, as a version recorded it that read milliseconds only. */
  undatedTrade(symbol: string, price: number, atMs: number): void {
    const text = `{"ev":"T","sym":"${symbol}","p":${price},"s":1,"t":${Math.floor(atMs / 1000)}}`
    const bytes = new TextEncoder().encode(text)
    decode('stocks/T', bytes, 0, bytes.length, this.#record)
    this.#record.eventMs = NaN
    this.seq += 1
    this.now.messages.push({ seq: this.seq, recvMs: atMs, feed: 'stocks/T', flags: FLAG.undated, bytes })
    this.now.endedMs = Math.max(this.now.endedMs, atMs)
    this.#take('stocks/T', this.seq, atMs)
  }

  /** Takes the record into fold and hub. */
  #take(feed: FeedId, seq: number, atMs: number): void {
    const taken = this.of.market.digest(feed, unixMs(atMs), this.#record)
    const last = taken === null ? seq : this.entry(atMs, { type: 'digest', ...taken, fold: FOLD_VERSION })
    this.of.hub.apply(feed, seq, unixMs(atMs), this.#record)
    this.#snapshots.after(last, atMs)
  }

  trade(symbol: string, price: number, atMs: number, size = 1, eventMs = atMs): void {
    const pair = symbol
    this.message('crypto/XT', tradeText(pair, price, size, eventMs), atMs)
  }

  quote(symbol: string, bid: number, ask: number, atMs: number): void {
    this.message('crypto/XQ', quoteText(symbol, bid, ask, atMs), atMs)
  }

  parts(): readonly Part[] {
    return this.sessions.map((one) => ({
      session: one.session,
      fromMs: one.startedMs,
      toMs: one.endedMs,
      lastSeq: Math.max(0, one.messages.at(-1)?.seq ?? 0, one.entries.at(-1)?.seq ?? 0),
      counts: null,
      clean: true,
    }))
  }
}

/** What a player reads, out of memory; `rows` messages a batch. */
export function memoryReader(
  sessions: readonly Recorded[],
  rows = 64,
  withSnapshots = true,
): Pick<StoreReader, 'replay' | 'snapshot' | 'entries'> {
  const of = (session: SessionId): Recorded => {
    const found = sessions.find((one) => one.session === session)
    if (found === undefined) throw new Error(`no session ${session}`)
    return found
  }
  return {
    async *replay({ session, afterSeq, upToSeq = Infinity, upToMs = Infinity }) {
      const { messages, entries } = of(session)
      const wanted = messages.filter(({ seq }) => seq > afterSeq && seq <= upToSeq)
      const later = wanted.findIndex(({ recvMs }) => recvMs > upToMs)
      const mine = later < 0 ? wanted : wanted.slice(0, later)
      let after = afterSeq
      for (let i = 0; i <= mine.length; i += rows) {
        const some = mine.slice(i, i + rows)
        const last = i + rows >= mine.length
        const end = later < 0 ? upToSeq : wanted[later].seq - 1
        const reached = last ? end : (some.at(-1)?.seq ?? end)
        const from = after
        await Promise.resolve()
        yield batchOf(
          session,
          some,
          entries.filter(({ seq }) => seq > from && seq <= reached),
          reached,
        )
        after = reached
        if (last) return
      }
    },
    async snapshot({ session, upToSeq, upToMs = Infinity, afterSeq = -1, version }) {
      if (!withSnapshots) return null
      const found = of(session).snapshots.findLast(
        (one) => one.seq <= upToSeq && (one.seq === 0 || one.wallMs <= upToMs) && one.version === version,
      )
      return found !== undefined && found.seq > afterSeq ? found : null
    },
    async entries({ session, types }) {
      return of(session).entries.filter(({ entry }) => types?.includes(entry.type) ?? true)
    },
  }
}

function batchOf(
  session: SessionId,
  messages: readonly Message[],
  entries: readonly StoredEntry[],
  upToSeq: number,
): ReplayBatch {
  const offsets = new Uint32Array(messages.length + 1)
  for (const [i, { bytes }] of messages.entries()) offsets[i + 1] = offsets[i] + bytes.length
  const bytes = new Uint8Array(offsets[messages.length])
  for (const [i, one] of messages.entries()) bytes.set(one.bytes, offsets[i])
  return {
    session,
    count: messages.length,
    feed: Uint8Array.from(messages, ({ feed }) => FEED_IDS.indexOf(feed)),
    seq: Float64Array.from(messages, ({ seq }) => seq),
    recvMs: Float64Array.from(messages, ({ recvMs }) => recvMs),
    monoNs: new Float64Array(messages.length),
    conn: new Uint32Array(messages.length).fill(1),
    flags: Uint8Array.from(messages, ({ flags }) => flags),
    offsets,
    bytes,
    entries,
    upToSeq,
  }
}
