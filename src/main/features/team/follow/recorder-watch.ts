/**
 * Which recorders are gone. Recorders of this version report every 5 s which sessions they publish, and frames show it,
 * too. A feed may be quiet for hours, so that no frames come proves nothing. Pure: times are elapsed ms of this process.
 */
import type { SessionId, UnixMs } from '../../../../shared/base/units.ts'
import { TEAM_LIMITS_MS } from '../../../../shared/features/team/limits.ts'

/** How often to look, ms. */
export const LOOK_MS = 5_000

interface Heard {
  readonly elapsedMs: number
  /** By the wall clock; null: never, it is only waited for. */
  readonly wallMs: UnixMs | null
}

export interface GoneRecorder {
  /** When it was heard of last; null: never by this process. */
  readonly sinceMs: UnixMs | null
}

export class RecorderWatch {
  readonly #heard = new Map<SessionId, Heard>()
  readonly #gone = new Map<SessionId, GoneRecorder>()
  #lookedMs: number | null = null

  /** The recorder of a session is there. Returns whether it was gone. */
  hear(session: SessionId, elapsedMs: number, wallMs: UnixMs): boolean {
    this.#heard.set(session, { elapsedMs, wallMs })
    return this.#gone.delete(session)
  }

  /** Nothing could be heard until now: those who are there get their time again. */
  restart(elapsedMs: number): void {
    this.#lookedMs = elapsedMs
    for (const [session, { wallMs }] of this.#heard)
      if (!this.#gone.has(session)) this.#heard.set(session, { elapsedMs, wallMs })
  }

  /** `open`: sessions whose recorders report. Returns whether another one is gone, or not any more. */
  look(open: readonly SessionId[], elapsedMs: number): boolean {
    // A process that didn't run didn't hear.
    if (this.#lookedMs !== null && elapsedMs - this.#lookedMs > 2 * LOOK_MS) this.restart(elapsedMs)
    this.#lookedMs = elapsedMs
    const before = [...this.#gone.keys()].join()
    for (const session of [...this.#heard.keys()].filter((one) => !open.includes(one))) {
      this.#heard.delete(session)
      this.#gone.delete(session)
    }
    for (const session of open) {
      const heard = this.#heard.get(session)
      if (heard === undefined) this.#heard.set(session, { elapsedMs, wallMs: null })
      else if (elapsedMs - heard.elapsedMs >= TEAM_LIMITS_MS.gone && !this.#gone.has(session))
        this.#gone.set(session, { sinceMs: heard.wallMs })
    }
    return [...this.#gone.keys()].join() !== before
  }

  gone(): ReadonlyMap<SessionId, GoneRecorder> {
    return this.#gone
  }
}
