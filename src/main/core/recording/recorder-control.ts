/**
 * Turns recording on and off: begins it, retries if it could not begin, and writes gaps for messages that came
 * meanwhile. Everything that changes the recording runs one after the other.
 */
import { toFailure } from '../../../shared/base/errors.ts'
import type { Source } from '../../../shared/core/recording/recording.ts'
import type { Reason } from '../../../shared/core/status/status.ts'
import type { UnixMs } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'
import type { Feeds } from '../feeds/subscriptions.ts'
import type { Recorder } from './recorder-port.ts'
import { canRecover, type LateWriter } from '../store/late-store.ts'
import type { Log } from '../log/log.ts'
import type { Status, Trouble } from './status.ts'

/** How often a recording that could not begin is tried again, ms. */
const RETRY_RECORDING_MS = 5_000

export interface RecorderControlOptions {
  /** Whether to record at first. */
  readonly wanted: boolean
  readonly recorder: Recorder
  readonly writer: Pick<LateWriter, 'open'>
  readonly feeds: Pick<Feeds, 'status'>
  readonly source: () => Source
  readonly status: Pick<Status, 'say' | 'gapOpened'>
  readonly clock: Clock
  readonly log: Log['add']
}

export interface RecorderControl {
  /** Whether the user wants to record. */
  readonly wanted: boolean
  /** Null: recording has begun or is off. */
  trouble(): Trouble | null
  /** Runs `work` after all earlier work has ended or failed. Rejects as the work does. */
  serially<T>(work: () => Promise<T>): Promise<T>
  /** Sets what the user wants; `apply` carries it out. */
  want(on: boolean): void
  /** Begins or ends the recording as wanted; inside `serially`. Never rejects. */
  apply(): Promise<void>
  /** Begins the recording if it is wanted; inside `serially`. Never rejects: `trouble` has the reason. */
  begin(): Promise<void>
  /**
   * Ends the recording; inside `serially`. Never rejects: if the disk fails, the writer retries or the next start ends
   * it.
   */
  end(): Promise<void>
  /**
   * Interrupts the recording until `begin`; inside `serially`. `trouble` returns `why`, and the time is a gap. Does
   * nothing without a recording. Never rejects.
   */
  interrupt(why: Reason): Promise<void>
  /** Forgets the trouble of the previous source. */
  sourceChanged(): void
  /** The counts of the feeds start from 0 again. */
  feedsCountAnew(): void
  /** Prevents any further recording. */
  close(): void
  readonly closed: boolean
  /** Resolves when all work so far has ended. */
  settled(): Promise<unknown>
}

/** A control that has not begun; call `begin` first. */
export function createRecorderControl(options: RecorderControlOptions): RecorderControl {
  const { recorder, writer, feeds, status, clock, log } = options
  let wanted = options.wanted
  let closed = false
  /** `received`: messages at that time. */
  let trouble: (Omit<Trouble, 'lost'> & { readonly received: number }) | null = null
  let cancelRetry = () => {}
  let queue: Promise<unknown> = Promise.resolve()

  const receivedSoFar = () => feeds.status(clock.wallMs()).reduce((sum, feed) => sum + feed.received, 0)
  const serially = <T>(work: () => Promise<T>): Promise<T> => {
    const next = queue.then(work)
    queue = next.catch(() => {})
    return next
  }

  /** Writes a gap since `fromMs`, when feeds were connected but nothing was recorded. */
  const writeGap = (fromMs: UnixMs): void => {
    const stamp = { wallMs: clock.wallMs(), monoNs: clock.monoNs() }
    for (const { feed, connections } of feeds.status(stamp.wallMs)) {
      if (connections === 0) continue
      const openedSeq = recorder.entry({ type: 'gap-open', feed, cause: 'disk', symbols: [], fromMs }, stamp)
      recorder.entry({ type: 'gap-close', feed, openedSeq }, stamp)
      status.gapOpened('disk')
    }
  }

  const begin = async (): Promise<void> => {
    cancelRetry()
    if (!wanted || closed || recorder.recording !== null) return
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
      cancelRetry = clock.after(RETRY_RECORDING_MS, () => void serially(begin))
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
      if (recorder.recording === null) return
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
