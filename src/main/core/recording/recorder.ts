/**
 * The recorder: takes every frame before anything else sees it, numbers it, and hands batches to the
 * store's writer at most `flushMs` later. It never waits and never throws; what it cannot take it
 * counts, says so, and leaves a gap in the ledger.
 */
import { toFailure, type Failure } from '../../../shared/base/errors.ts'
import { FLAG, type GapCause, type LedgerEntry, type Source } from '../../../shared/core/recording/recording.ts'
import { FEED_IDS, unixMs, type FeedId, type RecordingId, type UnixMs } from '../../../shared/base/units.ts'
import { DelayWindow, earliestLost } from '../../../shared/core/recording/delay-window.ts'
import type { WriterEvent } from '../store/types/store.ts'
import { BATCH_BUFFER_BYTES, OpenBatch } from './batch.ts'
import { brokenBy, HUNG, HUNG_NS } from './disk-words.ts'
import { GapLedger } from './gaps.ts'
import { LatencyHistogram } from './latency.ts'
import { Rate } from './rate.ts'
import type { Recorder, RecorderEvent, RecorderOptions } from './recorder-port.ts'
import { Tally } from './tally.ts'

const DAY = 86_400_000
const CLOCK_SHIFT_MS = 100
const POOLED = 8
/** After a second death in a row, how long to wait before the writer is started again. */
const RESTART_MS = 500

/** Whole microseconds, as ns: what is below costs more to keep than it tells. */
const sinceStart = (nowNs: number, startNs: number): number =>
  nowNs > startNs ? Math.floor((nowNs - startNs) / 1000) * 1000 : 0

