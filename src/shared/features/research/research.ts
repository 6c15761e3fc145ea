/** Research for windows: what can be requested, what was returned and when, and what requests cost. */
import type { Failure } from '../../base/errors.ts'
import type { UnixMs } from '../../base/units.ts'

/** A row of the endpoint table. */
export interface EndpointInfo {
  readonly id: string
  readonly group: string
  /** The documented path, with `{symbol}` where it takes one. */
  readonly path: string
  readonly title: string
  readonly takesSymbol: boolean
  /** `unsure`: the service says both "coming soon" and available. */
  readonly availability: 'listed' | 'live' | 'unsure'
}

/** A stored response without its text. */
export interface ResponseVersion {
  /** Its id in the store; 0 if it couldn't be saved. */
  readonly id: number
  readonly fetchedMs: UnixMs
  readonly status: number
  readonly contentType: string
  /** Size of the text in UTF-8 bytes. */
  readonly size: number
  readonly sha256: string
}

/** A response as received. Its text is shown as data, never as markup. */
export interface ServiceResponse extends ResponseVersion {
  readonly text: string
}

/** The newest response a pane may show, and why there is no newer one. */
export interface ResearchResult {
  /** Null if there was never a response (in a replay: not by its time). */
  readonly response: ServiceResponse | null
  /** Why the last request returned nothing new; null if it did or there was none. */
  readonly failure: Failure | null
  /** Older than its group's time to live. */
  readonly stale: boolean
  /** Received from the service just now, not from the store. */
  readonly fresh: boolean
}

/** The number of requests since 00:00 UTC, and the user's limit. */
export interface CallBudget {
  readonly used: number
  readonly limit: number
  readonly resetsMs: UnixMs
  readonly running: number
  readonly waiting: number
}
