/** What a recording holds beside its messages: entries in the same order, gaps, sessions. */
import type { FeedId, RecordingId, UnixMs } from '../../base/units.ts'

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

/** An interval in which a feed that should have been received was not. `toMs` null: still open. */
export interface Gap {
  readonly recording: RecordingId
  readonly feed: FeedId
  /** Service spelling of the symbols that were wanted; empty means every symbol of the feed. */
  readonly symbols: readonly string[]
  readonly cause: GapCause
  readonly fromMs: UnixMs
  readonly toMs: UnixMs | null
  readonly fromSeq: number
  readonly toSeq: number | null
  /** Service clock minus local clock when it opened, ms; absent: not measured. Bars see the gap widened by it. */
  readonly skewMs?: number
}

/** Where a recording's messages came from. Nothing is ever joined across two sources. */
export interface Source {
  readonly kind: 'demo' | 'service' | 'import'
  /** Origin of the service, e.g. "https://data.example.com"; "demo" for the demo market. */
  readonly origin: string
  readonly user: string
}

/** One identity text per source, as stored, listed and matched by `--source`. */
export function sourceKey(source: Source): string {
  return source.kind === 'demo' ? 'demo' : `${source.kind}:${source.user}@${source.origin}`
}

/**
 * An entry that is no message, in the same gapless order as messages. Symbols are in the
 * service's spelling; `conn` numbers the connections of a recording from 1.
 */
export type LedgerEntry =
  | { readonly type: 'connecting'; readonly feed: FeedId; readonly conn: number }
  | { readonly type: 'connected'; readonly feed: FeedId; readonly conn: number }
  | {
      readonly type: 'disconnected'
      readonly feed: FeedId
      readonly conn: number
      /** WebSocket close code, 0 when none was received. */
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
      /** Of `waiting`: when it is tried again, UTC ms, and for the how manyth time. */
      readonly untilMs?: number
      readonly attempt?: number
    }
  | {
      readonly type: 'gap-open'
      readonly feed: FeedId
      readonly cause: GapCause
      readonly symbols: readonly string[]
      readonly fromMs: UnixMs
      /** Service clock minus local clock, ms; absent: not measured. */
      readonly skewMs?: number
    }
  | { readonly type: 'gap-close'; readonly feed: FeedId; readonly openedSeq: number }
  | { readonly type: 'oversize'; readonly feed: FeedId; readonly conn: number; readonly limitBytes: number }
  | {
      readonly type: 'clock'
      /** How far the wall clock moved against the monotonic clock, ms; negative: set back. */
      readonly shiftMs: number
    }
  | {
      readonly type: 'digest'
      readonly minuteMs: UnixMs
      readonly sha256: string
      /** Version of the fold (and of the codecs under it): digests of other versions are not comparable. */
      readonly fold?: number
    }

/** Bits of a stored message's flags. */
export const FLAG = {
  /** The frame was binary. */
  binary: 1,
  /** Not valid UTF-8. */
  invalidUtf8: 2,
  /** An acknowledgement or an error frame. */
  control: 4,
  /** Neither control nor readable as a record. */
  undecodable: 8,
  /**
   * Outside [subscribe sent, unsubscribe acknowledged] of its connection, or in a spelling over
   * MOST_SPELLINGS: kept out of hub and bars.
   */
  unasked: 16,
  /** Event time absent or out of range: dated by its receive time. */
  undated: 32,
} as const

/** Messages with any of these are kept and go nowhere else. */
export const KEPT_ONLY = FLAG.control | FLAG.undecodable | FLAG.unasked

/**
 * Whether a message goes into hub, bars and digests. Live asks this of the flags it stores, whatever reads the
 * store asks it of the same ones: they cannot differ.
 */
export const entersMarket = (flags: number): boolean => (flags & KEPT_ONLY) === 0

/** Whether a gap of this cause lost frames that had been received: live begins its fold anew, so must all others. */
export const cutsOrder = (cause: GapCause): boolean => cause === 'disk' || cause === 'overflow' || cause === 'worker'

/** So many spellings of one instrument are taken and listed; messages in further ones are kept as `unasked`. */
export const MOST_SPELLINGS = 64

export interface FeedCounts {
  readonly feed: FeedId
  readonly received: number
  /** Market messages that were read. */
  readonly decoded: number
  readonly control: number
  readonly undecodable: number
  readonly unasked: number
  readonly stored: number
}

/** A recorded session, as listed. */
export interface SessionRow {
  readonly session: RecordingId
  readonly source: string
  readonly startedMs: UnixMs
  /** Null while recording. */
  readonly endedMs: UnixMs | null
  /** False when it ended in a crash. */
  readonly clean: boolean
  readonly live: boolean
  readonly feeds: readonly FeedCounts[]
  readonly symbols: number
  readonly messages: number
  readonly bytes: number
  /** All of them; in the list of a window the first few that are no edges, without their symbols. */
  readonly gaps: readonly Gap[]
  /** How many gaps there are, and how many of them are its ordinary edges: see `isEdge`. */
  readonly gapCount: number
  readonly edges: number
  /** What the user calls it; '' unless told. */
  readonly name: string
  readonly notes: string
  readonly tags: readonly string[]
  /** Never deleted by a rule. */
  readonly pinned: boolean
  /** In the bin since; null: it is not. */
  readonly binnedMs: UnixMs | null
  /** Recorded elsewhere, or read from a file. */
  readonly imported: boolean
}

/** What a recording is called that nobody has said anything of. */
export const UNLABELLED = { name: '', notes: '', tags: [], pinned: false, binnedMs: null } as const

/** Whether a gap is an ordinary edge of a recording: feeds were still connecting, or the user ended it. */
export const isEdge = ({ cause }: Pick<Gap, 'cause'>): boolean => cause === 'connect' || cause === 'quit'

/** How many gaps a person is told of, everywhere: all but ordinary edges, which lists show with their causes. */
export function countGaps(gaps: Iterable<Pick<Gap, 'cause'>>): number {
  let count = 0
  for (const gap of gaps) if (!isEdge(gap)) count += 1
  return count
}

/** One difference that `verify` found. */
export interface Problem {
  readonly session: RecordingId
  readonly kind:
    'missing' | 'changed' | 'doubled' | 'reordered' | 'torn' | 'count' | 'rollup' | 'digest' | 'entry' | 'structure'
  readonly feed: FeedId | null
  readonly atMs: UnixMs | null
  readonly detail: string
}

export interface VerifyReport {
  readonly sessions: number
  readonly messages: number
  readonly ok: boolean
  readonly problems: readonly Problem[]
}
