/**
 * Archives a team: follows every shard of the log into the history, one archiver a shard at a time, and seals what
 * was stored. Servers that are away are waited for; frames that can't be stored stop their shard.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { CodedError } from '../../../../shared/base/errors.ts'
import { type Clock, waitUntil } from '../../../base/clock.ts'
import { unixMs, type SessionId, type UnixMs } from '../../../../shared/base/units.ts'
import type { TeamMetrics } from '../metrics/metrics.ts'
import type { TeamLog } from '../nats/team-log.ts'
import { keepReporting } from '../reports/report.ts'
import type { SessionInfo } from '../session-info.ts'
import type { Archive } from './archive.ts'
import type { Database, Locks } from './database.ts'
import { gather } from './gather.ts'
import { countQuarantined } from './history.ts'
import { Intake, mustCatchUp, ShardStopped } from './intake.ts'
import { sealPart } from './seal.ts'
import { ShardReports } from './shard-reports.ts'
import { dropOldTicks } from './ticks.ts'
import { Watermarks } from './watermarks.ts'

/** The durable consumer of the log that all archivers of a team share. */
const CONSUMER = 'archive'
const STORE_BYTES = 2 << 20
const LINGER_MS = 20
/** Frames of a session that are sealed together, bytes. About 25 bytes are one message. */
const SEAL_BYTES = 8 << 20
const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 10_000
/** How often days of ticks are dropped that are old enough. */
const TICKS_EVERY_MS = 3_600_000
/** How often frames in quarantine are counted. */
const QUARANTINE_EVERY_MS = 60_000
/** How often an archiver looks for shards that another one gave up. */
const LOCK_EVERY_MS = 2_000

const COUNTERS = ['frames_total', 'bytes_total', 'missing_frames_total', 'chain_failures_total'] as const

/** `alarm`: it needs a person. `warn`: it may pass. */
export type Report = (level: 'info' | 'warn' | 'alarm', text: string) => void

export interface ArchiverOptions {
  readonly log: TeamLog
  readonly db: Database
  readonly archive: Archive
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly report: Report
  readonly metrics: TeamMetrics
  readonly sealBytes?: number | undefined
  /** Days for which rows of ticks are kept; null: there are none. */
  readonly tickDays?: number | null
  /** When frames that can't be stored yet are asked for again, ms. */
  readonly retryMs?: number | undefined
  /** Called between commit and acknowledgement, for fault injection. */
  readonly beforeAck?: (() => Promise<void>) | undefined
}

/** Archives until `signal` aborts. Returns the shards that stopped because their frames can't be stored. */
export async function runArchiver(options: ArchiverOptions): Promise<readonly number[]> {
  const archiver = new Archiver(options)
  await archiver.run()
  return archiver.stopped
}

class Archiver {
  readonly #o: ArchiverOptions
  /** Aborted by the caller, or by a fault of the program. */
  readonly #signal: AbortSignal
  readonly #crash = new AbortController()
  #fault: { readonly thrown: unknown } | null = null
  readonly #shards = new Map<number, Promise<void>>()
  readonly #watermarks: Watermarks
  readonly #toSeal = new Set<SessionId>()
  readonly stopped: number[] = []
  readonly #reports = new ShardReports()
  #reportNow: () => void = () => undefined
  #wakeSealer: () => void = () => undefined
  #locks: Locks | null = null
  /** The ones that were opened when the sessions were described at the start. */
  #firstLocks: Locks | null = null
  /** Under which locks a shard was taken. */
  readonly #taken = new Map<number, Locks>()
  /**
   * When the log stored the oldest frame of a shard that was delivered and isn't committed, or since when the shard can't be
   * followed, UTC ms.
   */
  readonly #waitingSince = new Map<number, UnixMs>()

  constructor(options: ArchiverOptions) {
    this.#o = options
    this.#watermarks = new Watermarks(options)
    this.#signal = AbortSignal.any([options.signal, this.#crash.signal])
  }

