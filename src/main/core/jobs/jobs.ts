/** Long-running work: started by a call, watched through one stream, canceled by another call. */
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import type { JobId, JobKind, JobState } from '../../../shared/core/jobs/jobs.ts'
import { unixMs } from '../../../shared/base/units.ts'
import { wholeStreams, type WholeStreams } from '../../rpc/state-stream.ts'

/** Progress of a job. Absent: unchanged. */
export interface JobProgress {
  readonly done?: number | null
  readonly count?: number
  readonly bytes?: number
}

/** A job's work. Throws `cancelled` soon after the signal aborts. Returns the text to show and the result. */
export type JobWork = (
  progress: (now: JobProgress) => void,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly result?: unknown }>

export interface Jobs {
  /** Starts at once. Never throws: an error is the job's outcome. */
  start(kind: JobKind, title: string, unit: string, work: JobWork): JobId
  /** Throws `not-found`. */
  cancel(id: JobId): void
  dismiss(id: JobId): void
  /** How many jobs have not ended. */
  running(): number
  /** Whether a running job needs the store to itself, so that no other job can start. */
  storeIsAway(): boolean
  readonly streams: WholeStreams<readonly JobState[]>
  /** Cancels every running job and waits for its end. */
  close(): Promise<void>
}

/** How many ended jobs are listed. */
const MAX_ENDED = 50
/** Concurrent jobs: each reads from the disk that the recorder writes to. */
const MAX_RUNNING = 64
/** Jobs that need the store to themselves. */
const EXCLUSIVE: ReadonlySet<JobKind> = new Set(['move'])

/** The error of starting a job while the store is being moved. */
export const storeAway = (): CodedError =>
  new CodedError('busy', 'The store is being moved.', {
    hint: 'Wait for the move to finish or cancel it, then try again.',
  })

/** An empty list of jobs. `wallMs`: UTC ms. */
export function createJobs(wallMs: () => number): Jobs {
  const jobs = new Map<JobId, { state: JobState; readonly stop: AbortController; ended: Promise<void> }>()
  let next = 1
  const streams = wholeStreams<readonly JobState[]>(() => [...jobs.values()].map(({ state }) => state))
  const found = (id: JobId) => {
    const job = jobs.get(id)
    if (job === undefined) throw new CodedError('not-found', 'This job no longer exists.')
    return job
  }
  const forgetOld = (): void => {
    const ended = [...jobs.values()].filter(({ state }) => state.outcome.is !== 'running')
    for (const { state } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) jobs.delete(state.id)
  }

  const runningOnes = (): readonly JobState[] =>
    [...jobs.values()].map(({ state }) => state).filter(({ outcome }) => outcome.is === 'running')
  const running = (): number => runningOnes().length
  const storeIsAway = (): boolean => runningOnes().some(({ kind }) => EXCLUSIVE.has(kind))

  return {
    streams,
    running,
    storeIsAway,
    start(kind, title, unit, work) {
      const id = `job-${next++}`
      const stop = new AbortController()
      const state: JobState = {
        id,
        kind,
        title,
        startedMs: unixMs(wallMs()),
        endedMs: null,
        done: null,
        unit,
        count: 0,
        bytes: 0,
        outcome: { is: 'running' },
      }
      const job = { state, stop, ended: Promise.resolve() }
      const set = (part: Partial<JobState>): void => {
        job.state = { ...job.state, ...part }
        streams.changed()
      }
      const end = (outcome: JobState['outcome']): void => {
        set({ outcome, endedMs: unixMs(wallMs()), ...(outcome.is === 'done' ? { done: 1 } : {}) })
        forgetOld()
      }
      const full = running() >= MAX_RUNNING
      const away = storeIsAway()
      jobs.set(id, job)
      job.ended = (async () => {
        try {
          if (full) {
            throw new CodedError('budget', `${MAX_RUNNING} jobs are already running.`, {
              hint: 'Wait for one to finish.',
            })
          }
          if (away) throw storeAway()
          const { text, result = null } = await work((now) => set(now), stop.signal)
          end({ is: 'done', text, result })
        } catch (thrown) {
          const failure = toFailure(thrown)
          end(failure.code === 'cancelled' ? { is: 'cancelled' } : { is: 'failed', failure })
        }
      })()
      streams.changed()
      return id
    },
    cancel: (id) => found(id).stop.abort(),
    dismiss(id) {
      if (found(id).state.outcome.is !== 'running') jobs.delete(id)
      streams.changed()
    },
    async close() {
      const all = [...jobs.values()]
      for (const { stop } of all) stop.abort()
      await Promise.all(all.map(({ ended }) => ended))
    },
  }
}
