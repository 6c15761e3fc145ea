/** Publishes what a recorder commits: ties the publisher to the store, and says how it is doing. */
import { randomUUID } from 'node:crypto'
import { toFailure } from '../../../../shared/base/errors.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import type { Clock } from '../../../base/clock.ts'
import type { BegunSession } from '../../../core/store/late-store.ts'
import type { StoreReader } from '../../../core/store/types/reader.ts'
import type { Committed } from '../../../core/store/types/writer.ts'
import type { PublishOptions } from '../../../terminal/host.ts'
import type { TeamName } from '../names.ts'
import type { TeamLog } from '../nats/team-log.ts'
import type { SessionInfo } from '../session-info.ts'
import type { SigningKey } from '../sign/keys.ts'
import { sizeText } from '../../../../shared/base/size-text.ts'
import { keepReporting, MAX_SESSIONS, reportText, type RecorderReport } from '../reports/report.ts'
import { AgeMarks } from './age-marks.ts'
import { DroppedFrames } from './dropped.ts'
import { Publisher } from './publisher.ts'
import { Spool, type SpoolSession } from './spool.ts'
import type { Trouble } from './state.ts'

/** How often the store is asked about sessions that a crash left open, and the team about its history, ms. */
const LOOK_MS = 5_000
/** How exactly the age of unpublished messages is known, ms. */
const AGE_STEP_MS = 1_000
/** How long closing waits for the rest to be published, ms. */
const DRAIN_MS = 10_000

export interface PublishStatus {
  readonly team: string
  readonly shard: number
  readonly shards: number
  readonly isConnected: boolean
  /** What keeps it from going on. */
  readonly trouble: Trouble | null
  /** Messages and entries committed in this run that the log doesn't have. */
  readonly behind: number
  /** Sessions that the log doesn't have completely, with the open one, but for those given up. */
  readonly unfinished: number
  /** Sessions that can't be published. The store keeps them until somebody releases them. */
  readonly givenUp: readonly SessionId[]
  /** Sessions, also of earlier runs, that the store keeps for the team, and their size. */
  readonly held: number
  readonly heldBytes: number
  /** Bytes that were sent to NATS and aren't acknowledged. */
  readonly inFlightBytes: number
  /** How far each of these sessions is. */
  readonly progress: readonly SessionProgress[]
  /** Age of the oldest message committed in this run that the log doesn't have, ms; 0: there is none. */
  readonly lagMs: number
  /**
   * The same for what the history doesn't have, as far as its archiver has told; messages of earlier runs count from the
   * start of this one.
   */
  readonly historyLagMs: number
}

/** Last seqs of a session: in the store, as far as this run committed it, in the log, and in the history. */
export interface SessionProgress {
  readonly session: SessionId
  readonly committedSeq: number
  readonly publishedSeq: number
  readonly archivedSeq: number
}

export interface PublishingParts {
  readonly options: PublishOptions
  readonly team: TeamName
  readonly connect: () => Promise<TeamLog>
  readonly reader: Pick<StoreReader, 'flushes' | 'ledger' | 'sessions'>
  /** The store's current path. */
  readonly store: () => string
  readonly clock: Clock
  /** Signs what is published; null: nothing is signed. */
  readonly key: SigningKey | null
  readonly say: (level: 'info' | 'warn', text: string, hint?: string) => void
}

