/**
 * The state of a replay at one seq: a market, its feeds, and the cursor that reads on. Applies messages and entries as
 * live did, with the same decoder, fold and hub.
 */
import { cutsOrder, entersMarket } from '../../../shared/core/recording/session.ts'
import type { ReplayExactness } from '../../../shared/features/replay/replay.ts'
import { FEED_IDS, unixMs, type UnixMs } from '../../../shared/base/units.ts'
import { scratch } from '../../../service/codec.ts'
import type { Market } from '../market/market.ts'
import type { StoredEntry } from '../store/types/messages.ts'
import type { ReplayBatch } from '../store/types/replay.ts'
import type { BatchCursor, Cursor } from './cursor.ts'
import { decodeRow } from './decode-row.ts'
import type { Part } from './parts.ts'
import { FeedTracker, type Tracker } from './tracker.ts'

/** Messages between two checks of the clock. */
const CLOCK_CHECK_MESSAGES = 64

/** How far to advance. It stops at the first limit that is reached. */
export interface Limits {
  /** Replay time of the last message or entry to apply, UTC ms. */
  readonly upToMs: number
  /** Seq of the last message or entry to apply. */
  readonly upToSeq: number
  /** Maximum number of messages. */
  readonly messages: number
  /** Called now and then. If it returns true, advancing stops. */
  readonly isTimeUp: () => boolean
}

export const NO_LIMITS: Limits = { upToMs: Infinity, upToSeq: Infinity, messages: Infinity, isTimeUp: () => false }

/**
 * Why advancing stopped. `reached`: the next item is beyond the limits. `time-up`: `isTimeUp` returned true. `pending`:
 * the next item isn't read yet. `end`: the session has no more.
 */
export type Advanced = 'reached' | 'time-up' | 'pending' | 'end'

/** A state to return to. `data`: the saved market. */
export interface Checkpoint {
  readonly seq: number
  readonly timeMs: number
  readonly lastMessageSeq: number
  readonly data: Uint8Array
}

/** `C`: what it reads from. */
export class PlaybackState<C extends BatchCursor = Cursor> {
  readonly part: Part
  /** Seq of the last message or entry applied; 0 if none of this session was. */
  seq: number
  /** Its replay time, UTC ms. */
  timeMs: number
  /** Seq of the last message; 0 if it is unknown or there is none. */
  lastMessageSeq = 0
  /** Messages applied by this object. */
  messages = 0
  exactness: ReplayExactness
  tracker: Tracker
  /** Messages and last receive time (UTC ms) by feed index. */
  readonly received = new Float64Array(FEED_IDS.length)
  readonly lastMs = new Float64Array(FEED_IDS.length).fill(NaN)
  /** The session's end was applied, too: the clock is between sessions. */
  isOver = false
  #cursor: C
  readonly #market: Market
  readonly #record = scratch()
  /** A record was added to the fold by this object. */
  #hasFolded = false
  #taken: { readonly minuteMs: UnixMs; readonly sha256: string } | null = null

  constructor(market: Market, part: Part, cursor: C, at: { readonly seq: number; readonly timeMs: number }) {
    this.#market = market
    this.part = part
    this.#cursor = cursor
    this.seq = at.seq
    this.timeMs = Math.max(at.timeMs, part.fromMs)
    const { merged } = part
    this.tracker = merged?.newTracker() ?? new FeedTracker()
    this.exactness = merged === undefined ? { is: 'none' } : { is: 'not comparable', why: merged.why }
  }

  get cursor(): C {
    return this.#cursor
  }

  /** Continues with another cursor, because the current one has no more to read. */
  continueWith(cursor: C): void {
    this.#cursor.close()
    this.#cursor = cursor
  }

  /** Applies the entries up to here to the feeds only. */
  catchUp(entries: readonly StoredEntry[]): void {
    for (const { seq, wallMs, entry } of entries) {
      if (seq > this.seq) return
      this.tracker.apply(seq, unixMs(wallMs), entry, null)
    }
  }

  /** Copies this state onto another market, which already has its market state, with another cursor. */
  copyOnto(market: Market, cursor: C): PlaybackState<C> {
    const copy = new PlaybackState(market, this.part, cursor, this)
    copy.lastMessageSeq = this.lastMessageSeq
    copy.exactness = this.exactness
    copy.tracker = this.tracker
    copy.isOver = this.isOver
    copy.#taken = this.#taken
    copy.#hasFolded = this.#hasFolded
    copy.received.set(this.received)
    copy.lastMs.set(this.lastMs)
    return copy
  }

