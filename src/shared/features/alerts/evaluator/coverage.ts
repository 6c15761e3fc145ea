/**
 * Which feeds are seen: a pure account of states and gaps. An instrument is blind on a feed from the last
 * thing heard until the feed is open and none of its gaps is.
 */
import type { GapCause } from '../../../core/recording/recording.ts'
import type { FeedState } from '../../../core/status/status.ts'
import type { FeedId, InstrumentId } from '../../../base/units.ts'
import type { BlindCause } from '../types.ts'

/** A stretch in which nothing was seen; instruments that lost sight together share one. */
export interface Blind {
  readonly feed: FeedId
  cause: BlindCause
  /** UTC ms. */
  fromMs: number
}

interface OpenGap {
  readonly cause: GapCause
  /** Null: every one of the feed. */
  readonly instruments: ReadonlySet<InstrumentId> | null
  readonly fromMs: number
}

interface Eye {
  readonly gaps: OpenGap[]
  /** Of the whole feed, by its state; null: it is open, or was never asked for. */
  shut: Blind | null
  /** Since when it is not open though something wants it, UTC ms; NaN: it is, or nothing does. */
  downMs: number
  ever: boolean
}

/** What a connection ends by. */
const LOST: ReadonlySet<GapCause> = new Set(['drop', 'half-open', 'refused', 'token'])

export class Sight {
  readonly #eyes = new Map<FeedId, Eye>()
  readonly #before: { readonly cause: BlindCause; readonly fromMs: number } | null

  /** `before`: nothing was watched since then, so that the first thing seen follows nothing. */
  constructor(before: { readonly cause: BlindCause; readonly fromMs: number } | null = null) {
    this.#before = before
  }

  /** What an instrument does not see of a feed; null: it sees it, or it was never asked for. */
  blind(feed: FeedId, instrument: InstrumentId): Pick<Blind, 'cause' | 'fromMs'> | null {
    const eye = this.#eye(feed)
    const gap = eye.gaps.find(({ instruments }) => instruments === null || instruments.has(instrument))
    const { shut } = eye
    if (gap === undefined || shut === null) return gap ?? shut
    // The gap knows its cause; a state only tells that there is one.
    if (shut.cause === 'drop') return { cause: gap.cause, fromMs: Math.min(gap.fromMs, shut.fromMs) }
    return gap.fromMs < shut.fromMs ? gap : shut
  }

  /**
   * Since when a feed that something wants is not open, or the one of its connections that has the instrument, UTC ms;
   * NaN: it is.
   */
  downSince(feed: FeedId, instrument: InstrumentId): number {
    const { downMs, gaps } = this.#eye(feed)
    if (!Number.isNaN(downMs)) return downMs
    const lost = gaps.find(({ cause, instruments }) => LOST.has(cause) && (instruments?.has(instrument) ?? true))
    return lost?.fromMs ?? NaN
  }

  state(feed: FeedId, state: FeedState, nowMs: number): void {
    const eye = this.#eye(feed)
    switch (state.is) {
      case 'open':
        eye.ever = true
        eye.shut = null
        eye.downMs = NaN
        return
      case 'stale':
        eye.ever = true
        eye.shut ??= { feed, cause: 'stale', fromMs: state.lastMs }
        if (Number.isNaN(eye.downMs)) eye.downMs = state.lastMs
        return
      case 'idle':
        // Nobody wants it: that it is not seen is no trouble.
        eye.downMs = NaN
        if (eye.ever) eye.shut ??= { feed, cause: 'unwanted', fromMs: nowMs }
        return
      case 'connecting':
      case 'waiting':
      case 'refused':
        // Where nothing was told before, since when is not known.
        if (Number.isNaN(eye.downMs) && nowMs > -Infinity) eye.downMs = nowMs
        if (eye.ever || state.is !== 'connecting') {
          eye.shut ??= { feed, cause: state.is === 'refused' ? 'refused' : 'drop', fromMs: nowMs }
        }
    }
  }

  gapOpened(feed: FeedId, cause: GapCause, instruments: ReadonlySet<InstrumentId> | null, fromMs: number): void {
    const eye = this.#eye(feed)
    eye.gaps.push({ cause, instruments, fromMs })
  }

  gapClosed(feed: FeedId, fromMs: number): void {
    const { gaps } = this.#eye(feed)
    const at = gaps.findIndex((gap) => gap.fromMs === fromMs)
    if (at >= 0) gaps.splice(at, 1)
  }

  /** The clock was set back by `byMs` to `nowMs`. Gaps keep their starts, which they are known by. */
  setBack(nowMs: number, byMs: number): void {
    for (const eye of this.#eyes.values()) {
      if (eye.downMs > nowMs) eye.downMs += byMs
      if (eye.shut !== null && eye.shut.fromMs > nowMs) eye.shut = { ...eye.shut, fromMs: eye.shut.fromMs + byMs }
    }
  }

  #eye(feed: FeedId): Eye {
    const known = this.#eyes.get(feed)
    if (known !== undefined) return known
    const shut = this.#before === null ? null : { feed, ...this.#before }
    const made: Eye = { gaps: [], shut, downMs: NaN, ever: false }
    this.#eyes.set(feed, made)
    return made
  }
}
