/** The state of the status line, the feed popover and the recorder indicator. */
import { DAY_MS } from '../../../shared/base/durations.ts'
import { countGaps, sourceKey, type Gap, type GapCause, type Source } from '../../../shared/core/recording/session.ts'
import type { FeedState, FeedStatus, Reason, RecorderState, StatusState } from '../../../shared/core/status/status.ts'
import { missingCase } from '../../../shared/base/errors.ts'
import { gapPhrase } from '../../../shared/core/status/gap-texts.ts'
import type { FeedId, UnixMs } from '../../../shared/base/units.ts'
import { FEEDS } from '../../../service/feeds.ts'
import type { LogFacts } from '../../base/log-facts.ts'
import { canRecover } from '../store/late-store.ts'
import type { Recorder } from './recorder-port.ts'
import type { Growth, Skew } from './measures.ts'

/** Why recording is interrupted, since when, and how many messages have been lost. */
export interface Trouble {
  readonly why: Reason
  readonly sinceMs: UnixMs
  readonly lost: number
  /** The interruption is intended, and recording resumes by itself. */
  readonly planned: boolean
}

export interface StatusFacts {
  readonly wallMs: () => UnixMs
  readonly feeds: () => readonly FeedStatus[]
  readonly recorder: Pick<Recorder, 'state' | 'stats'>
  /** Why recording couldn't begin; null if it did or is off. */
  readonly trouble: () => Trouble | null
  readonly source: () => Source
  /** Whether a followed recorder records the demo market. */
  readonly isSimulated?: () => boolean
  readonly storePath: () => string
  readonly skew: Pick<Skew, 'ms'>
  readonly growth: Growth
}

export interface Status {
  read(): StatusState
  /** Shows a message about what just happened. */
  say(message: string): void
  gapOpened(cause: GapCause): void
  /** Recording has resumed; `lost` messages are in no session. */
  recovered(lost: number): void
  /** Adds today's gaps from before this start. */
  gapsBefore(before: readonly Pick<Gap, 'cause'>[]): void
  forget(): void
  /** Whether a session of the demo market is being added. Charts of other sources won't have it. */
  historyComing(isComing: boolean): void
  /** Stored history was added, for example by an import, so windows reload it. */
  historyAdded(): void
}

export function createStatus(facts: StatusFacts): Status {
  let message = ''
  let gaps = 0
  let recovered: StatusState['recovered']
  let day = Math.floor(facts.wallMs() / DAY_MS)
  const today = () => {
    const now = Math.floor(facts.wallMs() / DAY_MS)
    if (now !== day) gaps = 0
    day = now
  }
  const recorderState = (): RecorderState => {
    const trouble = facts.trouble()
    const state = facts.recorder.state()
    if (state.is !== 'off' || trouble === null) return state
    const { why, sinceMs, lost, planned } = trouble
    if (planned) return { is: 'paused', why, sinceMs, lost }
    return { is: 'broken', why, sinceMs, lost, start: canRecover(why.code) ? 'retried' : 'failed' }
  }
  let known: string | null = null
  let changes = 0
  let isHistoryComing = false
  function historyChangesOf(source: Source): number {
    const key = sourceKey(source)
    if (known !== null && key !== known) changes++
    known = key
    return changes
  }
  return {
    read() {
      today()
      const { perSecond, backlogBytes, receiveToStored, storeBytes, freeBytes, feeds: counts } = facts.recorder.stats()
      const sum = (of: 'received' | 'stored') => counts.reduce((total, one) => total + one[of], 0)
      const feeds = facts.feeds()
      const recorder = recorderState()
      const source = facts.source()
      const state = facts.recorder.state()
      // Without a session, the recorder counts nothing.
      const unstored = state.is === 'off' ? (facts.trouble()?.lost ?? 0) : 0
      return {
        nowMs: facts.wallMs(),
        source: source.kind === 'import' ? 'service' : source.kind,
        origin: source.origin,
        ...(facts.isSimulated?.() === true ? { isSimulated: true as const } : {}),
        historyChanges: historyChangesOf(source),
        ...(isHistoryComing && source.kind === 'demo' ? { historyComing: true as const } : {}),
        feeds,
        recorder,
        received: sum('received') + unstored,
        stored: sum('stored'),
        // Feeds are still counted while nothing is recorded.
        perSecond: recorder.is === 'recording' ? perSecond : feeds.reduce((sum, feed) => sum + feed.perSecond, 0),
        backlogBytes,
        receiveToStored,
        store: { path: facts.storePath(), bytes: storeBytes, freeBytes, bytesPerHour: facts.growth.bytesPerHour },
        skewMs: facts.skew.ms,
        gapsToday: gaps,
        message,
        ...(recovered === undefined ? {} : { recovered }),
      }
    },
    say(text) {
      message = text
    },
    recovered(lost) {
      recovered = { atMs: facts.wallMs(), lost }
      // A session that a full disk left open ends only now, with a gap that charts didn't have.
      changes++
    },
    gapOpened(cause) {
      today()
      gaps += countGaps([{ cause }])
    },
    gapsBefore(before) {
      gaps += countGaps(before)
    },
    forget() {
      gaps = 0
    },
    historyComing(isComing) {
      isHistoryComing = isComing
    },
    historyAdded() {
      changes++
    },
  }
}

/** A feed's state as a sentence for the log; null: not worth logging. */
export function stateSentence(feed: FeedId, state: FeedState): string | null {
  const { title } = FEEDS[feed]
  switch (state.is) {
    case 'idle':
    case 'connecting':
      return null
    case 'open':
      return `${title}: connected.`
    case 'stale':
      return `${title}: connected, but silent for longer than usual.`
    case 'waiting':
    case 'refused':
      return `${title}: ${state.why.message}`
    default:
      return missingCase(state)
  }
}

/** The same for programs that read the log. */
export function stateFacts(feed: FeedId, state: FeedState): LogFacts {
  switch (state.is) {
    case 'open':
      return { event: 'connected', feed }
    case 'stale':
      return { event: 'silent', feed, last_ms: state.lastMs }
    case 'waiting':
    case 'refused':
      return {
        event: state.is === 'waiting' ? 'disconnected' : 'refused',
        feed,
        code: state.why.code,
        close_code: state.why.closeCode,
      }
    case 'idle':
    case 'connecting':
      return { event: state.is, feed }
    default:
      return missingCase(state)
  }
}

/** A gap as a sentence for the log; null for the ordinary gaps of a start and an end. */
export function gapSentence(feed: FeedId, cause: GapCause): string | null {
  const ordinary = cause === 'connect' || cause === 'quit' || cause === 'crash'
  return ordinary ? null : `${FEEDS[feed].title}: a gap has opened, ${gapPhrase(`gap.cause.${cause}`)}.`
}

/** The end of such a gap as a sentence. */
export const gapEndSentence = (feed: FeedId, fromMs: UnixMs, toMs: UnixMs): string =>
  `${FEEDS[feed].title}: the gap has ended after ${((toMs - fromMs) / 1_000).toFixed(1)} s.`
