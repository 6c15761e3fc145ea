/**
 * Turns recording on and off: begins it, retries if that failed, and writes gaps for messages that arrived in the
 * meantime. Everything that begins or ends a session runs serially.
 */
import { toFailure } from '../../../shared/base/errors.ts'
import type { Source } from '../../../shared/core/recording/session.ts'
import type { Reason } from '../../../shared/core/status/status.ts'
import type { UnixMs } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'
import type { Feeds } from '../feeds/subscriptions.ts'
import type { RecordSink } from '../market/hub-types.ts'
import type { Recorder } from './recorder-port.ts'
import { canRecover, type LateWriter } from '../store/late-store.ts'
import type { Log } from '../log/log.ts'
import type { Status, Trouble } from './status.ts'

/** How often to retry after recording couldn't begin, ms. */
const RETRY_MS = 5_000

export interface RecorderControlOptions {
  /** Whether to record initially. */
  readonly wanted: boolean
  readonly recorder: Recorder
  readonly writer: Pick<LateWriter, 'open'>
  readonly feeds: Pick<Feeds, 'status'>
  readonly source: () => Source
  readonly status: Pick<Status, 'say'>
  /** Told of gaps that were written to the session. */
  readonly gaps: Pick<RecordSink, 'gapOpened' | 'gapClosed'>
  readonly clock: Clock
  readonly log: Log['add']
}

export interface RecorderControl {
  /** Whether the user wants to record. */
  readonly wanted: boolean
  /** Why nothing is recorded; null if recording has begun or is off. */
  trouble(): Trouble | null
  /** Runs `work` after all earlier work has ended or failed. Rejects if `work` does. */
  serially<T>(work: () => Promise<T>): Promise<T>
  /** Sets whether to record; call `apply` to carry it out. */
  want(on: boolean): void
  /** Begins or ends the session as wanted. Call it inside `serially`. Never rejects. */
  apply(): Promise<void>
  /** Begins a session if recording is wanted. Call it inside `serially`. Never rejects; `trouble` has the reason. */
  begin(): Promise<void>
  /**
   * Ends the session. Call it inside `serially`. Never rejects: if the disk fails, the writer retries or the next
   * start ends it.
   */
  end(): Promise<void>
  /**
   * Interrupts recording until `begin`, which marks the time as a gap. Call it inside `serially`. `trouble`
   * returns `why`. Does nothing without an open session. Never rejects.
   */
  interrupt(why: Reason): Promise<void>
  /** Clears the trouble of the previous source. */
  sourceChanged(): void
  /** The counters of the feeds were reset to 0. */
  feedsCountAnew(): void
  /** Prevents any further recording. */
  close(): void
  readonly closed: boolean
  /** Resolves when all work so far has ended. */
  settled(): Promise<unknown>
}

/** Creates the control; call `begin` to start recording. */
export function createRecorderControl(options: RecorderControlOptions): RecorderControl {
  const { recorder, writer, feeds, status, gaps, clock, log } = options
  let wanted = options.wanted
  let closed = false
  /** `received`: number of messages when the trouble began. */
  let trouble: (Omit<Trouble, 'lost'> & { readonly received: number }) | null = null
  let cancelRetry = () => {}
  let queue: Promise<unknown> = Promise.resolve()

  const receivedSoFar = () => feeds.status(clock.wallMs()).reduce((sum, feed) => sum + feed.received, 0)
  const serially = <T>(work: () => Promise<T>): Promise<T> => {
    const next = queue.then(work)
    queue = next.catch(() => {})
    return next
  }

  /** Writes a gap from `fromMs` to now for feeds that were connected while nothing was recorded. */
  const writeGap = (fromMs: UnixMs): void => {
    const stamp = { wallMs: clock.wallMs(), monoNs: clock.monoNs() }
    for (const { feed, connections } of feeds.status(stamp.wallMs)) {
      if (connections === 0) continue
      const openedSeq = recorder.entry({ type: 'gap-open', feed, cause: 'disk', symbols: [], fromMs }, stamp)
      recorder.entry({ type: 'gap-close', feed, openedSeq }, stamp)
      gaps.gapOpened(feed, 'disk', [], fromMs)
      gaps.gapClosed(feed, fromMs, stamp.wallMs)
    }
  }

  const begin = async (): Promise<void> => {
    cancelRetry()
    // A team's recorders record; this terminal keeps copies of their sessions.
    if (!wanted || closed || recorder.session !== null || options.source().kind === 'team') return
    try {
      await writer.open()
      const begun = recorder.start(options.source())
      const before = trouble
      if (before !== null && before.why.code !== 'store-locked') writeGap(before.sinceMs)
      await begun
      if (before !== null && recorder.state().is === 'recording') {
        const seconds = Math.round((clock.wallMs() - before.sinceMs) / 1_000)
        log('info', 'recorder', `Recording has started. Messages from the previous ${seconds} s weren’t stored.`)
        status.say('Recording has started.')
      }
      trouble = null
    } catch (thrown) {
      const { code, message, hint = '', detail } = toFailure(thrown)
      const mayRecover = canRecover(code)
      if (trouble?.why.code !== code) log('error', 'recorder', `Couldn’t start recording: ${message}`, detail ?? hint)
      const after = mayRecover ? 'recording starts automatically when possible.' : 'nothing is recorded until then.'
      const why = { code, message, hint: `${hint} Live data continues; ${after}`.trim(), closeCode: null }
      trouble = { ...(trouble ?? { sinceMs: clock.wallMs(), received: receivedSoFar() }), why, planned: false }
      if (!mayRecover) return
      cancelRetry = clock.after(RETRY_MS, () => void serially(begin))
    }
  }

  const end = (): Promise<void> =>
    recorder.stop().catch((thrown: unknown) => {
      log('error', 'recorder', 'The session couldn’t be closed cleanly.', toFailure(thrown).message)
    })

  return {
    get wanted() {
      return wanted
    },
    trouble: () =>
      trouble && {
        why: trouble.why,
        sinceMs: trouble.sinceMs,
        planned: trouble.planned,
        lost: Math.max(0, receivedSoFar() - trouble.received),
      },
    serially,
    want(on) {
      wanted = on
    },
    async apply() {
      if (wanted) return begin()
      await end()
      trouble = null
    },
    begin,
    end,
    async interrupt(why) {
      cancelRetry()
      if (recorder.session === null) return
      trouble = { why, sinceMs: clock.wallMs(), received: receivedSoFar(), planned: true }
      await end()
    },
    sourceChanged() {
      trouble = null
    },
    feedsCountAnew() {
      if (trouble !== null) trouble = { ...trouble, received: 0 }
    },
    close() {
      closed = true
      cancelRetry()
    },
    get closed() {
      return closed
    },
    settled: () => queue,
  }
}