  async run(): Promise<void> {
    const undo = this.#o.metrics.beforeRead(() => this.#showLags())
    await Promise.all([
      this.#keep('sessions', (signal) => this.#followSessions(signal)),
      this.#keep('watermarks', (signal) => this.#watermarks.keep(signal)),
      this.#keep('sealing', (signal) => this.#seal(signal)),
      this.#keep('ticks', (signal) => this.#dropTicks(signal)),
      this.#keep('quarantine', (signal) => this.#countQuarantine(signal)),
      this.#report(),
    ])
    await Promise.all(this.#shards.values())
    await this.#locks?.close().catch(() => undefined)
    undo()
    if (this.#fault !== null) throw this.#fault.thrown
  }

  #report(): Promise<void> {
    const { log, clock } = this.#o
    return keepReporting(
      () => (log.state().is === 'connected' ? log.bucket('reports') : null),
      randomUUID(),
      () => ({ role: 'archiver', name: hostname(), shards: this.#reports.read() }),
      clock,
      this.#signal,
      (reportNow) => (this.#reportNow = reportNow),
    )
  }

  /** Runs `work` again whenever it fails, until the archiver ends. Each reason is reported once in a row. Never rejects. */
  async #keep(what: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, report } = this.#o
    const signal = this.#signal
    let delayMs = 0
    let reported = ''
    while (!signal.aborted) {
      const startedNs = clock.monoNs()
      try {
        await work(signal)
        reported = ''
      } catch (thrown) {
        if (!(thrown instanceof CodedError)) {
          this.#fault ??= { thrown }
          this.#crash.abort()
          return
        }
        if (signal.aborted) return
        if (thrown.message !== reported) report('warn', `${thrown.message} Retrying (${what}).`)
        reported = thrown.message
      }
      // Work that ended sooner than it was waited for hasn't got anywhere.
      const ranMs = (clock.monoNs() - startedNs) / 1e6
      delayMs = ranMs > delayMs ? FIRST_RETRY_MS : Math.min(delayMs * 2, LAST_RETRY_MS)
      await waitUntil(clock, signal, delayMs)
    }
  }

  /** Describes every session to the database and follows the shard of each. */
  async #followSessions(outer: AbortSignal): Promise<void> {
    const { log, archive, report } = this.#o
    const stop = new AbortController()
    const signal = AbortSignal.any([outer, stop.signal])
    // The server that it reconnects to may have lost its buckets.
    const undo = log.onState(({ is }) => is === 'connected' && stop.abort())
    try {
      const watermarks = await this.#watermarks.read()
      const sealed = new Set(await archive.sealedSessions())
      for await (const info of log.watchSessions(signal)) {
        try {
          if (!sealed.has(info.session)) await archive.putSession(info)
        } catch (thrown) {
          if (!isDamage(thrown)) throw thrown
          report('alarm', `${thrown.message} ${thrown.hint ?? ''}`)
          continue
        }
        this.#followShard(info.shard)
        if (sealed.has(info.session)) continue
        await this.#watermarks.lower(info.session, watermarks.get(info.session))
        watermarks.delete(info.session)
        await this.#finish(info)
      }
      if (!signal.aborted) throw new CodedError('offline', 'The list of sessions is no longer followed.')
    } finally {
      undo()
      stop.abort()
    }
  }

  #followShard(shard: number): void {
    if (this.#shards.has(shard)) return
    // A counter that begins with its first event has no increase that Prometheus could see.
    for (const name of COUNTERS) this.#o.metrics.add(name, { shard }, 0)
    this.#shards.set(
      shard,
      this.#keep(`shard ${shard}`, (signal) => this.#holdShard(shard, signal)),
    )
  }

  /** Archives a shard while no other archiver does. */
  async #holdShard(shard: number, outer: AbortSignal): Promise<void> {
    const { db, clock, report, metrics } = this.#o
    if (this.stopped.includes(shard)) return void (await waitUntil(clock, outer, null))
    const locks = await this.#openLocks()
    const stop = new AbortController()
    const signal = AbortSignal.any([outer, stop.signal, locks.lost])
    try {
      while (!(await locks.take(shard))) {
        this.#waitingSince.delete(shard)
        await waitUntil(clock, signal, LOCK_EVERY_MS)
        if (signal.aborted) return
      }
      // Not again each time that NATS is asked in vain.
      if (this.#taken.get(shard) !== locks) report('info', `Archiving shard ${shard}.`)
      if (locks !== this.#firstLocks && this.#taken.get(shard) !== locks) await this.#describeAgain(shard, signal)
      this.#taken.set(shard, locks)
      this.#reports.begin(shard)
      this.#reportNow()
      await this.#showQuarantine()
      await this.#consume(shard, signal)
      if (locks.lost.aborted) throw new CodedError('offline', `The connection to PostgreSQL at ${db.place} was lost.`)
    } catch (thrown) {
      if (!(thrown instanceof ShardStopped)) {
        // What arrives in the log meanwhile isn't seen.
        if (!this.#waitingSince.has(shard)) this.#waitingSince.set(shard, unixMs(clock.wallMs()))
        throw thrown
      }
      metrics.add('chain_failures_total', { shard })
      await this.#showQuarantine().catch(() => undefined) // the alarm matters more
      const why = `Shard ${shard} stopped. ${thrown.message} Its recorder keeps what isn’t archived.`
      report('alarm', why)
      this.#reports.stop(shard, why)
      this.#reportNow()
      this.stopped.push(shard)
    } finally {
      stop.abort()
      this.#reports.end(shard)
      await locks.release(shard).catch(() => undefined)
    }
  }

  /**
   * Describes a shard's sessions after the connection was lost: PostgreSQL may have been restored from a backup meanwhile, or
   * replaced by a standby that was behind, and then lacks sessions that are no longer followed.
   */
  async #describeAgain(shard: number, signal: AbortSignal): Promise<void> {
    const { log, archive } = this.#o
    const watermarks = await this.#watermarks.read()
    const sealed = new Set(await archive.sealedSessions())
    for (const info of await log.sessions()) {
      if (info.shard !== shard || sealed.has(info.session) || signal.aborted) continue
      try {
        await archive.putSession(info)
      } catch (thrown) {
        if (!isDamage(thrown)) throw thrown
        continue // reported by what follows the sessions
      }
      await this.#watermarks.lower(info.session, watermarks.get(info.session))
      await this.#finish(info)
    }
  }

  /** The connection for the locks of all shards; a new one if it was lost. */
  async #openLocks(): Promise<Locks> {
    const known = this.#openedLocks()
    if (known !== null) return known
    const opened = await this.#o.db.openLocks()
    // Another shard may have opened one in the meantime.
    const other = this.#openedLocks()
    if (other === null) {
      this.#firstLocks ??= opened
      return (this.#locks = opened)
    }
    await opened.close()
    return other
  }

  #openedLocks(): Locks | null {
    return this.#locks?.lost.aborted === false ? this.#locks : null
  }

  async #consume(shard: number, signal: AbortSignal): Promise<void> {
    const { log, archive, clock, report, metrics, beforeAck } = this.#o
    const intake = new Intake(log, archive, clock, {
      beforeAck,
      retryMs: this.#o.retryMs,
      onCommitted: async (session, lastSeq) => {
        this.#reports.commit(shard, session)
        this.#watermarks.changed(session)
        metrics.set('committed_seq', { shard, session }, lastSeq)
        const progress = await archive.progress(session)
        if (progress !== null && progress.tailBytes >= (this.#o.sealBytes ?? SEAL_BYTES)) this.#sealSoon(session)
        const end = progress?.end ?? null
        if (end !== null && lastSeq >= end.lastSeq) await this.#finish({ session, shard })
      },
      onWaiting: (session, why, lastSeq) => {
        // Also 0: it tells the recorder what to publish again.
        if (lastSeq !== null) this.#watermarks.changed(session)
        if (this.#reports.wait(shard, session, why)) report('alarm', why)
      },
      onReread: () => {
        this.#reports.reread(shard)
        metrics.add('missing_frames_total', { shard })
      },
      onFrames: (frames, bytes) => {
        metrics.add('frames_total', { shard }, frames)
        metrics.add('bytes_total', { shard }, bytes)
      },
    })
    await this.#watermarks.raise(shard)
    const acknowledged = await log.acknowledged({ shard, name: CONSUMER })
    for (const session of await archive.openSessions(shard)) {
      const last = await log.lastOf(shard, session)
      const progress = last === null ? null : await archive.progress(session)
      if (last !== null && mustCatchUp(last, progress?.lastSeq ?? 0, acknowledged))
        await intake.catchUp(last, acknowledged, signal)
    }
    this.#waitingSince.delete(shard)
    const deliveries = log.consume({ shard, name: CONSUMER, signal })
    const groups = gather(deliveries, {
      clock,
      bytesOf: ({ bytes }) => bytes.length,
      mostBytes: STORE_BYTES,
      lingerMs: LINGER_MS,
      isLast: ({ pending }) => pending === 0,
    })
    for await (const group of groups) {
      this.#waitingSince.set(shard, group[0].storedMs)
      await intake.take(group, signal)
      const { pending, storedMs } = group[group.length - 1]
      if (pending === 0) this.#waitingSince.delete(shard)
      else this.#waitingSince.set(shard, storedMs)
      if (signal.aborted) return
    }
  }

  /** Also while PostgreSQL is away, or after the shard has stopped: the lag grows then. */
  #showLags(): void {
    const nowMs = this.#o.clock.wallMs()
    for (const shard of this.#shards.keys()) {
      const sinceMs = this.#waitingSince.get(shard) ?? nowMs
      this.#o.metrics.set('history_lag_seconds', { shard }, Math.max(0, nowMs - sinceMs) / 1_000)
    }
  }

  /** Compares a session that has ended with its close record, and seals it. */
  async #finish({ session, shard }: Pick<SessionInfo, 'session' | 'shard'>): Promise<void> {
    const { archive, report } = this.#o
    const differs = await archive.complete(session)
    if (differs !== null) {
      report('alarm', `Session ${session} of shard ${shard} isn’t what its recorder closed: ${differs}.`)
      return
    }
    const progress = await archive.progress(session)
    if (progress?.complete !== true) return
    this.#watermarks.changed(session)
    if (progress.sealedSeq < progress.lastSeq) this.#sealSoon(session)
  }

  async #dropTicks(signal: AbortSignal): Promise<void> {
    const { db, clock, tickDays = null } = this.#o
    while (!signal.aborted) {
      if (tickDays !== null) await dropOldTicks(db, tickDays, clock.wallMs())
      await waitUntil(clock, signal, TICKS_EVERY_MS)
    }
  }