export class Publishing {
  readonly #parts: PublishingParts
  readonly #spool: Spool
  readonly #publisher: Publisher
  /** The last committed seq of each session of this run. */
  readonly #committed = new Map<SessionId, number>()
  /** When seqs were committed that the log doesn't have, and those that the history doesn't have. */
  readonly #unpublished = new Map<SessionId, AgeMarks>()
  readonly #unarchived = new Map<SessionId, AgeMarks>()
  readonly #startedMs: number
  readonly #dropped = new DroppedFrames((session) =>
    this.#publisher.isResending(session) ? null : this.#publisher.publishedSeq(session),
  )
  /** Sessions that the store has closed. */
  readonly #closed = new Set<SessionId>()
  /** Why each of these sessions can't be published. */
  readonly #givenUp = new Map<SessionId, string>()
  /** Those of them of which the log has something. */
  readonly #inLog = new Set<SessionId>()
  #trouble: Trouble | null = null
  #heldBytes = 0
  /** Parts of `--spool-max` that were warned of: 0, 1 (half) or 2. */
  #warned = 0
  #stopLooking = (): void => {}
  readonly #closing = new AbortController()
  readonly #reporting: Promise<void>

  /** Goes on with the sessions of earlier runs. Throws `disk-error` if the list of them can't be read. */
  constructor(parts: PublishingParts) {
    this.#parts = parts
    this.#startedMs = this.#elapsedMs()
    this.#spool = new Spool(parts.store, parts.team)
    this.#publisher = new Publisher({
      connect: parts.connect,
      reader: parts.reader,
      clock: parts.clock,
      key: parts.key,
      describe: (session) => {
        const found = this.#spool.get(session)
        if (found === undefined) throw new TypeError(`session ${session} isn't published`)
        return found.info
      },
      onPrepared: () => void this.#lookAtHistory(),
      onFinished: (session, end) => this.#note(() => this.#spool.ended(session, end)),
      onErased: (session) => this.#note(() => this.#spool.remove(session)),
      onTrouble: (trouble) => this.#onTrouble(trouble),
      onGivenUp: (session, { message, hint, isForeign }) => {
        const why = `Session ${session} can’t be published: ${message}`
        this.#givenUp.set(session, why)
        if (isForeign === true) this.#inLog.add(session)
        parts.say('warn', why, hint)
      },
    })
    this.#publisher.start()
    for (const { info } of this.#spool.sessions()) if (info.end === null) this.#publisher.add(info.session, false)
    void this.#look()
    const { clock } = parts
    this.#reporting = keepReporting(
      () => {
        const { log, state } = this.#publisher
        // nats-server 2.9 panics when a bucket is asked for while it is being made.
        return log?.state().is === 'connected' && state.busy !== 'prepare' ? log.bucket('reports') : null
      },
      randomUUID(),
      () => this.#report(),
      clock,
      this.#closing.signal,
    )
  }

  #report(): RecorderReport {
    const { shard, epoch, recorder: name, spoolMaxBytes } = this.#parts.options
    const { heldBytes: spoolBytes, behind: unpublished, trouble } = this.status()
    return {
      role: 'recorder',
      name,
      shard,
      epoch,
      spoolBytes,
      spoolLimitBytes: spoolMaxBytes && Math.round(spoolMaxBytes),
      unpublished,
      trouble: trouble
        ? reportText(`${trouble.message} ${trouble.hint ?? ''}`.trim())
        : ([...this.#givenUp.values()].map(reportText).at(-1) ?? null),
      sessions: this.#publisher.state.sessions.slice(0, MAX_SESSIONS).map(({ id }) => id),
    }
  }

  /** Call before anything of the session is stored. */
  begin({ id: session, source, startedMs }: BegunSession): void {
    const { shard, shards, recorder, epoch } = this.#parts.options
    this.#note(() => this.#spool.begin({ session, shard, shards, recorder, source, startedMs, epoch, end: null }))
  }

  committed({ session, seq }: Pick<Committed, 'session' | 'seq'>): void {
    if (!this.#committed.has(session)) this.#add(session)
    this.#committed.set(session, seq)
    this.#noteAge(session, seq)
    this.#publisher.committed(session)
  }

  #noteAge(session: SessionId, seq: number): void {
    const atMs = this.#elapsedMs()
    for (const [marks, doneSeq] of [
      [this.#unpublished, this.#publisher.publishedSeq(session)],
      [this.#unarchived, this.#spool.get(session)?.archivedSeq ?? 0],
    ] as const) {
      const of = marks.get(session) ?? new AgeMarks(AGE_STEP_MS)
      marks.set(session, of)
      of.oldestAfter(doneSeq)
      of.add(seq, atMs)
    }
  }

  /** Since when something waits for the history that may still come; Infinity: nothing does. */
  #unarchivedSince({ info, archivedSeq }: SpoolSession): number {
    if (this.#givenUp.has(info.session)) return Infinity
    const marks = this.#unarchived.get(info.session)
    if (marks !== undefined) return marks.oldestAfter(archivedSeq) ?? Infinity
    return info.end !== null && archivedSeq >= info.end.lastSeq ? Infinity : this.#startedMs
  }

  #elapsedMs(): number {
    return this.#parts.clock.monoNs() / 1e6
  }

  /** The store has its close record. */
  ended(session: SessionId): void {
    this.#add(session)
    this.#closed.add(session)
    this.#publisher.ended(session)
  }

  /** Publishes a session from now on. Before this, the store may not have it yet. */
  #add(session: SessionId): void {
    if (this.#givenUp.has(session)) return
    if (this.#spool.get(session)?.info.end === null) this.#publisher.add(session, false)
  }

  status(): PublishStatus {
    const { team, options } = this.#parts
    const sessions = this.#spool.sessions()
    const progress = sessions.map(({ info: { session }, archivedSeq }) => ({
      session,
      committedSeq: this.#committed.get(session) ?? 0,
      publishedSeq: this.#publisher.publishedSeq(session),
      archivedSeq,
    }))
    const givenUp = sessions.map(({ info }) => info.session).filter((session) => this.#givenUp.has(session))
    const isOpen = ({ session, end }: SessionInfo): boolean => end === null && !this.#givenUp.has(session)
    const open = new Set(sessions.filter(({ info }) => isOpen(info)).map(({ info }) => info.session))
    const behind = progress.map((one) => (open.has(one.session) ? Math.max(0, one.committedSeq - one.publishedSeq) : 0))
    const nowMs = this.#elapsedMs()
    const ageOf = (oldestMs: number): number => (oldestMs === Infinity ? 0 : nowMs - oldestMs)
    const unpublished = progress.map(
      ({ session, publishedSeq }) => this.#unpublished.get(session)?.oldestAfter(publishedSeq) ?? Infinity,
    )
    const unarchived = sessions.map((one) => this.#unarchivedSince(one))
    return {
      team,
      shard: options.shard,
      shards: options.shards,
      isConnected: this.#publisher.log?.state().is === 'connected',
      trouble: this.#trouble,
      behind: behind.reduce((sum, one) => sum + one, 0),
      unfinished: open.size,
      givenUp,
      held: sessions.length,
      heldBytes: this.#heldBytes,
      inFlightBytes: this.#publisher.inFlightBytes,
      progress,
      lagMs: ageOf(Math.min(...unpublished)),
      historyLagMs: ageOf(Math.min(...unarchived)),
    }
  }

  /** Publishes the rest for up to `drainMs`, unless that is impossible now. Call once the session has ended. */
  async close(drainMs = DRAIN_MS): Promise<void> {
    const { clock } = this.#parts
    this.#stopLooking()
    await this.#lookAtStore()
    const late = new AbortController()
    const undo = clock.after(drainMs, () => late.abort())
    if (this.#trouble === null && drainMs > 0) await this.#publisher.drain(late.signal)
    undo()
    if (this.#trouble === null && drainMs > 0) await this.#lookAtHistory()
    this.#closing.abort()
    await this.#reporting
    await this.#publisher.close()
  }

  #onTrouble(trouble: Trouble | null): void {
    const { say, team } = this.#parts
    this.#trouble = trouble
    if (trouble === null) return say('info', `Publishing to the team ${team} has resumed.`)
    const hint = `${trouble.hint ?? ''} Recording continues, and publishing catches up by itself.`.trim()
    say('warn', `Not publishing to the team ${team}: ${trouble.message}`, hint)
  }

  /** Changes the list of held sessions. Recording goes on if the disk refuses. */
  #note(change: () => void): void {
    try {
      change()
    } catch (thrown) {
      this.#parts.say('warn', `Couldn’t note which sessions the team needs: ${toFailure(thrown).message}`)
    }
  }

  async #look(): Promise<void> {
    await this.#lookAtStore()
    await this.#lookAtHistory()
    this.#stopLooking = this.#parts.clock.after(LOOK_MS, () => void this.#look())
  }

  /** Finds sessions that were closed after a crash, and how much the store keeps. */
  async #lookAtStore(): Promise<void> {
    const list = await this.#parts.reader.sessions(true).catch(() => null) // the publisher reports a store that can't be read
    if (list === null) return
    const rows = new Map(list.map((row) => [row.session, row]))
    this.#heldBytes = 0
    for (const { info } of this.#spool.sessions()) {
      const row = rows.get(info.session)
      this.#heldBytes += row?.bytes ?? 0
      if (row !== undefined && row.endedMs !== null && !this.#closed.has(info.session)) this.ended(info.session)
    }
    this.#warnOfSize()
  }

  async #lookAtHistory(): Promise<void> {
    for (const { info } of this.#spool.sessions()) {
      const { log, state } = this.#publisher
      // Before that, the buckets may be just being made, at which nats-server 2.9 panics.
      if (log?.state().is !== 'connected' || !state.isPrepared) return
      await this.#lookAtSession(log, info).catch((thrown: unknown) => {
        // The publisher says what else is wrong.
        if (toFailure(thrown).code === 'not-found') this.#publisher.prepareAgain()
      })
    }
  }

  /** Notes how far the history has a session, and publishes again what it needs and the log lost. */
  async #lookAtSession(log: TeamLog, info: SessionInfo): Promise<void> {
    const { session, end } = info
    if (this.#givenUp.has(session)) await this.#takeUpAgain(log, info)
    const watermark = await log.watermark(session)
    if (watermark !== null) this.#note(() => this.#spool.archived(session, watermark))
    // Also one that is just being published again.
    if (this.#spool.get(session) === undefined) return this.#publisher.release(session)
    // A server that lost its disk no longer knows sessions that have ended, and an archiver may never have heard of them.
    // A description that was damaged on its way counts as none.
    const described = await log.session(session)
    const isForgotten = end !== null && (described?.end ?? null) === null
    if (isForgotten) this.#publisher.add(session, true)
    else if (described === null) this.#publisher.describeAgain(session)
    if (watermark === null && !isForgotten) return
    const dropped = await this.#dropped.find(log, info, watermark?.lastSeq ?? 0)
    if (dropped === null) return
    const { team, say } = this.#parts
    say('warn', `The log of the team ${team} dropped messages of session ${session} before they were archived.`, 'They are published again.') // oxfmt-ignore
    this.#publisher.resend(session, dropped, end !== null)
  }

  /** Publishes a session that was given up once what stood in its way is gone, as when somebody deleted the stream. */
  async #takeUpAgain(log: TeamLog, { session, shard, end }: SessionInfo): Promise<void> {
    const last = await log.lastOf(shard, session).catch((thrown: unknown) => {
      if (toFailure(thrown).code === 'not-found') return null
      throw thrown
    })
    if (last !== null) this.#inLog.add(session)
    else if (this.#inLog.delete(session)) {
      this.#givenUp.delete(session)
      this.#publisher.add(session, end !== null || this.#closed.has(session))
    }
  }

  #warnOfSize(): void {
    const { options, say, team } = this.#parts
    const most = options.spoolMaxBytes
    if (most === null) return
    const level = this.#heldBytes >= most ? 2 : this.#heldBytes >= most / 2 ? 1 : 0
    if (level > this.#warned) {
      const what = level === 2 ? 'more than' : 'more than half of'
      say(
        'warn',
        `The store keeps ${sizeText(this.#heldBytes)} for the team ${team}, ${what} the ${sizeText(most)} of --spool-max.`,
        'Check that `tapedeck archive` runs.',
      )
    }
    this.#warned = level
  }
}
