/**
 * Which feeds are received, from their states and gaps. An instrument's alerts are suspended from the last message
 * until the feed is open and none of its gaps is.
 */
import type { GapCause } from '../../../core/recording/session.ts'
import type { FeedState } from '../../../core/status/status.ts'
import type { FeedId, InstrumentId } from '../../../base/units.ts'
import type { SuspensionCause } from '../types.ts'

/** A time in which nothing was received. Instruments that lost data together share one object. */
export interface Suspension {
  readonly feed: FeedId
  cause: SuspensionCause
  /** UTC ms. */
  fromMs: number
}

interface OpenGap {
  readonly cause: GapCause
  /** Null means every instrument of the feed. */
  readonly instruments: ReadonlySet<InstrumentId> | null
  readonly fromMs: number
  /** Since when all of them are missing for this cause, without a break. */
  readonly sinceMs: number
}

interface FeedCoverage {
  readonly gaps: OpenGap[]
  /** The state of the whole feed. Null if it is open or was never requested. */
  outage: Suspension | null
  /** Since when it isn't open though something subscribes to it, UTC ms; NaN if it is open or nothing subscribes. */
  downMs: number
  wasOpen: boolean
}

/** The causes that end a connection. */
const LOST: ReadonlySet<GapCause> = new Set(['drop', 'half-open', 'refused', 'token'])

export class Coverage {
  readonly #feeds = new Map<FeedId, FeedCoverage>()
  readonly #before: { readonly cause: SuspensionCause; readonly fromMs: number } | null

  /** `before`: nothing was watched since then, so the first record doesn't continue a chain. */
  constructor(before: { readonly cause: SuspensionCause; readonly fromMs: number } | null = null) {
    this.#before = before
  }

  /** What suspends an instrument on a feed; null if nothing does or the feed was never requested. */
  suspensionOf(feed: FeedId, instrument: InstrumentId): Pick<Suspension, 'cause' | 'fromMs'> | null {
    const coverage = this.#feed(feed)
    const gap = coverage.gaps.find(({ instruments }) => instruments === null || instruments.has(instrument))
    const { outage } = coverage
    if (gap === undefined || outage === null) return gap ?? outage
    // The gap knows the cause, the state only knows that something is wrong.
    if (outage.cause === 'drop') return { cause: gap.cause, fromMs: Math.min(gap.fromMs, outage.fromMs) }
    return gap.fromMs < outage.fromMs ? gap : outage
  }

  /**
   * Since when a requested feed isn't open, or the one of its connections that carries the instrument, UTC ms. NaN if
   * it is open.
   */
  downSince(feed: FeedId, instrument: InstrumentId): number {
    const { downMs, gaps } = this.#feed(feed)
    if (!Number.isNaN(downMs)) return downMs
    const lost = gaps.find(({ cause, instruments }) => LOST.has(cause) && (instruments?.has(instrument) ?? true))
    return lost?.sinceMs ?? NaN
  }

  state(feed: FeedId, state: FeedState, nowMs: number): void {
    const coverage = this.#feed(feed)
    switch (state.is) {
      case 'open':
        coverage.wasOpen = true
        coverage.outage = null
        coverage.downMs = NaN
        return
      case 'stale':
        coverage.outage ??= { feed, cause: 'stale', fromMs: state.lastMs }
        if (Number.isNaN(coverage.downMs)) coverage.downMs = state.lastMs
        return
      case 'idle':
        // Nothing subscribes, so missing data is no fault.
        coverage.downMs = NaN
        if (coverage.wasOpen) coverage.outage ??= { feed, cause: 'unwanted', fromMs: nowMs }
        return
      case 'connecting':
      case 'waiting':
      case 'refused':
        // Without an earlier state the start is unknown.
        if (Number.isNaN(coverage.downMs) && nowMs > -Infinity) coverage.downMs = nowMs
        if (coverage.wasOpen || state.is !== 'connecting') {
          coverage.outage ??= { feed, cause: state.is === 'refused' ? 'refused' : 'drop', fromMs: nowMs }
        }
    }
  }

  gapOpened(feed: FeedId, cause: GapCause, instruments: ReadonlySet<InstrumentId> | null, fromMs: number): void {
    const coverage = this.#feed(feed)
    // A gap that some instruments leave is closed once the others have one of their own.
    const before = coverage.gaps.find((gap) => gap.cause === cause && includesAll(gap.instruments, instruments))
    coverage.gaps.push({ cause, instruments, fromMs, sinceMs: Math.min(fromMs, before?.sinceMs ?? fromMs) })
  }

  gapClosed(feed: FeedId, fromMs: number): void {
    const { gaps } = this.#feed(feed)
    const at = gaps.findIndex((gap) => gap.fromMs === fromMs)
    if (at >= 0) gaps.splice(at, 1)
  }

  /** The clock was set back by `byMs` to `nowMs`. Gaps keep their start, which identifies them. */
  setBack(nowMs: number, byMs: number): void {
    for (const coverage of this.#feeds.values()) {
      if (coverage.downMs > nowMs) coverage.downMs += byMs
      if (coverage.outage !== null && coverage.outage.fromMs > nowMs)
        coverage.outage = { ...coverage.outage, fromMs: coverage.outage.fromMs + byMs }
    }
  }

  #feed(feed: FeedId): FeedCoverage {
    const known = this.#feeds.get(feed)
    if (known !== undefined) return known
    const outage = this.#before === null ? null : { feed, ...this.#before }
    const made: FeedCoverage = { gaps: [], outage, downMs: NaN, wasOpen: false }
    this.#feeds.set(feed, made)
    return made
  }
}

/** Null means every instrument of the feed. */
const includesAll = (all: OpenGap['instruments'], some: OpenGap['instruments']): boolean =>
  all === null || (some !== null && [...some].every((one) => all.has(one)))
