/** One followed session on its way into the live market: its feeds, its place, and what it may show. */
import {
  FEED_IDS,
  feedAsset,
  instrumentId,
  unixMs,
  type FeedId,
  type InstrumentId,
  type UnixMs,
} from '../../../../shared/base/units.ts'
import type { FeedState, FeedStatus } from '../../../../shared/core/status/status.ts'
import { NO_LIMITS, PlaybackState } from '../../../core/playback/playback-state.ts'
import type { HubSink } from '../../../core/market/hub-types.ts'
import { sinkOnly } from '../../../core/market/market.ts'
import type { Batch, StoredEntry } from '../../../core/store/types/messages.ts'
import type { CommittedFlush } from '../frame/frame.ts'
import type { SessionInfo } from '../session-info.ts'
import { FlushCursor } from './flush-cursor.ts'
import { LaneFacts } from './gaps/lane-facts.ts'
import { lastSeqOf } from '../frame/seqs.ts'

/** Messages that were received longer ago than this aren't the present, ms: they change the store, not the hub. */
const BEHIND_MS = 60_000

export interface LaneParts {
  readonly info: SessionInfo
  /** When the last message before the first flush was received, or the session's start, UTC ms. */
  readonly timeMs: UnixMs
  /** The hub and all who listen to live records. Feed states and gaps come through `changed` instead. */
  readonly sink: HubSink
  /** A feed's state, symbols or gaps changed, or whether it is behind. */
  readonly changed: (feed: FeedId | null) => void
  /** Whether the hub takes its records of an instrument; those of any. */
  readonly leads: (feed: FeedId, id: () => InstrumentId) => boolean
  readonly isLeading: () => boolean
  /** Whether everything that the log had of the session has been shown, so that what follows is most likely the present. */
  readonly isPresent: () => boolean
}

export class Lane {
  info: SessionInfo
  /** Records were left out of the hub, which therefore has to be read from the store again. */
  hasSkipped: boolean
  /** Its last flush isn't the present. */
  #isBehind: boolean
  /** How long the last flush took from its receipt until it was shown, ms, by two clocks. */
  delayMs = 0
  /** How far its stamps were ahead of this computer's clock when the present was shown last, ms. */
  #aheadMs = 0
  /** When it received, and what it missed. */
  readonly facts: LaneFacts
  readonly #parts: LaneParts
  readonly #cursor: FlushCursor
  readonly #playback: PlaybackState<FlushCursor>
  readonly #states = new Map<FeedId, FeedState>()
  readonly #symbols = new Map<FeedId, Map<InstrumentId, string>>()
  #applying = false
  /** Feeds of gaps that have ended in the flush. */
  readonly #ended = new Set<FeedId>()
  #rateMs = NaN
  #rates: readonly number[] = FEED_IDS.map(() => 0)
  #counted: readonly number[] = FEED_IDS.map(() => 0)

  /** `entries`: those of the local copy up to `lastSeq`, so that feeds and gaps are known. */
  constructor(parts: LaneParts, lastSeq: number, entries: readonly StoredEntry[]) {
    this.#parts = parts
    this.info = parts.info
    this.hasSkipped = lastSeq > 0
    this.#isBehind = this.hasSkipped
    const { session, startedMs } = parts.info
    this.facts = new LaneFacts(startedMs)
    this.#cursor = new FlushCursor(session)
    const part = {
      session,
      fromMs: startedMs,
      toMs: Infinity,
      lastSeq: Infinity,
      counts: null,
      clean: true,
    }
    const market = sinkOnly(this.#sink())
    this.#playback = new PlaybackState(market, part, this.#cursor, { seq: lastSeq, timeMs: parts.timeMs })
    const { tracker } = this.#playback
    this.#playback.tracker = {
      apply: (seq, wallMs, entry, sink) => {
        this.facts.apply({ seq, wallMs, entry })
        tracker.apply(seq, wallMs, entry, sink)
        if (entry.type === 'released' || entry.type === 'disconnected') this.#release(entry.feed)
        else if (entry.type === 'gap-close') this.#ended.add(entry.feed)
      },
      end: (...args) => tracker.end(...args),
      marketContext: () => tracker.marketContext(),
      statuses: (...args) => tracker.statuses(...args),
    }
    this.#catchUp(entries)
  }

  /** The last seq that the hub has, or had to leave out. */
  get seq(): number {
    return this.#playback.seq
  }

  /** Replay time of that seq, UTC ms. */
  get timeMs(): number {
    return this.#playback.timeMs
  }

  get isBehind(): boolean {
    return this.#isBehind
  }

