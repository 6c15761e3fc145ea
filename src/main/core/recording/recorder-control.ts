/**
 * Recording on and off: begins it, tries again what could not begin, leaves gaps where messages came that
 * were not kept. Everything that changes the recording comes one after the other.
 */
import { toFailure } from '../../../shared/base/errors.ts'
import type { Source } from '../../../shared/core/recording/recording.ts'
import type { Reason } from '../../../shared/core/status/status.ts'
import type { UnixMs } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'
import type { Feeds } from '../feeds/subscriptions.ts'
import type { Recorder } from './recorder-port.ts'
import { mayHeal, type LateWriter } from '../store/late-store.ts'
import type { Log } from '../log/log.ts'
import type { Status, Trouble } from './status.ts'

/** Recording that could not begin (a full disk) is tried again so often. */
const RETRY_RECORDING_MS = 5_000

export interface RecordingDeskOptions {
  /** Should it record at first. */
  readonly wanted: boolean
  readonly recorder: Recorder
  readonly writer: Pick<LateWriter, 'open'>
  readonly feeds: Pick<Feeds, 'status'>
  readonly source: () => Source
  readonly status: Pick<Status, 'say' | 'gapOpened'>
  readonly clock: Clock
  readonly log: Log['add']
}

export interface RecordingDesk {
  /** Should it record: as the user last said. */
  readonly wanted: boolean
  /** null when recording has begun or is off. */
  trouble(): Trouble | null
  /** Turns of work: each begins when the one before it has ended, well or ill. Rejects as the work does. */
  serially<T>(work: () => Promise<T>): Promise<T>
  /** As the user says; done by `apply`. */
  want(on: boolean): void
  /** In a turn: begins or ends, as is wanted. Never rejects. */
  apply(): Promise<void>
  /** In a turn: begins what is wanted and not yet begun. Never rejects: `trouble` says what stands in the way. */
  begin(): Promise<void>
  /**
   * In a turn: ends the recording. Never rejects: a disk that does not let it be ended leaves that to the
   * writer's next tries, or the next start.
   */
  end(): Promise<void>
  /**
   * In a turn: ends the recording on purpose for a while; `trouble` says why, and what comes until `begin` is a gap. Never
   * rejects. Nothing happens while nothing is recorded.
   */
  interrupt(why: Reason): Promise<void>
  /** Another source is watched: what stood in the way of recording the one before is forgotten. */
  sourceChanged(): void
  /** The feeds count their messages anew. */
  feedsCountAnew(): void
  /** Begins nothing any more. */
  close(): void
  readonly closed: boolean
  /** Resolves when the turns taken so far have ended. */
  settled(): Promise<unknown>
}

/** Nothing is recorded yet: `begin` comes first. */
export function createRecordingDesk(options: RecordingDeskOptions): RecordingDesk {
  const { recorder, writer, feeds, status, clock, log } = options
  let wanted = options.wanted
  let closed = false
  /** With how much had been received when it was found. */
  let trouble: (Omit<Trouble, 'lost'> & { readonly received: number }) | null = null
  let undoRetry = () => {}
  let queue: Promise<unknown> = Promise.resolve()

  const receivedSoFar = () => feeds.status(clock.wallMs()).reduce((sum, feed) => sum + feed.received, 0)
  const serially = <T>(work: () => Promise<T>): Promise<T> => {
    const next = queue.then(work)
    queue = next.catch(() => {})
    return next
  }

  /** What came since then is in no recording, though the feeds were connected. */
  const leaveGap = (fromMs: UnixMs): void => {
    const stamp = { wallMs: clock.wallMs(), monoNs: clock.monoNs() }
    for (const { feed, connections } of feeds.status(stamp.wallMs)) {
      if (connections === 0) continue
      const openedSeq = recorder.entry({ type: 'gap-open', feed, cause: 'disk', symbols: [], fromMs }, stamp)
      recorder.entry({ type: 'gap-close', feed, openedSeq }, stamp)
      status.gapOpened('disk')
    }
  }

  const begin = async (): Promise<void> => {
    undoRetry()
    if (!wanted || closed || recorder.recording !== null) return
    try {
      await writer.open()
      const begun = recorder.start(options.source())
      const before = trouble
      if (before !== null && before.why.code !== 'store-locked') leaveGap(before.sinceMs)
      await begun
      if (before !== null && recorder.state().is === 'recording') {
        const seconds = Math.round((clock.wallMs() - before.sinceMs) / 1_000)
        log('info', 'recorder', `Recording has begun; what came in the ${seconds} s before was not kept here.`)
        status.say('Recording has begun.')
      }
      trouble = null
    } catch (thrown) {
      const { code, message, hint = '', detail } = toFailure(thrown)
      const heals = mayHeal(code)
      if (trouble?.why.code !== code) log('error', 'recorder', `Recording could not begin: ${message}`, detail ?? hint)
      const after = heals ? 'recording begins by itself when it can.' : 'nothing is recorded until then.'
      const why = { code, message, hint: `${hint} Live data continues; ${after}`.trim(), closeCode: null }
      trouble = { ...(trouble ?? { sinceMs: clock.wallMs(), received: receivedSoFar() }), why, planned: false }
      if (!heals) return
      undoRetry = clock.after(RETRY_RECORDING_MS, () => void serially(begin))
    }
  }

  const end = (): Promise<void> =>
    recorder.stop().catch((thrown: unknown) => {
      log('error', 'recorder', 'The recording could not be ended cleanly.', toFailure(thrown).message)
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
      undoRetry()
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
      undoRetry()
    },
    get closed() {
      return closed
    },
    settled: () => queue,
  }
}
