/** A team as its terminals see it: recorders elsewhere, whose sessions are copied here while they are recorded. */
import type { SessionId, UnixMs } from '../../base/units.ts'
import type { Reason } from '../../core/status/status.ts'

export type TeamLink =
  | { readonly is: 'connecting' }
  | { readonly is: 'connected'; readonly server: string }
  /** The connection was lost, and is restored automatically. Prices age until then. */
  | { readonly is: 'lost'; readonly sinceMs: UnixMs; readonly why: Reason }
  /** It couldn't connect, and tries again. */
  | { readonly is: 'failed'; readonly why: Reason }

/** What a terminal does with a session. */
export type FollowPhase = 'opening' | 'catching up' | 'live' | 'lost' | 'waiting' | 'ending' | 'stopped'

export interface FollowedSession {
  readonly session: SessionId
  readonly shard: number
  readonly recorder: string
  readonly phase: FollowPhase
  /** Last seq of the local copy. */
  readonly seq: number
  /** When the last message of the local copy was received by its recorder, UTC ms; null: none yet. */
  readonly lastMs: UnixMs | null
  /** When its recorder was heard of last, if it is gone, UTC ms; null: it is there, or too old to say. */
  readonly goneMs: UnixMs | null
  /** Why it waits or has stopped. */
  readonly why: Reason | null
  /** Its recorder says that it signs. */
  readonly isSigning: boolean
  /** Who made the newest signature, and up to which seq it proves the session; null: none was received. */
  readonly signer: { readonly key: string; readonly name: string | null; readonly signedSeq: number } | null
}

/** Null: this terminal isn't on a team. */
export type TeamState = {
  readonly name: string
  /** Options of this program say which team it is and how to reach it, whatever the settings say. */
  readonly isGiven: boolean
  /** The servers, as shown. */
  readonly servers: string
  /** The history, as shown; null: none. */
  readonly history: string | null
  readonly link: TeamLink
  /** Why the list of sessions can't be read; null: it can. */
  readonly problem: Reason | null
  /** How far the slowest live session is behind, ms; null: nothing is live. Two clocks are involved. */
  readonly lagMs: number | null
  readonly sessions: readonly FollowedSession[]
  /** Only what is signed with a trusted key is followed. */
  readonly isTrusting: boolean
} | null

/** A session in the team's history that isn't stored here. */
export interface HistoryEntry {
  readonly session: SessionId
  readonly shard: number
  readonly recorder: string
  readonly startedMs: UnixMs
  readonly endedMs: UnixMs | null
  readonly messages: number
  /** Why it can't be fetched; null: it can. */
  readonly obstacle: 'open' | 'removed' | null
}

export interface TeamTestStep {
  readonly step: 'servers' | 'team' | 'history'
  readonly ok: boolean
  /** What happened, or what went wrong and what to do. */
  readonly text: string
}