  /** Other archivers add frames, too, and people remove them. */
  async #countQuarantine(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#showQuarantine()
      await waitUntil(this.#o.clock, signal, QUARANTINE_EVERY_MS)
    }
  }

  async #showQuarantine(): Promise<void> {
    const frames = await countQuarantined(this.#o.db)
    for (const shard of new Set([...frames.keys(), ...this.#shards.keys()]))
      this.#o.metrics.set('quarantined_frames', { shard }, frames.get(shard) ?? 0)
  }

  #sealSoon(session: SessionId): void {
    this.#toSeal.add(session)
    this.#wakeSealer()
  }

  /** Seals one session after another, those that have ended completely. */
  async #seal(signal: AbortSignal): Promise<void> {
    const { db, archive, report } = this.#o
    const wake = (): void => this.#wakeSealer()
    signal.addEventListener('abort', wake)
    try {
      while (!signal.aborted) {
        const [session] = this.#toSeal
        if (session === undefined) {
          await new Promise<void>((resolve) => (this.#wakeSealer = resolve))
          continue
        }
        this.#toSeal.delete(session)
        try {
          for (;;) {
            const progress = await archive.progress(session)
            const isDue =
              progress !== null &&
              progress.sealedSeq < progress.lastSeq &&
              (progress.complete || progress.tailBytes >= (this.#o.sealBytes ?? SEAL_BYTES))
            if (!isDue || signal.aborted || !(await sealPart(db, session))) break
          }
        } catch (thrown) {
          if (!isDamage(thrown)) {
            this.#toSeal.add(session)
            throw thrown
          }
          report('alarm', `${thrown.message} ${thrown.hint ?? ''}`)
        }
      }
    } finally {
      signal.removeEventListener('abort', wake)
    }
  }
}

const isDamage = (thrown: unknown): thrown is CodedError =>
  thrown instanceof CodedError && thrown.code === 'store-damaged'
