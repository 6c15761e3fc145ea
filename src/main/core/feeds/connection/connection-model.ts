/** The types of the connection's state machine: state, events and effects. */
import type { Failure } from '../../../../shared/base/errors.ts'
import type { GapCause } from '../../../../shared/core/recording/session.ts'
import type { Reason } from '../../../../shared/core/status/status.ts'
import type { FeedId, UnixMs } from '../../../../shared/base/units.ts'
import type { ErrorFrame } from '../../../../service/reasons.ts'

/** An interval in which `symbols` should have been received and were not. */
export interface ConnectionGap {
  readonly id: number
  readonly cause: GapCause
  readonly symbols: readonly string[]
  readonly fromMs: UnixMs
}

/** `FeedState` with the steps of `connecting`. */
export type Phase =
  | { readonly is: 'idle' }
  | { readonly is: 'connecting'; readonly step: 'dial' | 'renew' | 'acknowledge' }
  | { readonly is: 'open'; readonly sinceMs: UnixMs }
  | { readonly is: 'stale'; readonly sinceMs: UnixMs; readonly lastMs: UnixMs }
  | { readonly is: 'waiting'; readonly untilMs: UnixMs; readonly why: Reason }
  | { readonly is: 'refused'; readonly why: Reason }

export interface ConnectionState {
  readonly feed: FeedId
  /** Origin of the service, for messages. */
  readonly origin: string
  readonly phase: Phase
  /** Number of the current socket; events of any other are ignored. */
  readonly generation: number
  /** Failed attempts in a row. */
  readonly attempt: number
  /** Token renewals since a token last worked for a while. */
  readonly renewals: number
  /** Rejections by the service since the last success. */
  readonly rejections: number
  /** The error frame received on this socket, to be combined with the close code. */
  readonly error: ErrorFrame | null
  /** Wanted tickers as subscribed to, oldest first. */
  readonly wanted: readonly string[]
  /** Tickers that were subscribed to on this socket. */
  readonly sent: readonly string[]
  /** Subscribe messages without an acknowledgment. */
  readonly pending: number
  /** How many of these were sent before the last probe, so that their acknowledgments don't prove the connection. */
  readonly outdated: number
  /** The acknowledged tickers, as the service writes them. */
  readonly acknowledged: readonly string[]
  readonly gaps: readonly ConnectionGap[]
  readonly nextGap: number
}

export type TimerName = 'retry' | 'ack' | 'closing'

export type ConnectionEvent =
  /** The complete set of wanted tickers; empty ends the connection. `sinceMs`: when the newest was subscribed to. */
  | { readonly is: 'wanted'; readonly symbols: readonly string[]; readonly sinceMs: UnixMs }
  | { readonly is: 'tokenReady' }
  | { readonly is: 'tokenFailed'; readonly failure: Failure }
  | { readonly is: 'upgraded'; readonly generation: number }
  | {
      readonly is: 'upgradeRefused'
      readonly generation: number
      readonly status: number
      readonly retryAfterMs: number | null
    }
  | { readonly is: 'acknowledged'; readonly generation: number; readonly symbols: readonly string[] }
  | { readonly is: 'released'; readonly generation: number; readonly symbols: readonly string[] }
  /** A market message. Dispatched only while connecting or stale. */
  | { readonly is: 'frame'; readonly generation: number }
  | { readonly is: 'errorFrame'; readonly generation: number; readonly error: ErrorFrame }
  | { readonly is: 'closed'; readonly generation: number; readonly code: number; readonly words: string }
  | { readonly is: 'socketError'; readonly generation: number; readonly code: string }
  | { readonly is: 'oversize'; readonly generation: number; readonly limitBytes: number }
  | { readonly is: 'halfOpen'; readonly generation: number }
  /** `mute`: no market message has ever been received. */
  | { readonly is: 'tick'; readonly silentMs: number; readonly staleAfterMs: number; readonly mute: boolean }
  | { readonly is: 'timer'; readonly timer: TimerName }
  | { readonly is: 'retry' }
  | { readonly is: 'sleep' }
  | { readonly is: 'wake' }
  /** The process was suspended for seconds, so the socket may be dead. */
  | { readonly is: 'paused' }
  /** The wall clock was set by `shiftMs`, at some time in the last `elapsedMs`. */
  | { readonly is: 'clock'; readonly shiftMs: number; readonly elapsedMs: number }
  | { readonly is: 'networkUp' }
  /** The app is quitting: the sockets are closed for good. */
  | { readonly is: 'quit' }

export type ConnectionEffect =
  | { readonly do: 'dial'; readonly generation: number }
  | { readonly do: 'close'; readonly generation: number; readonly how: 'normal' | 'terminate' }
  | { readonly do: 'send'; readonly action: 'subscribe' | 'unsubscribe'; readonly symbols: readonly string[] }
  | { readonly do: 'renewToken' }
  | { readonly do: 'armTimer'; readonly timer: TimerName; readonly ms: number }
  | { readonly do: 'dropTimers' }
  | { readonly do: 'probe' }
  | { readonly do: 'gapOpen'; readonly gap: ConnectionGap }
  | { readonly do: 'gapClose'; readonly id: number; readonly toMs: UnixMs }
  | { readonly do: 'problem'; readonly why: Reason }
  | { readonly do: 'log'; readonly level: 'debug' | 'info' | 'warn'; readonly text: string }

/**
 * The circumstances of an event. `receivedMs`: the time up to which everything sent is known to have been received;
 * `roll`: random number in [0, 1); `tokenEnded`: the socket's token has expired.
 */
export interface Moment {
  readonly wallMs: UnixMs
  readonly receivedMs: UnixMs | null
  readonly roll: number
  readonly tokenEnded?: boolean
}
