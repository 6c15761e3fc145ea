/** Research as windows see it: what can be asked, what was answered and when, and what calls cost. */
import type { Failure } from '../../base/errors.ts'
import type { UnixMs } from '../../base/units.ts'

/** A row of the service's table of endpoints. */
export interface EndpointInfo {
  readonly id: string
  readonly group: string
  /** The documented path, with `{symbol}` where it wants one. */
  readonly path: string
  readonly title: string
  readonly takesSymbol: boolean
  /** `unsure`: the document says both "coming soon" and available. */
  readonly availability: 'listed' | 'live' | 'unsure'
}

/** A stored answer without its text. */
export interface AnswerVersion {
  /** In the store; 0: it could not be kept. */
  readonly id: number
  readonly fetchedMs: UnixMs
  readonly status: number
  readonly contentType: string
  /** Bytes of the text in UTF-8. */
  readonly size: number
  readonly sha256: string
}

/** An answer as it came: its text is shown as data, never as markup. */
export interface Answer extends AnswerVersion {
  readonly text: string
}

/** What a pane gets: the newest answer it may see, and what stands in the way of a newer one. */
export interface ResearchAnswer {
  /** Null: nothing was ever answered (in a replay: not by its instant). */
  readonly answer: Answer | null
  /** Why the last call brought nothing new; null: it did, or none was made. */
  readonly failure: Failure | null
  /** Older than its group's time to live. */
  readonly stale: boolean
  /** From the service just now, and not from the store. */
  readonly fresh: boolean
}

/** How many calls were made since 00:00 UTC, and how many the user allows. */
export interface CallBudget {
  readonly used: number
  readonly limit: number
  readonly resetsMs: UnixMs
  readonly running: number
  readonly waiting: number
}
