/** Hears of the recorders of followed sessions, and says who is gone. */
import type { Reason } from '../../../../shared/core/status/status.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import type { Clock } from '../../../base/clock.ts'
import type { TeamLog } from '../nats/team-log.ts'
import { decodeReport } from '../reports/report.ts'
import type { SessionInfo } from '../session-info.ts'
import { LOOK_MS, RecorderWatch, type GoneRecorder } from './recorder-watch.ts'

const RETRY_MS = 5_000

export interface RecorderPresenceParts {
  readonly log: Pick<TeamLog, 'bucket'>
  readonly clock: Clock
  readonly report: (level: 'info' | 'warn', text: string) => void
  /** Takes the sessions whose recorders are gone, whenever they change. */
  readonly changed: (gone: ReadonlyMap<SessionId, Reason>) => void
  /** The servers can be reached, and the list of sessions read. */
  readonly canHear: () => boolean
  /** The sessions that are followed. */
  readonly infos: () => readonly SessionInfo[]
}

export class RecorderPresence {
  readonly #parts: RecorderPresenceParts
  readonly #recorders = new RecorderWatch()
  readonly #closing = new AbortController()
  #shown: ReadonlyMap<SessionId, Reason> = new Map<SessionId, Reason>()
  /** Reports arrive. */
  #isHearing = false
  #cancelRetry = (): void => undefined
  #cancelLook = (): void => undefined

  constructor(parts: RecorderPresenceParts) {
    this.#parts = parts
  }

  start(): void {
    void this.#watch()
    this.#look()
  }

  close(): void {
    this.#closing.abort()
    this.#cancelRetry()
    this.#cancelLook()
  }

  /** Sessions whose recorders are gone, and since when. */
  gone(): ReadonlyMap<SessionId, GoneRecorder> {
    return this.#recorders.gone()
  }

  /** The recorder of these sessions is there. */
  hear(sessions: readonly SessionId[]): void {
    const { clock } = this.#parts
    const back = sessions.filter((session) => this.#recorders.hear(session, this.#elapsedMs(), clock.wallMs()))
    if (back.length > 0) this.#show()
  }

  /** Nothing could be heard until now. */
  restart(): void {
    this.#recorders.restart(this.#elapsedMs())
  }

  #elapsedMs(): number {
    return this.#parts.clock.monoNs() / 1e6
  }

  /** Hears what recorders report. Teams whose recorders are all of earlier versions have no such bucket. */
  async #watch(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        const reports = this.#parts.log.bucket('reports').watch({ signal, key: 'recorder.>' })
        this.restart()
        this.#isHearing = true
        for await (const { value } of reports) {
          const report = value === null ? null : decodeReport(value)
          if (report?.role === 'recorder') this.hear(report.sessions)
        }
      } catch {
        // Whatever is wrong with the servers, the list of sessions says it.
      }
      this.#isHearing = false
      if (!signal.aborted)
        await new Promise<void>((resolve) => void (this.#cancelRetry = this.#parts.clock.after(RETRY_MS, resolve)))
    }
  }

  #look(): void {
    this.#cancelLook = this.#parts.clock.after(LOOK_MS, () => {
      this.#look()
      if (!this.#isHearing || !this.#parts.canHear()) return
      // A key in its description shows that a recorder is new enough to report.
      const open = this.#parts.infos().filter(({ end, key }) => end === null && key !== undefined)
      const ids = open.map(({ session }) => session)
      if (this.#recorders.look(ids, this.#elapsedMs())) this.#show()
    })
  }

  #show(): void {
    const { report, infos, changed } = this.#parts
    const before = this.#shown
    const gone = infos().filter(({ session }) => this.#recorders.gone().has(session))
    this.#shown = new Map(gone.map((info) => [info.session, goneReason(info)]))
    for (const [session, { message }] of this.#shown) if (!before.has(session)) report('warn', message)
    for (const { session, recorder, shard } of infos())
      if (before.has(session) && !this.#shown.has(session))
        report('info', `The recorder ${recorder} of shard ${shard} is back.`)
    changed(this.#shown)
  }
}

const goneReason = ({ recorder, shard }: SessionInfo): Reason => ({
  code: 'offline',
  message: `The recorder ${recorder} of shard ${shard} is gone: it no longer reports.`,
  hint: 'Prices age until it is back or another recorder takes its shard.',
  closeCode: null,
})
