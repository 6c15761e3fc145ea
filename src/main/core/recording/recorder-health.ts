/**
 * Tracks whether the recorder can store frames, and what was lost while it couldn't. It has no clock and no writer:
 * the recorder calls a method for each event and emits the `RecorderEvent` that it returns.
 */
import type { Failure } from '../../../shared/base/errors.ts'
import type { GapCause } from '../../../shared/core/recording/session.ts'
import type { RecorderState } from '../../../shared/core/status/status.ts'
import { unixMs, type FeedId, type UnixMs } from '../../../shared/base/units.ts'
import { brokenBy } from './disk-trouble.ts'
import type { RecorderEvent } from './recorder-port.ts'

/** Delay before the writer is restarted after dying twice in a row, ms. */
const RESTART_MS = 500

/** Consecutive refused frames that aren't marked as a gap in the ledger yet. */
export interface Refusal {
  readonly cause: GapCause
  /** Receipt of the last frame before the refused ones, UTC ms. */
  readonly fromMs: UnixMs
  /** Feeds that lost frames, including those whose connection has ended since. */
  readonly feeds: Set<FeedId>
  frames: number
}

export class RecorderHealth {
  /** Frames since the start that are in no session. */
  lost = 0
  /** The writer's last reported failure; null while it works. */
  #failure: Failure | null = null
  #sinceMs = unixMs(0)
  #refusal: Refusal | null = null
  /** Lost frames that no `recovered` event has reported yet. */
  #unreported = 0
  #isRestarting = false
  /** When the writer last died, UTC ms; -Infinity if it has committed since. */
  #diedAtMs = -Infinity

  /** The writer died and no session has begun since: frames are lost. */
  get isRestarting(): boolean {
    return this.#isRestarting
  }

  get isRefusing(): boolean {
    return this.#refusal !== null
  }

  /** The writer reported a failure and hasn't recovered. */
  get hasFailed(): boolean {
    return this.#failure !== null
  }

  /** The broken state as windows see it; null while frames are being stored. */
  broken(): RecorderState | null {
    if (this.#failure === null && this.#refusal === null && !this.#isRestarting) return null
    return { is: 'broken', why: brokenBy(this.#failure), sinceMs: this.#sinceMs, lost: this.lost }
  }

  /** Counts a frame that arrived while the writer is dead. */
  loseFrame(): void {
    this.lost++
    this.#unreported++
  }

  /** Counts a frame that the full backlog refused. `lastMs`: receipt of the last accepted frame, UTC ms. */
  refuse(feed: FeedId, lastMs: UnixMs, nowMs: UnixMs): RecorderEvent | null {
    const isFirst = this.#refusal === null
    this.#refusal ??= {
      cause: this.#failure === null ? 'overflow' : 'disk',
      fromMs: lastMs,
      feeds: new Set(),
      frames: 0,
    }
    this.#refusal.feeds.add(feed)
    this.#refusal.frames++
    this.lost++
    if (!isFirst || this.#failure !== null) return null
    this.#sinceMs = nowMs
    return { is: 'broken', why: brokenBy(null) }
  }

  /** Ends the refusal so that it can be written as a gap; null if no frame was refused. */
  endRefusal(): Refusal | null {
    const refusal = this.#refusal
    this.#refusal = null
    this.#unreported += refusal?.frames ?? 0
    return refusal
  }

  /** The writer reported a failure. */
  fail(failure: Failure, nowMs: UnixMs): RecorderEvent {
    if (this.#failure === null) this.#sinceMs = nowMs
    this.#failure = failure
    return { is: 'broken', why: brokenBy(failure) }
  }

  /** The writer reported that it has recovered. */
  recover(): RecorderEvent | null {
    this.#failure = null
    return this.report()
  }

  /** The writer committed, so it has recovered from dying. */
  commit(): RecorderEvent | null {
    if (this.#failure === null || this.#diedAtMs === -Infinity) return null
    this.#diedAtMs = -Infinity
    return this.recover()
  }

  /** Reports what was lost; null while the failure lasts or a refusal isn't written yet. */
  report(): RecorderEvent | null {
    if (this.#failure !== null || this.#refusal !== null) return null
    const lost = this.#unreported
    this.#unreported = 0
    return { is: 'recovered', lost }
  }

  /** The writer died while nothing was being recorded; the next start opens a new one. */
  dieIdle(frames: number): void {
    this.lost += frames
    this.#refusal = null
    this.#unreported = 0
    this.#failure = null
  }

  /** The writer died with `frames` uncommitted frames. `restartInMs`: delay before the next session begins. */
  die(
    failure: Failure,
    frames: number,
    nowMs: UnixMs,
  ): { readonly event: RecorderEvent; readonly restartInMs: number } {
    this.lost += frames
    this.endRefusal()
    this.#unreported += frames
    const event = this.fail(failure, nowMs)
    this.#isRestarting = true
    const isRepeated = nowMs - this.#diedAtMs < 2 * RESTART_MS
    this.#diedAtMs = nowMs
    return { event, restartInMs: isRepeated ? RESTART_MS : 0 }
  }

  /** The next session begins after the writer died. */
  restart(): void {
    this.#isRestarting = false
  }
}
