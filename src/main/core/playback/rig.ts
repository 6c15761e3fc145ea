/**
 * The state of a replay at one place: a market, what the entries said, and the cursor behind it. Applies what
 * follows, message by message, as live did: the same decoder, the same fold, the same hub.
 */
import { cutsOrder, entersMarket } from '../../../shared/core/recording/recording.ts'
import type { ReplayExactness } from '../../../shared/features/replay/replay.ts'
import { FEED_IDS, unixMs, type UnixMs } from '../../../shared/base/units.ts'
import { scratch } from '../../../service/codec.ts'
import { decodeStored } from '../../../service/decode-stored.ts'
import type { Market } from '../market/market.ts'
import type { StoredEntry } from '../store/types/messages.ts'
import type { Cursor } from './cursor.ts'
import type { Part } from './parts.ts'
import { FeedTracker } from './tracker.ts'

/** Messages between two looks at the clock. */
const A_LOOK = 64

/** How far to go. The first that is met ends it. */
export interface Limits {
  /** Replay time of the last to be applied. */
  readonly upToMs: number
  /** Seq of the last to be applied. */
  readonly upToSeq: number
  /** So many messages at most. */
  readonly messages: number
  /** Asked now and then: whether the time for this is over. */
  readonly spent: () => boolean
}

export const NO_LIMITS: Limits = { upToMs: Infinity, upToSeq: Infinity, messages: Infinity, spent: () => false }

/**
 * `reached`: what comes next is beyond the limits. `spent`: of time. `dry`: what comes next is not read yet.
 * `end`: the recording has no more.
 */
export type Advanced = 'reached' | 'spent' | 'dry' | 'end'

/** A place to go back to. */
export interface Kept {
  readonly seq: number
  readonly timeMs: number
  readonly lastMessageSeq: number
  readonly data: Uint8Array
}

export class Rig {
  readonly part: Part
  /** Seq of the last message or entry that is applied; 0: none of this recording. */
  seq: number
  /** Replay time of it. */
  timeMs: number
  /** Seq of the last message; 0: not known, or none. */
  lastMessageSeq = 0
  /** Messages applied since this rig began. */
  messages = 0
  exactness: ReplayExactness = { is: 'none' }
  tracker = new FeedTracker()
  /** By the index of the feed. */
  readonly received = new Float64Array(FEED_IDS.length)
  readonly lastMs = new Float64Array(FEED_IDS.length).fill(NaN)
  /** The recording's end is applied too: what comes is between recordings. */
  over = false
  #cursor: Cursor
  readonly #market: Market
  readonly #record = scratch()
  /** A record went into the fold since this rig began. */
  #folded = false
  #taken: { readonly minuteMs: UnixMs; readonly sha256: string } | null = null

  constructor(market: Market, part: Part, cursor: Cursor, at: { readonly seq: number; readonly timeMs: number }) {
    this.#market = market
    this.part = part
    this.#cursor = cursor
    this.seq = at.seq
    this.timeMs = Math.max(at.timeMs, part.fromMs)
  }

  get cursor(): Cursor {
    return this.#cursor
  }

  /** Goes on with another cursor from here, where the one before read no further. */
  goOn(cursor: Cursor): void {
    this.#cursor.close()
    this.#cursor = cursor
  }

  /** Entries up to this place, for what stands around the market. */
  catchUp(entries: readonly StoredEntry[]): void {
    for (const { seq, wallMs, entry } of entries) {
      if (seq > this.seq) return
      this.tracker.apply(seq, unixMs(wallMs), entry, null)
    }
  }

  /** A copy of this place over another market, which has its state; it goes on with another cursor. */
  onto(market: Market, cursor: Cursor): Rig {
    const rig = new Rig(market, this.part, cursor, this)
    rig.lastMessageSeq = this.lastMessageSeq
    rig.exactness = this.exactness
    rig.tracker = this.tracker
    rig.over = this.over
    rig.#taken = this.#taken
    rig.#folded = this.#folded
    rig.received.set(this.received)
    rig.lastMs.set(this.lastMs)
    return rig
  }

  /** Replay time of what comes next; null: nothing of this recording; undefined: it is not read yet. */
  nextMs(): number | null | undefined {
    switch (this.#cursor.next()) {
      case 'message':
        return Math.max(this.timeMs, this.#cursor.batch!.recvMs[this.#cursor.row])
      case 'entry':
        return Math.max(this.timeMs, this.#cursor.entryAtHand().wallMs)
      case 'end':
        return null
      case 'dry':
        return undefined
    }
  }

  /** Applies what comes within the limits. */
  advance({ upToMs, upToSeq, messages, spent }: Limits): Advanced {
    const cursor = this.#cursor
    let look = A_LOOK
    let left = messages
    for (;;) {
      if (left === 0) return 'reached'
      const kind = cursor.next()
      if (kind === 'dry' || kind === 'end') return kind
      if (kind === 'entry') {
        const stored = cursor.entryAtHand()
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
      left -= 1
      this.#message(batch.feed[row], seq, batch.recvMs[row], batch.flags[row], batch.bytes, batch.offsets, row)
      if (--look === 0) {
        look = A_LOOK
        if (spent()) return 'spent'
      }
    }
  }

  /** The recording's end: feeds are told to be out of reach until the next one begins. */
  finish(): void {
    this.over = true
    this.timeMs = this.part.toMs
    this.tracker.end(unixMs(this.part.toMs), this.part.clean ? 'quit' : 'crash', this.#market.sink)
  }

  keep(): Kept {
    const { seq, timeMs, lastMessageSeq } = this
    return { seq, timeMs, lastMessageSeq, data: this.#market.save() }
  }

  #message(
    feed: number,
    seq: number,
    recvMs: number,
    flags: number,
    bytes: Uint8Array,
    offsets: Uint32Array,
    row: number,
  ): void {
    this.seq = this.lastMessageSeq = seq
    if (recvMs > this.timeMs) this.timeMs = recvMs
    this.messages += 1
    this.received[feed] = this.received[feed] + 1
    this.lastMs[feed] = recvMs
    if (!entersMarket(flags)) return
    const id = FEED_IDS[feed]
    const record = this.#record
    if (decodeStored(id, flags, bytes, offsets[row], offsets[row + 1], record) !== 'market') return
    const at = unixMs(recvMs)
    this.#taken = this.#market.digest(id, at, record) ?? this.#taken
    this.#folded = true
    if (recvMs >= this.part.notBeforeMs) this.#market.sink.apply(id, seq, at, record)
  }

  #entry({ seq, wallMs, entry }: StoredEntry): void {
    this.seq = seq
    if (wallMs > this.timeMs) this.timeMs = wallMs
    if (entry.type === 'gap-open') {
      // The recorder's own gaps cut the order of records; live began its fold anew, too.
      if (cutsOrder(entry.cause)) this.#market.cut()
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
    // A replay that began right between the first record of a minute and the digest before it has none to compare.
    if (taken === null && !this.#folded) return
    const { minuteMs, sha256 } = entry
    if (taken === null || taken.minuteMs !== minuteMs || taken.sha256 !== sha256) {
      this.exactness = { is: 'differs', minuteMs, seq, live: sha256, replay: taken?.sha256 ?? '' }
    } else if (this.exactness.is !== 'not comparable') {
      const minutes = this.exactness.is === 'identical' ? this.exactness.minutes : 0
      this.exactness = { is: 'identical', minutes: minutes + 1 }
    }
  }
}