export function createRecorder(options: RecorderOptions): Recorder {
  const { writer, clock, newId, flushMs = 8, maxBacklogBytes = 256 << 20 } = options
  const listeners = new Set<(event: RecorderEvent) => void>()
  const ledger = new GapLedger()
  const latency = new LatencyHistogram()
  const pool: ArrayBuffer[] = []
  /** By handle: number in the recording, feed, messages so far. */
  const numbers: number[] = [0]
  const feedOf: number[] = [0]
  const connSeqs: number[] = [0]

  let source: Source | null = null
  let recording: RecordingId | null = null
  let sinceMs = unixMs(0)
  let startMono = 0
  let rollAtMs = Infinity
  let clockBase = 0
  let seq = 0
  let batch = new OpenBatch(undefined, 0)
  let timer: (() => void) | null = null
  let tally = new Tally()
  /** Handed to the writer and not yet committed, oldest first. */
  let inFlight: {
    readonly messages: number
    readonly received: Float64Array
    readonly of: Tally
    readonly startMono: number
    readonly sentMs: UnixMs
    readonly sentNs: number
  }[] = []

  let received = 0
  let stored = 0
  let lost = 0
  let last = { wallMs: unixMs(0), monoNs: 0 }
  /** Feed of the frame accepted last; -1: it was refused, so marks are not for the one before. */
  let lastFeed = -1
  const delays = FEED_IDS.map(() => new DelayWindow())
  /** When each feed was first connected, UTC ms: nothing of it was lost before. */
  const connectedMs = FEED_IDS.map(() => Infinity)
  const rate = new Rate()
  let sizes = { storeBytes: 0, freeBytes: 0 }

  /** The disk or the writer is in trouble; null: well. */
  let trouble: Failure | null = null
  let troubleSinceMs = unixMs(0)
  /** Lets a start that waits for the writer go on. */
  let onTrouble = (): void => undefined
  /** Frames are being turned away: since when, why, and how many of which feed. */
  let hole: {
    readonly cause: GapCause
    readonly from: { wallMs: UnixMs; monoNs: number }
    /** Also of feeds whose connection is gone by the time that the hole can be told. */
    readonly feeds: Set<FeedId>
    lost: number
  } | null = null
  /** Frames of holes that are gaps by now, while trouble of another kind goes on. */
  let untold = 0
  let dead = false
  let diedAtMs = -Infinity

  const emit = (event: RecorderEvent): void => {
    for (const listener of [...listeners]) listener(event)
  }

  function reset(id: RecordingId, wallMs: UnixMs, nowNs: number): void {
    recording = id
    sinceMs = wallMs
    startMono = nowNs
    rollAtMs = Math.floor(wallMs / DAY) * DAY + DAY
    clockBase = wallMs - nowNs / 1e6
    seq = 0
    tally = new Tally()
    last = { wallMs, monoNs: nowNs }
    numbers.fill(0) // a connection that is gone has no number in the new recording
    ledger.reissue(
      wallMs,
      (handle, number, feed) => {
        numbers[handle] = number
        connSeqs[handle] = 0
        batch.connections.push({ conn: number, feed })
      },
      (entry) => put(entry, wallMs, nowNs),
    )
  }

  function put(entry: LedgerEntry, wallMs: number, nowNs: number): number {
    seq++
    batch.entries.push({ seq, wallMs, monoNs: sinceStart(nowNs, startMono), entry })
    arm()
    return seq
  }

  function withSkew(entry: LedgerEntry): LedgerEntry {
    if (entry.type !== 'gap-open' || entry.skewMs !== undefined) return entry
    const skewMs = options.skewMs?.() ?? null
    return skewMs === null ? entry : { ...entry, skewMs }
  }

  function arm(): void {
    timer ??= clock.after(flushMs, () => {
      timer = null
      flush()
      turnDay(clock.wallMs(), clock.monoNs())
    })
  }

  function flush(): void {
    if (timer !== null) {
      timer()
      timer = null
    }
    if (batch.isEmpty) return
    const { count, entries, connections } = batch
    inFlight.push({
      messages: count,
      received: tally.received.slice(),
      of: tally,
      startMono,
      sentMs: clock.wallMs(),
      sentNs: clock.monoNs(),
    })
    writer.append({ messages: batch.columns(), entries, connections })
    batch = new OpenBatch(pool.pop(), 0)
  }

  /** Opens a new recording in the same instant; the old one was ended, or its writer died. */
  function begin(wallMs: UnixMs, nowNs: number): void {
    if (source === null) return
    const id = newId(wallMs)
    writer.begin(source, wallMs, id).catch((thrown: unknown) => unbegun(id, thrown))
    reset(id, wallMs, nowNs)
    emit({ is: 'began', recording: id })
  }

  /** A begin that nobody waits for has failed. What failed with the writer was told by `died`. */
  function unbegun(id: RecordingId, thrown: unknown): void {
    if (recording === id && !dead) died(toFailure(thrown))
  }

  function turnDay(wallMs: UnixMs, nowNs: number): void {
    if (wallMs < rollAtMs || recording === null || dead || hole !== null) return
    watchClock(wallMs, nowNs) // a day that only the clock jumped over
    for (const entry of ledger.closing()) put(entry, wallMs, nowNs)
    flush()
    const ended = recording
    writer.end(wallMs, tally.counts(true)).then(
      () => emit({ is: 'ended', recording: ended }),
      () => undefined, // told by `died`; the next begin closes it
    )
    begin(wallMs, nowNs)
  }

  /** A shift of wall against monotonic is an entry: settled rule 8. */
  function watchClock(wallMs: number, nowNs: number): void {
    const shift = wallMs - nowNs / 1e6 - clockBase
    if (shift > CLOCK_SHIFT_MS || shift < -CLOCK_SHIFT_MS) {
      clockBase += shift
      put({ type: 'clock', shiftMs: shift }, wallMs, nowNs)
    }
  }

  function refuse(conn: number): 0 {
    hole ??= { cause: trouble === null ? 'overflow' : 'disk', from: last, feeds: new Set(), lost: 0 }
    hole.feeds.add(FEED_IDS[feedOf[conn]])
    if (hole.lost++ === 0 && trouble === null) {
      troubleSinceMs = clock.wallMs()
      emit({ is: 'broken', why: brokenBy(trouble) })
    }
    lost++
    return 0
  }

  /** Room is back: the hole becomes a gap of every feed that was connected, with both edges. */
  function fillHole(): void {
    if (hole !== null && writer.backlogBytes <= maxBacklogBytes / 2) writeHole()
  }

  function writeHole(): void {
    if (hole === null || dead) return
    const { cause, from, feeds } = hole
    untold += hole.lost
    hole = null
    const wallMs = clock.wallMs()
    const nowNs = clock.monoNs()
    for (const feed of new Set([...ledger.feeds(), ...feeds])) {
      const gap = withSkew({ type: 'gap-open', feed, cause, symbols: [], fromMs: lostFrom(feed, from.wallMs) })
      const openedSeq = put(gap, wallMs, nowNs)
      put({ type: 'gap-close', feed, openedSeq }, wallMs, nowNs)
    }
    emit({ is: 'cut' })
    if (trouble === null) recovered()
  }

  /** The earliest time that messages of a feed may be dated at which are lost after `untilMs`. */
  function lostFrom(feed: FeedId, untilMs: UnixMs): UnixMs {
    const index = FEED_IDS.indexOf(feed)
    const last = delays[index].isEmpty ? { recvMs: connectedMs[index], delayMs: 0 } : delays[index]
    return unixMs(earliestLost(last, options.skewMs?.() ?? 0, untilMs))
  }

  /** What waits in the sockets of connections that go on is dated before the end, and is not in this recording. */
  function writeUnread(): void {
    const wallMs = clock.wallMs()
    for (const feed of ledger.feeds()) {
      const fromMs = lostFrom(feed, wallMs)
      if (fromMs < wallMs)
        put(withSkew({ type: 'gap-open', feed, cause: 'quit', symbols: [], fromMs }), wallMs, clock.monoNs())
    }
  }

  function recovered(): void {
    const frames = untold
    untold = 0
    emit({ is: 'recovered', lost: frames })
  }

  function died(failure: Failure): void {
    const nowMs = clock.wallMs()
    const gone = inFlight.reduce((sum, { messages }) => sum + messages, batch.count)
    lost += gone
    inFlight = []
    batch = new OpenBatch(undefined, 0)
    untold += gone + (hole?.lost ?? 0)
    hole = null
    if (recording === null) {
      untold = 0
      trouble = null // the next start opens another writer
      return
    }
    if (trouble === null) troubleSinceMs = nowMs
    trouble = failure
    emit({ is: 'broken', why: brokenBy(trouble) })
    dead = true
    const again = nowMs - diedAtMs < 2 * RESTART_MS
    diedAtMs = nowMs
    const restart = (): void => {
      if (recording === null) return
      dead = false
      begin(clock.wallMs(), clock.monoNs())
    }
    if (again) clock.after(RESTART_MS, restart)
    else restart()
  }

  function onWriter(event: WriterEvent): void {
    switch (event.is) {
      case 'committed': {
        for (const buffer of event.recycled ?? []) {
          if (pool.length < POOLED && buffer.byteLength === BATCH_BUFFER_BYTES) pool.push(buffer)
        }
        sizes = { storeBytes: event.storeBytes, freeBytes: event.freeBytes }
        stored += event.messages
        const done = inFlight.splice(0, event.batches ?? 1)
        for (const { of, received: upTo } of done) of.stored.set(upTo)
        const first = done[0]
        if (first !== undefined && Number.isFinite(event.firstMonoNs)) {
          latency.add((clock.monoNs() - first.startMono - event.firstMonoNs) / 1e6)
        }
        if (trouble !== null && diedAtMs > -Infinity) {
          diedAtMs = -Infinity
          trouble = null
          if (hole === null) recovered()
        }
        fillHole()
        return
      }
      case 'trouble':
        if (trouble === null) troubleSinceMs = clock.wallMs()
        trouble = event.failure
        onTrouble()
        emit({ is: 'broken', why: brokenBy(trouble) })
        return
      case 'recovered':
        trouble = null
        if (hole === null) recovered()
        fillHole()
        return
      case 'died':
        died(event.failure)
    }
  }
  writer.onEvent(onWriter)

  return {
    get recording() {
      return recording
    },
    connection(feed) {
      const handle = numbers.length
      const number = ledger.connect(handle, feed)
      numbers.push(number)
      const index = FEED_IDS.indexOf(feed)
      feedOf.push(index)
      connectedMs[index] = Math.min(connectedMs[index], clock.wallMs())
      connSeqs.push(0)
      if (recording !== null) {
        batch.connections.push({ conn: number, feed })
        arm()
      }
      return handle
    },
    frame(conn, data, binary, stamp) {
      lastFeed = -1
      if (recording === null) return 0
      if (stamp.wallMs >= rollAtMs) turnDay(stamp.wallMs, stamp.monoNs)
      const number = numbers[conn] ?? 0
      if (dead || number === 0) {
        lost++
        if (dead) untold++
        return 0
      }
      if (!batch.fits(data.length)) {
        flush()
        if (!batch.fits(data.length)) batch = batch.enlarged(data.length)
      }
      if (hole !== null || writer.backlogBytes + batch.size > maxBacklogBytes) {
        fillHole()
        if (hole !== null || writer.backlogBytes + batch.size > maxBacklogBytes) return refuse(conn)
      }
      watchClock(stamp.wallMs, stamp.monoNs)
      const i = batch.count
      batch.seq[i] = ++seq
      batch.conn[i] = number
      batch.connSeq[i] = connSeqs[conn] = connSeqs[conn] + 1
      batch.recvMs[i] = stamp.wallMs
      batch.monoNs[i] = sinceStart(stamp.monoNs, startMono)
      batch.flags[i] = binary ? FLAG.binary : 0
      batch.bytes.set(data, batch.size)
      batch.size += data.length
      batch.offsets[i + 1] = batch.size
      batch.count = i + 1
      last = stamp
      received++
      const feed = feedOf[conn]
      tally.received[feed] = tally.received[feed] + 1
      lastFeed = feed
      if (timer === null) arm()
      return seq
    },
    mark(flags) {
      const i = batch.count - 1
      if (i < 0 || lastFeed < 0) return
      const fresh = flags & ~batch.flags[i]
      batch.flags[i] = batch.flags[i] | flags
      if (fresh & FLAG.control) tally.control[lastFeed] = tally.control[lastFeed] + 1
      if (fresh & FLAG.undecodable) tally.undecodable[lastFeed] = tally.undecodable[lastFeed] + 1
      if (fresh & FLAG.unasked) tally.unasked[lastFeed] = tally.unasked[lastFeed] + 1
    },
    dated(eventMs) {
      if (lastFeed >= 0) delays[lastFeed].seen(eventMs, last.wallMs)
    },
    entry(told, stamp) {
      const entry = withSkew(told)
      if (recording === null) return ledger.note(entry, 0)
      if (stamp.wallMs >= rollAtMs) turnDay(stamp.wallMs, stamp.monoNs)
      if (!dead) watchClock(stamp.wallMs, stamp.monoNs)
      const given = dead
        ? 0
        : put(
            ledger.translate(entry, (handle) => numbers[handle] ?? 0),
            stamp.wallMs,
            stamp.monoNs,
          )
      last = stamp
      return ledger.note(entry, given)
    },
    async start(of) {
      if (recording !== null) throw new TypeError('a recording is already open')
      source = of
      const wallMs = clock.wallMs()
      const id = newId(wallMs)
      const begun = writer.begin(of, wallMs, id)
      reset(id, wallMs, clock.monoNs())
      const troubled = Promise.withResolvers<void>()
      onTrouble = troubled.resolve
      if (trouble !== null) troubled.resolve()
      try {
        await Promise.race([begun, troubled.promise])
        begun.catch((thrown: unknown) => unbegun(id, thrown))
      } catch (thrown) {
        recording = null
        batch = new OpenBatch(undefined, 0)
        throw thrown
      } finally {
        onTrouble = () => undefined
      }
      emit({ is: 'began', recording: id })
      return id
    },
    async stop() {
      if (recording === null) return
      const ended = recording
      writeHole() // however full the backlog is: what was lost must be said in this recording
      writeUnread()
      flush()
      recording = null
      rollAtMs = Infinity
      await writer.end(clock.wallMs(), tally.counts(true))
      emit({ is: 'ended', recording: ended })
    },
    state() {
      if (recording === null) return { is: 'off' }
      if (trouble !== null || hole !== null || dead) {
        return { is: 'broken', why: brokenBy(trouble), sinceMs: troubleSinceMs, lost }
      }
      const waits = inFlight[0]
      if (waits !== undefined && clock.monoNs() - waits.sentNs > HUNG_NS) {
        return { is: 'broken', why: HUNG, sinceMs: waits.sentMs, lost }
      }
      return { is: 'recording', session: recording, sinceMs, paused: false }
    },
    stats: () => ({
      received,
      stored,
      lost,
      perSecond: rate.measure(received, clock.monoNs()),
      backlogBytes: writer.backlogBytes + batch.size,
      receiveToStored: latency.percentiles(),
      ...sizes,
      feeds: tally.counts(false),
    }),
    onEvent(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
