/** What a session holds in addition to its messages: ledger entries in the same order, and gaps. */
import type { FeedId, SessionId, UnixMs } from '../../base/units.ts'

export const GAP_CAUSES = [
  'connect',
  'drop',
  'half-open',
  'refused',
  'unacknowledged',
  'sleep',
  'clock',
  'token',
  'disk',
  'overflow',
  'worker',
  'crash',
  'quit',
] as const
export type GapCause = (typeof GAP_CAUSES)[number]

export const isGapCause = (text: string): text is GapCause => (GAP_CAUSES as readonly string[]).includes(text)

/** An interval in which a subscribed feed wasn't received. `toMs` is null while it is open. */
export interface Gap {
  readonly session: SessionId
  readonly feed: FeedId
  /** The subscribed symbols, as the service writes them. Empty means every symbol of the feed. */
  readonly symbols: readonly string[]
  readonly cause: GapCause
  readonly fromMs: UnixMs
  readonly toMs: UnixMs | null
  readonly fromSeq: number
  readonly toSeq: number | null
  /** Service clock minus local clock when the gap opened, ms; absent if not measured. Bars widen the gap by it. */
  readonly skewMs?: number
}

/** Where a session's messages came from. Data of two sources is never joined. */
export interface Source {
  readonly kind: 'demo' | 'service' | 'import' | 'team'
  /** The service's origin, such as "https://data.example.com", "demo" for the demo market, or the name of a team. */
  readonly origin: string
  /** The user of the service, or the number of a team's shard. */
  readonly user: string
}

export const DEMO_SOURCE: Source = { kind: 'demo', origin: 'demo', user: '' }

/** The text that identifies a source, as stored, listed and matched by `--source`. */
export function sourceKey(source: Source): string {
  return source.kind === 'demo' ? 'demo' : `${source.kind}:${source.user}@${source.origin}`
}

/** The source of the replicas of a team's shard, from 1. */
export const teamSource = (team: string, shard: number): Source => ({
  kind: 'team',
  origin: team,
  user: String(shard),
})

/** Matches the source keys of every shard of a team. */
export const teamKey = (team: string): string => `team:*@${team}`

/** The team and shard of a source key, as written by `sourceKey` or `teamKey`; null if it isn't a team's. */
export function readTeamKey(key: string): { readonly team: string; readonly shard: string } | null {
  const match = /^team:(\*|\d+)@(.+)$/.exec(key)
  return match === null ? null : { shard: match[1], team: match[2] }
}

/** Whether a source key is a team's. */
export const isTeamKey = (key: string): boolean => key.startsWith('team:')

/** Whether a source key stands for every shard of a team. */
export const isWholeTeam = (key: string): boolean => key.startsWith('team:*@')

/** Whether a session's source key is the wanted one, or that of any shard of the wanted team. */
export function matchesSource(key: string, wanted: string): boolean {
  if (key === wanted) return true
  if (!isWholeTeam(wanted) || !isTeamKey(key)) return false
  const at = wanted.indexOf('@')
  return key.slice(key.indexOf('@')) === wanted.slice(at)
}

/**
 * A ledger entry: not a message, but numbered in the same sequence. Symbols are as the service writes them. `conn`
 * numbers the connections of a session from 1.
 */
export type LedgerEntry =
  | { readonly type: 'connecting'; readonly feed: FeedId; readonly conn: number }
  | { readonly type: 'connected'; readonly feed: FeedId; readonly conn: number }
  | {
      readonly type: 'disconnected'
      readonly feed: FeedId
      readonly conn: number
      /** The WebSocket close code, or 0 if none was received. */
      readonly closeCode: number
      readonly reason: string
    }
  | { readonly type: 'subscribe'; readonly feed: FeedId; readonly conn: number; readonly symbols: readonly string[] }
  | { readonly type: 'unsubscribe'; readonly feed: FeedId; readonly conn: number; readonly symbols: readonly string[] }
  | { readonly type: 'acknowledged'; readonly feed: FeedId; readonly conn: number; readonly symbols: readonly string[] }
  | { readonly type: 'released'; readonly feed: FeedId; readonly conn: number; readonly symbols: readonly string[] }
  | {
      readonly type: 'state'
      readonly feed: FeedId
      readonly conn: number
      readonly state: string
      /** For `waiting`: the time of the next attempt, UTC ms, and its number. */
      readonly untilMs?: number
      readonly attempt?: number
    }
  | {
      readonly type: 'gap-open'
      readonly feed: FeedId
      readonly cause: GapCause
      readonly symbols: readonly string[]
      readonly fromMs: UnixMs
      /** Service clock minus local clock, ms; absent if not measured. */
      readonly skewMs?: number
    }
  | { readonly type: 'gap-close'; readonly feed: FeedId; readonly openedSeq: number }
  | { readonly type: 'oversize'; readonly feed: FeedId; readonly conn: number; readonly limitBytes: number }
  | {
      readonly type: 'clock'
      /** How far the wall clock was set, ms; negative if it was set back. Older versions also count sleep on Linux. */
      readonly shiftMs: number
    }
  | {
      readonly type: 'digest'
      readonly minuteMs: UnixMs
      readonly sha256: string
      /** The version of the fold and its codecs. Digests of different versions can't be compared. */
      readonly fold?: number
    }

