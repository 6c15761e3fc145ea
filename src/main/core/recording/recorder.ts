/**
 * The recorder takes every frame before anything else sees it, numbers it, and hands batches to the store's writer at
 * most `flushMs` later. It never waits and never throws. A frame that it has to refuse is counted, reported and marked
 * as a gap in the ledger.
 */
import { DAY_MS } from '../../../shared/base/durations.ts'
import { CLOCK_SHIFT_MS, clockOffsetMs, COARSE_BOOT_MS, readClocks, type ClockPair } from '../../base/clock.ts'
import { toFailure, type Failure } from '../../../shared/base/errors.ts'
import { FLAG, setBackMs, type LedgerEntry, type Source } from '../../../shared/core/recording/session.ts'
import { FEED_IDS, unixMs, type FeedId, type SessionId, type UnixMs } from '../../../shared/base/units.ts'
import type { RecorderState } from '../../../shared/core/status/status.ts'
import { Listeners } from '../../../shared/base/listeners.ts'
import type { Stamp } from '../feeds/connection/frame-sink.ts'
import type { WriterEvent } from '../store/types/writer.ts'
import { BatchPool } from './batch.ts'
import { HUNG, HUNG_NS } from './disk-trouble.ts'
import { SessionTally } from './session-tally.ts'
import { InFlight } from './in-flight.ts'
import { LedgerState } from './ledger-state.ts'
import { FrameRate } from './measures.ts'
import { ReceiptDelays } from './receipt-delays.ts'
import { RecorderHealth } from './recorder-health.ts'
import type { Recorder, RecorderEvent, RecorderOptions, RecorderStats } from './recorder-port.ts'

/** Time since the session's start, ns, rounded down to microseconds: finer digits cost more than they are worth. */
const sinceStart = (nowNs: number, startNs: number): number =>
  nowNs > startNs ? Math.floor((nowNs - startNs) / 1000) * 1000 : 0

/** A recorder that is off. */
export const createRecorder = (options: RecorderOptions): Recorder => new StoreRecorder(options)

class StoreRecorder implements Recorder {
  readonly #options: RecorderOptions
  readonly #flushMs: number
  readonly #maxBacklogBytes: number
  readonly #listeners = new Listeners<[event: RecorderEvent]>()
  readonly #ledger = new LedgerState()
  readonly #health = new RecorderHealth()
  readonly #delays = new ReceiptDelays()
  readonly #inFlight = new InFlight()
  readonly #pool = new BatchPool()
  readonly #rate = new FrameRate()
  /** Indexed by handle: number in the open session (0: none), index of the feed, messages so far. */
  readonly #numbers: number[] = [0]
  readonly #feedOf: number[] = [0]
  readonly #connSeqs: number[] = [0]

  #source: Source | null = null
  #session: SessionId | null = null
  #breaks = 0
  #sinceMs = unixMs(0)
  /** Monotonic start of the session, ns. */
  #startNs = 0
  /** Next midnight UTC, when the session is rolled. */
  #rollAtMs = Infinity
  /** Wall clock minus monotonic clock, ms, when the clock was set last; NaN before the first entry. */
  #clockBase = NaN
  /** Time since boot minus monotonic clock, ms, when the clock was set last; NaN: unknown. */
  #bootBase = NaN
  #setBackMs = 0
  #seq = 0
  #batch = this.#pool.next()
  #tally = new SessionTally()
  #cancelFlush: (() => void) | null = null
  #cancelRestart: (() => void) | null = null
  /** Called when the writer reports trouble, so that a waiting `start` resolves. */
  #onFailure = (): void => undefined

  #received = 0
  #lastMs = unixMs(0)
  /** Feed of the last accepted frame; -1 if the last frame was refused, so that marks don't go to the one before it. */
  #lastFeed = -1
  #sizes = { storeBytes: 0, freeBytes: 0 }

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#flushMs = options.flushMs ?? 8
    this.#maxBacklogBytes = options.maxBacklogBytes ?? 256 << 20
    options.writer.onEvent((event) => this.#onWriter(event))
  }

  get session(): SessionId | null {
    return this.#session
  }

  get setBackMs(): number {
    return this.#setBackMs
  }

  get breaks(): number {
    return this.#breaks
  }

  connection(feed: FeedId): number {
    const handle = this.#numbers.length
    const number = this.#ledger.connect(handle, feed)
    const index = FEED_IDS.indexOf(feed)
    this.#numbers.push(number)
    this.#feedOf.push(index)
    this.#connSeqs.push(0)
    this.#delays.connect(index, this.#options.clock.wallMs())
    if (this.#session !== null) {
      this.#batch.connections.push({ conn: number, feed })
      this.#armFlush()
    }
    return handle
  }