  /** Replay time of the next item, UTC ms; null at the end of the session; undefined while it isn't read yet. */
  nextMs(): number | null | undefined {
    switch (this.#cursor.next()) {
      case 'message':
        return Math.max(this.timeMs, this.#cursor.batch!.recvMs[this.#cursor.row])
      case 'entry':
        return Math.max(this.timeMs, this.#cursor.nextEntry().wallMs)
      case 'end':
        return null
      case 'pending':
        return undefined
    }
  }

  /** Applies messages and entries up to the limits. */
  advance({ upToMs, upToSeq, messages, isTimeUp }: Limits): Advanced {
    const cursor = this.#cursor
    let untilCheck = CLOCK_CHECK_MESSAGES
    let remaining = messages
    for (;;) {
      if (remaining === 0) return 'reached'
      const kind = cursor.next()
      if (kind === 'pending' || kind === 'end') return kind
      if (kind === 'entry') {
        const stored = cursor.nextEntry()
        if (stored.seq > upToSeq || Math.max(this.timeMs, stored.wallMs) > upToMs) return 'reached'
        cursor.entry += 1
        this.#entry(stored)
        continue
      }
      const batch = cursor.batch!
      const { row } = cursor
      const seq = batch.seq[row]
      if (seq > upToSeq || Math.max(this.timeMs, batch.recvMs[row]) > upToMs) return 'reached'
      cursor.row = row + 1
      remaining -= 1
      this.#message(batch, row)
      if (--untilCheck === 0) {
        untilCheck = CLOCK_CHECK_MESSAGES
        if (isTimeUp()) return 'time-up'
      }
    }
  }

  /** Applies the session's end: feeds are disconnected until the next session begins. */
  finish(): void {
    this.isOver = true
    this.timeMs = this.part.toMs
    this.tracker.end(unixMs(this.part.toMs), this.part.clean ? 'quit' : 'crash', this.#market.sink)
  }

  checkpoint(): Checkpoint {
    const { seq, timeMs, lastMessageSeq } = this
    return { seq, timeMs, lastMessageSeq, data: this.#market.save() }
  }

  #message(batch: ReplayBatch, row: number): void {
    const feed = batch.feed[row]
    const seq = batch.seq[row]
    const recvMs = batch.recvMs[row]
    this.seq = this.lastMessageSeq = seq
    if (recvMs > this.timeMs) this.timeMs = recvMs
    this.messages += 1
    this.received[feed] = this.received[feed] + 1
    this.lastMs[feed] = recvMs
    if (!entersMarket(batch.flags[row])) return
    const id = FEED_IDS[feed]
    const record = this.#record
    if (decodeRow(batch, row, record) !== 'market') return
    const at = unixMs(recvMs)
    this.#taken = this.#market.digest(id, at, record) ?? this.#taken
    this.#hasFolded = true
    const { counts } = this.part
    if (counts === null || counts(id, record, seq, recvMs)) this.#market.sink.apply(id, seq, at, record)
  }

  #entry({ seq, wallMs, entry }: StoredEntry): void {
    this.seq = seq
    if (wallMs > this.timeMs) this.timeMs = wallMs
    if (entry.type === 'gap-open') {
      // The recorder's own gaps lose records. Live restarted its fold there, too. A merge may have them from another one.
      if (cutsOrder(entry.cause) && this.part.merged === undefined) this.#market.cut()
      this.#market.setSkew(entry.skewMs ?? 0)
    }
    this.tracker.apply(seq, unixMs(wallMs), entry, this.#market.sink)
    if (entry.type === 'digest') this.#compare(seq, entry)
  }

  #compare(seq: number, entry: Extract<StoredEntry['entry'], { readonly type: 'digest' }>): void {
    const taken = this.#taken
    this.#taken = null
    if (this.exactness.is === 'differs') return
    if (entry.fold !== this.#market.fold) {
      const why = `These digests were written by a different version of Tapedeck (fold ${entry.fold ?? 'unknown'}).`
      this.exactness = { is: 'not comparable', why }
      return
    }
    // A replay that began between the first record of a minute and its digest has nothing to compare.
    if (taken === null && !this.#hasFolded) return
    const { minuteMs, sha256 } = entry
    if (taken === null || taken.minuteMs !== minuteMs || taken.sha256 !== sha256) {
      this.exactness = { is: 'differs', minuteMs, seq, live: sha256, replay: taken?.sha256 ?? '' }
    } else if (this.exactness.is !== 'not comparable') {
      const minutes = this.exactness.is === 'identical' ? this.exactness.minutes : 0
      this.exactness = { is: 'identical', minutes: minutes + 1 }
    }
  }
}
