/** Long work as windows see it. */
import type { Failure } from '../../base/errors.ts'
import type { UnixMs } from '../../base/units.ts'

export type JobId = string
export type JobKind = 'export' | 'import' | 'package' | 'verify' | 'compact' | 'alert' | 'agreement' | 'move'

export interface JobState {
  readonly id: JobId
  readonly kind: JobKind
  /** What it works on, in the user's words: "btc.csv", "session 01j…". */
  readonly title: string
  readonly startedMs: UnixMs
  readonly endedMs: UnixMs | null
  /** 0 to 1; null: how much there is is not known. */
  readonly done: number | null
  /** What it counts, and how many so far: rows, messages. */
  readonly unit: string
  readonly count: number
  readonly bytes: number
  readonly outcome:
    | { readonly is: 'running' }
    | { readonly is: 'cancelled' }
    | { readonly is: 'failed'; readonly failure: Failure }
    /** `result` is what the call that started the job says it answers: plain data. */
    | { readonly is: 'done'; readonly text: string; readonly result: unknown }
}