  set isBehind(value: boolean) {
    if (value === this.#isBehind) return
    this.#isBehind = value
    this.#parts.changed(null)
  }

  /** Applies the flush that follows. `nowMs`: UTC. */
  show({ batch }: CommittedFlush, nowMs: number, refresh: () => void): void {
    if (lastSeqOf(batch) <= this.seq) return
    this.#cursor.learn([batch], batch.entries)
    const { version } = this.facts
    this.facts.compare(batch, (conn) => this.#cursor.feedOf(conn))
    const wasBehind = this.#isBehind
    this.#isBehind = this.#ageMs(batch, nowMs) > BEHIND_MS
    const hasChanged = this.#isBehind !== wasBehind || this.facts.version !== version
    if (hasChanged && !this.#isBehind) this.#parts.changed(null)
    if (this.#isBehind || !this.#parts.isLeading()) this.#skip(batch, hasChanged)
    else {
      if (this.hasSkipped) refresh()
      this.#apply(batch)
    }
    const ageMs = this.#ageMs(batch, nowMs)
    this.delayMs = Math.max(0, ageMs)
    if (ageMs > BEHIND_MS) return
    this.#aheadMs = lastMsOf(batch) - nowMs
    if (!this.isBehind) return
    // The flush says that its recorder's clock was set.
    this.isBehind = false
    if (this.#parts.isLeading()) refresh()
  }

  /**
   * How long ago a batch was received, ms. Messages of a late service and shifts that were a sleep look like a clock that is
   * ahead. Once the log has no more, such a clock counts only if its stamps were ahead of this computer's clock, too:
   * prices must not stand still.
   */
  #ageMs(batch: Batch, nowMs: number): number {
    const skewMs = this.facts.skewAt(lastSeqOf(batch))
    const isKnown = !this.#parts.isPresent() || -skewMs <= Math.max(0, this.#aheadMs) + BEHIND_MS
    return nowMs - lastMsOf(batch) - (isKnown ? skewMs : 0)
  }

  /** Entries of the local copy that were stored but never shown. */
  catchUp(lastSeq: number, entries: readonly StoredEntry[]): void {
    this.#playback.seq = lastSeq
    this.hasSkipped = true
    this.#catchUp(entries)
  }

  stateOf(feed: FeedId): FeedState | undefined {
    return this.#states.get(feed)
  }

  feeds(): Iterable<FeedId> {
    return this.#states.keys()
  }

  /** Symbols that its recorder receives, by instrument. */
  symbols(feed: FeedId): ReadonlyMap<InstrumentId, string> {
    return this.#symbols.get(feed) ?? new Map()
  }

  statuses(nowMs: number): FeedStatus[] {
    const { received, lastMs, tracker } = this.#playback
    const seconds = (nowMs - this.#rateMs) / 1_000
    if (!(seconds < 1)) {
      this.#rates = Number.isNaN(seconds)
        ? this.#rates
        : Array.from(received, (count, i) => (count - this.#counted[i]) / seconds)
      this.#counted = [...received]
      this.#rateMs = nowMs
    }
    return tracker.statuses(received, this.#rates, lastMs)
  }

  /** A gap that ended can be that of a symbol that was given up, or begin again in the same flush for another reason. */
  #releaseEnded(): void {
    for (const feed of this.#ended) this.#release(feed)
    this.#ended.clear()
  }

  /** Forgets symbols that its recorder no longer wants, as when the plan gave them to another one. */
  #release(feed: FeedId): void {
    const symbols = this.symbols(feed)
    const released = [...symbols].filter(([, symbol]) => !this.facts.isSubscribed(feed, symbol))
    for (const [id] of released) this.#symbols.get(feed)?.delete(id)
    if (released.length > 0) this.#parts.changed(feed)
  }

  #apply(batch: Batch): void {
    this.#cursor.push(batch)
    this.#applying = true
    try {
      this.#playback.advance(NO_LIMITS)
    } finally {
      this.#applying = false
    }
    this.#releaseEnded()
  }

  #skip(batch: Batch, hasChanged: boolean): void {
    this.hasSkipped = true
    const { messages } = batch
    this.#playback.seq = lastSeqOf(batch)
    this.#playback.timeMs = Math.max(this.#playback.timeMs, lastMsOf(batch))
    for (let i = 0; i < messages.count; i++) {
      const feed = this.#cursor.feedOf(messages.conn[i])
      this.#playback.received[feed] += 1
      this.#playback.lastMs[feed] = messages.recvMs[i]
    }
    // Both may have the hub read again, up to this seq.
    if (hasChanged) this.#parts.changed(null)
    this.#catchUp(batch.entries)
  }

  #catchUp(entries: readonly StoredEntry[]): void {
    this.#cursor.learn([], entries)
    const sink = this.#sink()
    for (const { seq, wallMs, entry } of entries) this.#playback.tracker.apply(seq, unixMs(wallMs), entry, sink)
    this.#releaseEnded()
  }

  #leads(feed: FeedId, symbol: string): boolean {
    return this.#parts.leads(feed, () => instrumentId(feedAsset(feed), symbol))
  }

  /** Remembers states and symbols; passes records on only while they belong to the present. */
  #sink(): HubSink {
    const { sink, changed } = this.#parts
    return {
      apply: (feed, seq, recvMs, record) => {
        if (this.#leads(feed, record.symbol)) sink.apply(feed, seq, recvMs, record)
      },
      feedState: (feed, worst) => {
        if (this.#states.get(feed) === worst) return
        this.#states.set(feed, worst)
        changed(feed)
      },
      acknowledged: (feed, symbols) => {
        const mine = this.#symbols.get(feed) ?? new Map<InstrumentId, string>()
        this.#symbols.set(feed, mine)
        for (const symbol of symbols) mine.set(instrumentId(feedAsset(feed), symbol), symbol)
        changed(feed)
        if (this.#applying) sink.acknowledged(feed, symbols)
      },
      // What it missed may have been received by another session of its shard.
      gapOpened: (feed) => changed(feed),
      gapClosed: (feed) => changed(feed),
    }
  }
}

/** When the last message or entry of a batch was received, UTC ms. */
const lastMsOf = ({ messages, entries }: Batch): number =>
  Math.max(messages.count > 0 ? messages.recvMs[messages.count - 1] : -Infinity, entries.at(-1)?.wallMs ?? -Infinity)