/** How far a `clock` entry says the clock was set back, ms; 0: it was set forward. */
export const setBackMs = (shiftMs: number): number => Math.max(0, -shiftMs)

/** The flag bits of a stored message. */
export const FLAG = {
  /** The frame was binary. */
  binary: 1,
  /** Not valid UTF-8. */
  invalidUtf8: 2,
  /** An acknowledgement or an error frame. */
  control: 4,
  /** Neither a control message nor readable as a record. */
  undecodable: 8,
  /**
   * Received outside [subscribe sent, unsubscribe acknowledged] of its connection, or under an alias beyond
   * MAX_ALIASES. Stored, but not used by hub and bars.
   */
  unasked: 16,
  /** The event time is absent or out of range, so the receive time counts. */
  undated: 32,
} as const

/** Messages with any of these flags are stored but not used for anything else. */
export const STORED_ONLY = FLAG.control | FLAG.undecodable | FLAG.unasked

/**
 * Whether a message counts in hub, bars and digests. The live market and every reader of the store judge by the same
 * stored flags, so they can't disagree.
 */
export const entersMarket = (flags: number): boolean => (flags & STORED_ONLY) === 0

/** Whether a gap of this cause lost received frames. The live fold restarts there, so every other fold must, too. */
export const cutsOrder = (cause: GapCause): boolean => cause === 'disk' || cause === 'overflow' || cause === 'worker'

/** The most aliases accepted per instrument. Messages under further aliases are stored with the flag `unasked`. */
export const MAX_ALIASES = 64

export interface FeedCounts {
  readonly feed: FeedId
  readonly received: number
  /** The number of decoded market messages. */
  readonly decoded: number
  readonly control: number
  readonly undecodable: number
  readonly unasked: number
  readonly stored: number
}

/** A stored session, as listed. */
export interface SessionRow {
  readonly session: SessionId
  readonly source: string
  readonly startedMs: UnixMs
  /** Null while it is being recorded. */
  readonly endedMs: UnixMs | null
  /** False if it ended in a crash. */
  readonly clean: boolean
  /** Found corrupt by the last verification, or when messages were sealed. Only `verify` finds everything. */
  readonly isCorrupt: boolean
  readonly live: boolean
  readonly feeds: readonly FeedCounts[]
  readonly symbols: number
  readonly messages: number
  readonly bytes: number
  /** All gaps. A window's list holds only the first few that aren't edges, without their symbols. */
  readonly gaps: readonly Gap[]
  /** The number of gaps, and how many of them are ordinary edges (see `isEdge`). */
  readonly gapCount: number
  readonly edges: number
  /** The user's name for it, or ''. */
  readonly name: string
  readonly notes: string
  readonly tags: readonly string[]
  /** Never deleted by a retention rule. */
  readonly pinned: boolean
  /** When it was moved to the bin, UTC ms, or null. */
  readonly binnedMs: UnixMs | null
  /** Read from a file. A team's session isn't, although another machine recorded it. */
  readonly imported: boolean
  /** Of a team's session: number of its lease. Absent without one. */
  readonly epoch?: number | undefined
}

/** Whether a gap is an ordinary edge of a session: feeds were still connecting, or the user ended it. */
export const isEdge = ({ cause }: Pick<Gap, 'cause'>): boolean => cause === 'connect' || cause === 'quit'

/** The number of gaps to report: all except ordinary edges, which lists show with their causes. */
export function countGaps(gaps: Iterable<Pick<Gap, 'cause'>>): number {
  let count = 0
  for (const gap of gaps) if (!isEdge(gap)) count += 1
  return count
}

/** A problem found by `verify`. */
export interface Problem {
  readonly session: SessionId
  readonly kind:
    | 'missing'
    | 'changed'
    | 'doubled'
    | 'reordered'
    | 'torn'
    | 'count'
    | 'rollup'
    | 'digest'
    | 'entry'
    | 'structure'
    | 'signature'
  readonly feed: FeedId | null
  readonly atMs: UnixMs | null
  readonly detail: string
}

export interface VerifyReport {
  readonly sessions: number
  readonly messages: number
  readonly ok: boolean
  /** The first ones; a report lists a limited number. */
  readonly problems: readonly Problem[]
  /** How many more there are. Absent: none. */
  readonly unlisted?: number | undefined
  /** Of a team's history: who signed each session. */
  readonly authors?: readonly Authorship[] | undefined
}

/** All differences of a report, listed or not. */
export const differenceCount = ({ problems, unlisted = 0 }: VerifyReport): number => problems.length + unlisted

/** Who signed a session in a team's history. */
export interface Authorship {
  readonly session: SessionId
  /** Public keys with valid signatures. `name`: of a trusted key; null: it isn't one. */
  readonly keys: readonly { readonly key: string; readonly name: string | null }[]
  /** The last seq with a valid signature; 0: none. */
  readonly signedSeq: number
  readonly lastSeq: number
  /** It isn't being recorded any more. */
  readonly isEnded: boolean
  /** Also its end is signed, so that nothing can be missing after it. */
  readonly isEndSigned: boolean
}
