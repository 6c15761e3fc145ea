/** The state of following a session, what happens to it, and what it asks for. */
import type { Reason } from '../../../../shared/core/status/status.ts'
import type { CommittedFlush } from '../frame/frame.ts'
import type { StoredSignature } from '../sign/authorship.ts'

/** When a frame was published, ms: as the log stored it, or as it arrived here. Times of two clocks can't be compared. */
export interface PieceTime {
  readonly clock: 'log' | 'own'
  readonly ms: number
}

/** A whole frame from the log, or flushes from the history; nothing in it is verified yet. */
export interface Piece {
  readonly firstSeq: number
  readonly lastSeq: number
  /** What it takes in memory, about. */
  readonly bytes: number
  readonly data:
    | { readonly is: 'frame'; readonly bytes: Uint8Array; readonly time: PieceTime }
    | {
        readonly is: 'flushes'
        readonly flushes: readonly CommittedFlush[]
        readonly signatures: readonly StoredSignature[]
      }
}

/** One of several frames that wait. Adding one takes the same time, however many there are. */
export interface HeldPiece {
  readonly piece: Piece
  readonly before: HeldPiece | null
}

/** Seqs that neither the log nor the history has. */
export interface MissingSeqs {
  readonly fromSeq: number
  readonly toSeq: number
}

export type Phase =
  /** The local copy is being opened. */
  | { readonly is: 'opening' }
  /** The team's servers can't be reached. */
  | { readonly is: 'away' }
  /** Reads what it doesn't have. `from`: where. `startedAfter`: the last seq when reading began. */
  | { readonly is: 'reading'; readonly from: 'log' | 'history'; readonly startedAfter: number }
  /** Takes frames as they arrive. */
  | { readonly is: 'live' }
  /** Tries again after a while. */
  | { readonly is: 'waiting'; readonly why: Reason; readonly reopen: boolean }
  /** Everything is stored and the local copy is being closed. */
  | { readonly is: 'ending' }
  | { readonly is: 'ended' }
  /** What was received doesn't match the hash chain. Only a person can decide what to do. */
  | { readonly is: 'stopped'; readonly why: Reason }

export interface SessionState {
  readonly phase: Phase
  readonly isConnected: boolean
  /** Whether a history is configured. */
  readonly hasHistory: boolean
  /** Last seq that was passed on to be stored. */
  readonly takenSeq: number
  /** Last durable seq. */
  readonly storedSeq: number
  /** Frames passed on but not durable yet, bytes. */
  readonly storingBytes: number
  /** Frames that arrived while reading, the newest first. */
  readonly buffer: HeldPiece | null
  readonly bufferBytes: number
  /** Frames were dropped since reading began, so the log has to be read again. */
  readonly hasDropped: boolean
  /** Last seq of the session; null while it is being recorded. */
  readonly endSeq: number | null
  /** What is missing in the log and the history; null: nothing, as far as known. */
  readonly missing: MissingSeqs | null
}

export type SessionEvent =
  /** `isComplete`: the whole session is stored here already. */
  | { readonly is: 'opened'; readonly lastSeq: number; readonly isComplete?: boolean }
  | { readonly is: 'connected' }
  | { readonly is: 'disconnected' }
  /** A frame arrived live. */
  | { readonly is: 'frame'; readonly piece: Piece }
  /** The next piece was read. */
  | { readonly is: 'read'; readonly piece: Piece }
  /** Reading reached the end of the log or of the history. */
  | { readonly is: 'read-end' }
  | { readonly is: 'read-failed'; readonly why: Reason }
  /** The last seq that the log has, asked for because nothing arrived for a while. */
  | { readonly is: 'log-end'; readonly seq: number }
  | { readonly is: 'stored'; readonly seq: number; readonly bytes: number }
  /** Storing failed. `final`: the chains don't match, so trying again is pointless. */
  | { readonly is: 'refused'; readonly why: Reason; readonly final: boolean }
  /** The recorder closed the session. */
  | { readonly is: 'closed'; readonly lastSeq: number }
  | { readonly is: 'copy-ended' }
  | { readonly is: 'retry' }

export type SessionEffect =
  /** Open the local copy, and report `opened` or `refused`. */
  | { readonly do: 'open' }
  /** Read from `fromSeq`, and report each piece with `read`, then `read-end` or `read-failed`. Ends an earlier read. */
  | { readonly do: 'read'; readonly from: 'log' | 'history'; readonly fromSeq: number }
  | { readonly do: 'stop-reading' }
  /** Verify, store and show. Report `stored` or `refused`. */
  | { readonly do: 'take'; readonly piece: Piece }
  /** Close the local copy, and report `copy-ended` or `refused`. */
  | { readonly do: 'end' }
  /** Report `retry` after `ms`. */
  | { readonly do: 'retry-after'; readonly ms: number }