  frame(handle: number, data: Uint8Array, isBinary: boolean, stamp: Stamp): number {
    this.#lastFeed = -1
    if (this.#session === null) return 0
    if (stamp.wallMs >= this.#rollAtMs) this.#roll(stamp)
    const number = this.#numbers[handle] ?? 0
    if (this.#health.isRestarting) {
      this.#health.loseFrame()
      return 0
    }
    if (number === 0) {
      this.#health.lost++
      return 0
    }
    if (!this.#batch.fits(data.length)) {
      this.#flush()
      if (!this.#batch.fits(data.length)) this.#batch = this.#batch.enlarged(data.length)
    }
    const feed = this.#feedOf[handle]
    if (!this.#hasRoom()) {
      this.#writeRefusalIfDrained()
      if (!this.#hasRoom()) {
        this.#announce(this.#health.refuse(FEED_IDS[feed], this.#lastMs, stamp.wallMs))
        return 0
      }
    }
    this.#watchClock(stamp.wallMs, stamp.monoNs)
    const seq = ++this.#seq
    const connSeq = (this.#connSeqs[handle] = this.#connSeqs[handle] + 1)
    const sinceNs = sinceStart(stamp.monoNs, this.#startNs)
    this.#batch.add(seq, number, connSeq, stamp.wallMs, sinceNs, isBinary ? FLAG.binary : 0, data)
    this.#lastMs = stamp.wallMs
    this.#received++
    const { received } = this.#tally
    received[feed] = received[feed] + 1
    this.#lastFeed = feed
    if (this.#cancelFlush === null) this.#armFlush()
    return seq
  }

  mark(flags: number): void {
    if (this.#lastFeed >= 0) this.#tally.mark(this.#lastFeed, this.#batch.mark(flags))
  }

  dated(eventMs: number): void {
    if (this.#lastFeed >= 0) this.#delays.add(this.#lastFeed, eventMs, this.#lastMs)
  }

  entry(entry: LedgerEntry, stamp: Stamp): number {
    const complete = this.#withSkew(entry)
    if (this.#session === null) {
      this.#takeShift(stamp.wallMs, stamp.monoNs)
      return this.#ledger.add(complete, 0)
    }
    if (stamp.wallMs >= this.#rollAtMs) this.#roll(stamp)
    let seq = 0
    if (this.#health.isRestarting) this.#takeShift(stamp.wallMs, stamp.monoNs)
    else {
      this.#watchClock(stamp.wallMs, stamp.monoNs)
      const stored = this.#ledger.translate(complete, (handle) => this.#numbers[handle] ?? 0)
      seq = this.#put(stored, stamp.wallMs, stamp.monoNs)
    }
    this.#lastMs = stamp.wallMs
    return this.#ledger.add(complete, seq)
  }

  async start(source: Source): Promise<SessionId> {
    if (this.#session !== null) throw new TypeError('a session is already open')
    const { writer, newId } = this.#options
    this.#cancelRestart?.() // this session restarts the writer
    this.#cancelRestart = null
    this.#health.restart()
    this.#source = source
    const at = this.#now()
    const id = newId(at.wallMs)
    this.#breaks++
    const begun = writer.begin(source, at.wallMs, id)
    this.#reset(id, at)
    const failed = Promise.withResolvers<void>()
    this.#onFailure = failed.resolve
    if (this.#health.hasFailed) failed.resolve()
    try {
      await Promise.race([begun, failed.promise])
      begun.catch((thrown: unknown) => this.#onBeginFailed(id, thrown))
    } catch (thrown) {
      this.#session = null
      this.#batch = this.#pool.next()
      throw thrown
    } finally {
      this.#onFailure = () => undefined
    }
    this.#announce({ is: 'began', session: id })
    return id
  }

  async stop(): Promise<void> {
    const ended = this.#session
    if (ended === null) return
    this.#writeRefusal() // even if the backlog is full: the loss belongs to this session
    this.#writeUnread()
    this.#flush()
    this.#session = null
    this.#rollAtMs = Infinity
    await this.#options.writer.end(this.#options.clock.wallMs(), this.#tally.counts(true))
    this.#announce({ is: 'ended', session: ended })
  }

  state(): RecorderState {
    if (this.#session === null) return { is: 'off' }
    const broken = this.#health.broken()
    if (broken !== null) return broken
    const { oldest } = this.#inFlight
    if (oldest !== undefined && this.#options.clock.monoNs() - oldest.sentNs > HUNG_NS) {
      return { is: 'broken', why: HUNG, sinceMs: oldest.sentMs, lost: this.#health.lost }
    }
    return { is: 'recording', session: this.#session, sinceMs: this.#sinceMs, paused: false }
  }

  stats(): RecorderStats {
    return {
      received: this.#received,
      stored: this.#inFlight.stored,
      lost: this.#health.lost,
      perSecond: this.#rate.measure(this.#received, this.#options.clock.monoNs()),
      backlogBytes: this.#backlogBytes(),
      receiveToStored: this.#inFlight.latency(),
      ...this.#sizes,
      feeds: this.#tally.counts(false),
    }
  }

  onEvent(listener: (event: RecorderEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  #announce(event: RecorderEvent | null): void {
    if (event === null) return
    this.#listeners.call(event)
  }

  #now(): ClockPair {
    return readClocks(this.#options.clock, this.#clockBase)
  }

  /** Makes `id` the open session, carrying over the live connections and open gaps. */
  #reset(id: SessionId, at: ClockPair): void {
    const { wallMs, monoNs: nowNs } = at
    this.#session = id
    this.#sinceMs = wallMs
    this.#startNs = nowNs
    this.#rollAtMs = Math.floor(wallMs / DAY_MS) * DAY_MS + DAY_MS
    this.#takeShift(wallMs, nowNs)
    this.#clockBase = clockOffsetMs(at)
    this.#bootBase = this.#bootOffsetMs(nowNs)
    this.#seq = 0
    this.#tally = new SessionTally()
    this.#lastMs = wallMs
    this.#numbers.fill(0) // an ended connection has no number in the new session
    this.#ledger.reissue(
      wallMs,
      (handle, number, feed) => {
        this.#numbers[handle] = number
        this.#connSeqs[handle] = 0
        this.#batch.connections.push({ conn: number, feed })
      },
      (entry) => this.#put(entry, wallMs, nowNs),
    )
  }

  #put(entry: LedgerEntry, wallMs: number, nowNs: number): number {
    const seq = ++this.#seq
    this.#batch.entries.push({ seq, wallMs, monoNs: sinceStart(nowNs, this.#startNs), entry })
    this.#armFlush()
    return seq
  }

  #withSkew(entry: LedgerEntry): LedgerEntry {
    if (entry.type !== 'gap-open' || entry.skewMs !== undefined) return entry
    const skewMs = this.#options.skewMs?.() ?? null
    return skewMs === null ? entry : { ...entry, skewMs }
  }

  #armFlush(): void {
    const { clock } = this.#options
    this.#cancelFlush ??= clock.after(this.#flushMs, () => {
      this.#cancelFlush = null
      this.#flush()
      if (clock.wallMs() >= this.#rollAtMs) this.#roll(this.#now())
    })
  }

  #flush(): void {
    this.#cancelFlush?.()
    this.#cancelFlush = null
    const batch = this.#batch
    if (batch.isEmpty) return
    const { clock, writer } = this.#options
    this.#inFlight.add({
      messages: batch.count,
      tally: this.#tally,
      received: this.#tally.received.slice(),
      startNs: this.#startNs,
      sentMs: clock.wallMs(),
      sentNs: clock.monoNs(),
    })
    writer.append({ messages: batch.columns(), entries: batch.entries, connections: batch.connections })
    this.#batch = this.#pool.next()
  }

  /** Begins a session with the same source as the last one, which has ended or whose writer died. */
  #begin(at: ClockPair): void {
    if (this.#source === null) return
    const { newId, writer } = this.#options
    const id = newId(at.wallMs)
    writer.begin(this.#source, at.wallMs, id).catch((thrown: unknown) => this.#onBeginFailed(id, thrown))
    this.#reset(id, at)
    this.#announce({ is: 'began', session: id })
  }

  /** Handles a failed begin that no caller awaits. If the writer died with it, `died` has already reported that. */
  #onBeginFailed(id: SessionId, thrown: unknown): void {
    if (this.#session === id && !this.#health.isRestarting) this.#onWriterDied(toFailure(thrown))
  }

  /** Ends the session at midnight UTC and begins the next one at the same instant. */
  #roll(at: ClockPair): void {
    const { wallMs, monoNs: nowNs } = at
    const ended = this.#session
    if (ended === null || this.#health.isRestarting || this.#health.isRefusing) return
    this.#watchClock(wallMs, nowNs) // the clock may have been set past midnight
    for (const entry of this.#ledger.closing()) this.#put(entry, wallMs, nowNs)
    this.#flush()
    this.#options.writer.end(wallMs, this.#tally.counts(true)).then(
      () => this.#announce({ is: 'ended', session: ended }),
      () => undefined, // `died` reports the error; the next begin closes the session
    )
    this.#begin(at)
  }

  /** Writes an entry if the wall clock was set. */
  #watchClock(wallMs: number, nowNs: number): void {
    const shiftMs = this.#takeShift(wallMs, nowNs)
    if (shiftMs !== 0) this.#put({ type: 'clock', shiftMs }, wallMs, nowNs)
  }

  /**
   * How far the wall clock was set since the last call, that is, how far it moved against the monotonic clock, ms. That one may
   * stop while the computer is asleep, which sets no clock.
   */
  #takeShift(wallMs: number, nowNs: number): number {
    if (Number.isNaN(this.#clockBase)) {
      this.#clockBase = wallMs - nowNs / 1e6
      this.#bootBase = this.#bootOffsetMs(nowNs)
    }
    const shift = wallMs - nowNs / 1e6 - this.#clockBase
    if (shift <= CLOCK_SHIFT_MS && shift >= -CLOCK_SHIFT_MS) return 0
    this.#clockBase += shift
    const before = this.#bootBase
    this.#bootBase = this.#bootOffsetMs(nowNs)
    const asleep = this.#bootBase - before > COARSE_BOOT_MS ? this.#bootBase - before : 0
    if (asleep > 0 && Math.abs(shift - asleep) <= COARSE_BOOT_MS) return 0
    this.#setBackMs += setBackMs(shift - asleep)
    return shift - asleep
  }

  /** How far the time since boot is ahead of the monotonic clock, ms; NaN: unknown. */
  #bootOffsetMs(nowNs: number): number {
    return (this.#options.clock.bootMs?.() ?? NaN) - nowNs / 1e6
  }

  #backlogBytes(): number {
    return this.#options.writer.backlogBytes + this.#batch.size
  }

  #hasRoom(): boolean {
    return !this.#health.isRefusing && this.#backlogBytes() <= this.#maxBacklogBytes
  }

  #writeRefusalIfDrained(): void {
    if (this.#health.isRefusing && this.#options.writer.backlogBytes <= this.#maxBacklogBytes / 2) this.#writeRefusal()
  }

  /** Writes the refused frames as a gap with both ends, for every feed that was connected. */
  #writeRefusal(): void {
    const refusal = this.#health.isRestarting ? null : this.#health.endRefusal()
    if (refusal === null) return
    const { cause, fromMs, feeds } = refusal
    const { wallMs, monoNs: nowNs } = this.#now()
    for (const feed of new Set([...this.#ledger.feeds(), ...feeds])) {
      const lostFromMs = this.#lostFrom(feed, fromMs)
      const gap = this.#withSkew({ type: 'gap-open', feed, cause, symbols: [], fromMs: lostFromMs })
      const openedSeq = this.#put(gap, wallMs, nowNs)
      this.#put({ type: 'gap-close', feed, openedSeq }, wallMs, nowNs)
    }
    this.#announce({ is: 'cut' })
    this.#announce(this.#health.report())
  }

  #lostFrom(feed: FeedId, untilMs: UnixMs): UnixMs {
    return this.#delays.earliestLost(feed, untilMs, this.#options.skewMs?.() ?? 0)
  }

  /**
   * Opens a gap for messages that are still in the sockets at the end: their event time is before the end, but they
   * aren't in this session.
   */
  #writeUnread(): void {
    const { wallMs, monoNs: nowNs } = this.#now()
    for (const feed of this.#ledger.feeds()) {
      const fromMs = this.#lostFrom(feed, wallMs)
      if (fromMs >= wallMs) continue
      this.#put(this.#withSkew({ type: 'gap-open', feed, cause: 'quit', symbols: [], fromMs }), wallMs, nowNs)
    }
  }

  #onWriter(event: WriterEvent): void {
    switch (event.is) {
      case 'committed':
        this.#pool.recycle(event.recycled ?? [])
        this.#sizes = { storeBytes: event.storeBytes, freeBytes: event.freeBytes }
        this.#inFlight.commit(event, this.#options.clock.monoNs())
        this.#announce(this.#health.commit())
        this.#writeRefusalIfDrained()
        return
      case 'trouble': {
        // The last commit knew a disk that had room. Without another one, the free space isn't known.
        this.#sizes = { ...this.#sizes, freeBytes: 0 }
        const broken = this.#health.fail(event.failure, this.#options.clock.wallMs())
        this.#onFailure()
        this.#announce(broken)
        return
      }
      case 'recovered':
        this.#announce(this.#health.recover())
        this.#writeRefusalIfDrained()
        return
      case 'died':
        this.#onWriterDied(event.failure)
    }
  }

  #onWriterDied(failure: Failure): void {
    const { clock } = this.#options
    const frames = this.#inFlight.drop() + this.#batch.count
    this.#batch = this.#pool.next()
    if (this.#session === null) return this.#health.dieIdle(frames)
    const { event, restartInMs } = this.#health.die(failure, frames, clock.wallMs())
    this.#announce(event)
    const restart = (): void => {
      this.#cancelRestart = null
      this.#health.restart()
      if (this.#session === null) return
      this.#breaks++
      this.#begin(this.#now())
    }
    if (restartInMs === 0) restart()
    else this.#cancelRestart = clock.after(restartInMs, restart)
  }
}
