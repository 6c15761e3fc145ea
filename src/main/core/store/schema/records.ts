/** Rows of a session and its labels, and the bodies of its begin and close records. */
import type { FeedCounts, Source } from '../../../../shared/core/recording/session.ts'
import type { SessionId } from '../../../../shared/base/units.ts'

/** A row of the table `recording`. */
export interface StoredSession {
  readonly id: number
  readonly key: string
  readonly source: string
  readonly started_ms: number
  readonly ended_ms: number | null
  readonly clean: number
  readonly sealed_seq: number
  readonly summary: string | null
}

export interface LabelRow {
  readonly recording: number
  readonly name: string
  readonly notes: string
  /** JSON array of strings. */
  readonly tags: string
  readonly pinned: number
  readonly binned_ms: number | null
}

export interface GapRow {
  readonly from_seq: number
  readonly feed: string
  readonly cause: string
  /** JSON array of strings. */
  readonly symbols: string
  readonly from_ms: number
  readonly to_ms: number | null
  readonly to_seq: number | null
  readonly skew_ms: number | null
}

/** The body of a `close` row of the store log, and the summary of a closed session. */
export interface CloseRecord {
  readonly recording: SessionId
  readonly endedMs: number
  readonly clean: boolean
  readonly lastSeq: number
  readonly messages: number
  readonly entries: number
  readonly counts: readonly FeedCounts[]
  /** Head of each connection's chain, hex. Connection 0 is the entries. */
  readonly heads: Readonly<Record<string, string>>
  readonly symbols: number
  readonly bytes: number
}

/** The body of a `begin` row of the store log. */
export interface BeginRecord {
  readonly recording: SessionId
  readonly source: Source
  readonly startedMs: number
  /** Of a team's session: number of its lease. Absent without one. */
  readonly epoch?: number
}

/** The part of a `begin` record that says under which lease a session is recorded. */
export const epochPart = (epoch: number | undefined): Pick<BeginRecord, 'epoch'> =>
  epoch === undefined || epoch === 0 ? {} : { epoch }
