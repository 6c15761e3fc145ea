/** Long-running work as windows see it. */
import type { Failure } from '../../base/errors.ts'
import type { UnixMs } from '../../base/units.ts'

export type JobId = string
export type JobKind = 'export' | 'import' | 'package' | 'verify' | 'compact' | 'alert' | 'agreement' | 'move' | 'fetch'

export interface JobState {
  readonly id: JobId
  readonly kind: JobKind
  /** What it works on, in the user's words: "btc.csv", "session 01j…". */
  readonly title: string
  readonly startedMs: UnixMs
  readonly endedMs: UnixMs | null
  /** 0 to 1, or null if the total is unknown. */
  readonly done: number | null
  /** What it counts, such as rows or messages, and how many so far. */
  readonly unit: string
  readonly count: number
  readonly bytes: number
  readonly outcome:
    | { readonly is: 'running' }
    | { readonly is: 'cancelled' }
    | { readonly is: 'failed'; readonly failure: Failure }
    /** `result` is plain data, documented at the call that starts the job. */
    | { readonly is: 'done'; readonly text: string; readonly result: unknown }
}
