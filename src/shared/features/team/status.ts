/** How a team is: its shards, who records and archives them, and what needs attention. */
import type { Failure } from '../../base/errors.ts'
import type { SessionId, UnixMs } from '../../base/units.ts'

/** A session that is being recorded, or that the history lacks a part of. */
export interface SessionStatus {
  readonly session: SessionId
  readonly shard: number
  readonly recorder: string
  readonly epoch: number
  /** Public key with which its recorder signs; null: it doesn't. */
  readonly key: string | null
  readonly startedMs: UnixMs
  /** Null while it is being recorded. */
  readonly endedMs: UnixMs | null
  /** Last seq in the log, 0: none. */
  readonly lastSeq: number
  /** Last seq in the history; null: not known yet, because the servers have no watermark of the session. */
  readonly committedSeq: number | null
  /** Seqs that the history lacks; null: not known yet. */
  readonly behind: number | null
  /** Age of the last frame of an open session, ms. Null: it has ended, or the log has none. */
  readonly ageMs: number | null
  /** Its recorder says that it publishes it. A name doesn't show that: another recorder may have the same. */
  readonly isReported: boolean
}

/** A recorder as it describes itself. */
export interface RecorderStatus {
  readonly name: string
  readonly epoch: number
  /** What it keeps because the history hasn't committed it. */
  readonly spoolBytes: number
  readonly spoolLimitBytes: number | null
  /** Messages and entries that it has stored and the log doesn't have. */
  readonly unpublished: number
  /** What keeps it from publishing. */
  readonly trouble: string | null
}

export interface ShardStatus {
  readonly shard: number
  /** Who has the lease. Null: nobody. */
  readonly lease: { readonly recorder: string; readonly epoch: number } | null
  /** Symbols of the plan, over all feeds. Null: it isn't in the plan. */
  readonly symbols: number | null
  /** Open sessions, and ended ones that the history lacks a part of. By start. */
  readonly sessions: readonly SessionStatus[]
  readonly recorders: readonly RecorderStatus[]
  /** Null: no archiver says that it archives this shard. `missing`: times that it had to read missing frames again. */
  readonly archiver: { readonly name: string; readonly missing: number; readonly trouble: string | null } | null
  /** Frames in quarantine; null: the history wasn't asked. */
  readonly quarantined: number | null
}

export interface TeamStatus {
  readonly team: string
  readonly shards: readonly ShardStatus[]
  /** Recorders that wait for a free shard. */
  readonly standby: readonly string[]
  readonly archivers: readonly string[]
  /** A sentence each. */
  readonly problems: readonly string[]
}

/** The status as a window sees it. Null: this terminal isn't on a team. */
export type TeamOverview = {
  /** Null: it hasn't been read yet. */
  readonly status: TeamStatus | null
  /** When it was read, UTC ms. */
  readonly readMs: UnixMs | null
  /** Why it couldn't be read the last time; null: it could, or the servers are away. */
  readonly problem: Failure | null
  /** Why the history can't be read; null: it can, or there is none. */
  readonly historyProblem: Failure | null
} | null

/** Before anything was read. */
export const UNREAD: NonNullable<TeamOverview> = { status: null, readMs: null, problem: null, historyProblem: null }
