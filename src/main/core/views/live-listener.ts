/** Passes events of the feeds to the digest, the hub, the snapshots, the status line and the log, in that order. */
import type { FeedState, Reason } from '../../../shared/core/status/status.ts'
import { monoNs, type FeedId, type SessionId, type UnixMs } from '../../../shared/base/units.ts'
import type { FeedListener } from '../feeds/connection/feed-listener.ts'
import { FOLD_VERSION, type DigestFold } from '../market/digest.ts'
import type { CommitWatch } from '../recording/committed.ts'
import type { Recorder } from '../recording/recorder-port.ts'
import type { Skew } from '../recording/measures.ts'
import type { Log } from '../log/log.ts'
import { joinSinks, type Hub, type HubSink, type RecordSink } from '../market/hub-types.ts'
import type { Snapshots } from '../recording/snapshots.ts'
import { gapEndSentence, gapSentence, stateFacts, stateSentence, type Status } from '../recording/status.ts'

export interface LiveListenerOptions {
  readonly recorder: Pick<Recorder, 'session' | 'entry' | 'breaks' | 'state'>
  readonly fold: DigestFold
  readonly hub: Hub
  readonly commits: Pick<CommitWatch, 'began'>
  readonly snapshots: Snapshots
  readonly skew: Skew
  readonly status: Pick<Status, 'say' | 'gapOpened'>
  readonly wallMs: () => UnixMs
  readonly log: Log['add']
}

export interface LiveListener extends FeedListener {
  /** Takes records that other machines received and recorded. On the tick path: synchronous. */
  readonly followed: HubSink
  /** Calls `sink` from now on, after the hub. */
  passOn(sink: RecordSink): void
}

const NO_SINK: RecordSink = { apply() {}, feedState() {}, gapOpened() {}, gapClosed() {} }

/** On the tick path: synchronous. */
export function createLiveListener(options: LiveListenerOptions): LiveListener {
  const { recorder, fold, hub, commits, snapshots, skew, status, wallMs, log } = options
  /** A single sink, so that passing on a record needs no loop. */
  let others = NO_SINK
  /** The session that the digest fold, the hub's seqs and the commits belong to. */
  let digested: SessionId | null = null
  let breaks = 0
  const shown = new Map<FeedId, FeedState>()
  /** Problems that aren't logged yet: the feed's state that follows at once usually gives the same reason. */
  const unlogged = new Map<FeedId, Reason>()
  const logProblem = (feed: FeedId): void => {
    const why = unlogged.get(feed)
    if (unlogged.delete(feed) && why) log('warn', 'feeds', `${feed}: ${why.message} ${why.hint}`.trim())
  }
  /** Starts of the gaps that were logged and are open, by feed. */
  const loggedGaps = new Map<FeedId, Set<UnixMs>>()
  const followed: HubSink = {
    apply(feed, seq, recvMs, record) {
      hub.apply(feed, seq, recvMs, record)
      others.apply(feed, seq, recvMs, record)
    },
    feedState(feed, state, nowMs, best) {
      hub.feedState(feed, state, nowMs, best)
      others.feedState(feed, state, nowMs, best)
    },
    acknowledged: (feed, symbols) => hub.acknowledged(feed, symbols),
    gapOpened(feed, cause, symbols, fromMs, skewMs) {
      hub.gapOpened(feed, cause, symbols, fromMs, skewMs)
      others.gapOpened(feed, cause, symbols, fromMs)
      status.gapOpened(cause)
    },
    gapClosed(feed, fromMs, toMs) {
      hub.gapClosed(feed, fromMs, toMs)
      others.gapClosed(feed, fromMs, toMs)
    },
  }
  return {
    followed,
    passOn(sink) {
      others = others === NO_SINK ? sink : joinSinks(others, sink)
    },
    record(feed, seq, recvMs, monoNsNow, record) {
      const isNewSession = recorder.session !== digested
      if (isNewSession) {
        digested = recorder.session
        fold.reset()
        hub.sessionBegan(recorder.breaks !== breaks)
        breaks = recorder.breaks
        if (digested !== null) {
          commits.began(digested)
          snapshots.began(digested, recvMs)
        }
      }
      let last = seq
      if (seq > 0) {
        const taken = fold.apply(feed, recvMs, record)
        if (taken !== null) {
          last = recorder.entry(
            { type: 'digest', ...taken, fold: FOLD_VERSION },
            { wallMs: recvMs, monoNs: monoNs(monoNsNow) },
          )
        }
      }
      if (!Number.isNaN(record.eventMs)) skew.seen(record.eventMs, recvMs)
      hub.apply(feed, seq, recvMs, record)
      others.apply(feed, seq, recvMs, record)
      if (seq > 0) snapshots.after(Math.max(seq, last), recvMs)
      if (isNewSession && digested !== null) {
        const state = recorder.state()
        hub.storedGapsEnded(state.is === 'recording' ? state.sinceMs : recvMs)
      }
    },
    state(feed, state, best) {
      const nowMs = wallMs()
      others.feedState(feed, state, nowMs, best)
      if (shown.get(feed) === state) return
      shown.set(feed, state)
      hub.feedState(feed, state, nowMs)
      const sentence = stateSentence(feed, state)
      if (sentence === null) return
      status.say(sentence)
      const why = 'why' in state ? state.why : null
      if (unlogged.get(feed)?.message === why?.message) unlogged.delete(feed)
      const text = `${sentence} ${why?.hint ?? ''}`.trim()
      log(state.is === 'open' ? 'info' : 'warn', 'feeds', text, undefined, stateFacts(feed, state))
    },
    acknowledged: (feed, symbols) => hub.acknowledged(feed, symbols),
    gapOpened(feed, cause, symbols, fromMs) {
      hub.setSkew(skew.ms ?? 0) // the same skew as in the session
      hub.gapOpened(feed, cause, symbols, fromMs)
      others.gapOpened(feed, cause, symbols, fromMs)
      status.gapOpened(cause)
      const sentence = gapSentence(feed, cause)
      if (sentence !== null) {
        loggedGaps.set(feed, (loggedGaps.get(feed) ?? new Set()).add(fromMs))
        log('warn', 'recorder', sentence, undefined, { event: 'gap', feed, cause, symbols, from_ms: fromMs })
      }
      // The skew was measured against the clock as it was before.
      if (cause === 'clock') skew.forget()
    },
    gapClosed(feed, fromMs, toMs) {
      hub.gapClosed(feed, fromMs, toMs)
      others.gapClosed(feed, fromMs, toMs)
      if (loggedGaps.get(feed)?.delete(fromMs) === true)
        log('info', 'recorder', gapEndSentence(feed, fromMs, toMs), undefined, {
          event: 'gap-end',
          feed,
          from_ms: fromMs,
          to_ms: toMs,
        })
    },
    problem(feed, why) {
      logProblem(feed)
      unlogged.set(feed, why)
      queueMicrotask(() => logProblem(feed))
    },
    log,
  }
}
