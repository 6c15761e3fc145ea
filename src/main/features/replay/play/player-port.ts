/** The options and state of a replay player. */
import type { ReplayState } from '../../../../shared/features/replay/replay.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import type { Market } from '../../../core/market/market.ts'
import type { StoreReader } from '../../../core/store/types/reader.ts'
import type { Part } from '../../../core/playback/parts.ts'
import type { Span } from '../../../../shared/base/spans.ts'

/** A place in what is played: the session of a part, and a seq of it. */
export interface Place {
  readonly session: SessionId
  readonly seq: number
}

export interface PlayerOptions {
  readonly reader: Pick<StoreReader, 'replay' | 'snapshot' | 'entries'>
  /** In playing order, with times that never decrease (`joinParts`). At least one. */
  readonly parts: readonly Part[]
  /** The market that windows see. */
  readonly market: Market
  /** Creates an empty market for preparing a seek. */
  readonly newMarket: () => Market
  /** Real time on a monotonic clock, ms. */
  readonly realMs: () => number
  readonly after: (ms: number, then: () => void) => () => void
  /** Called when `state` changes. */
  readonly changed: () => void
  /** Called with each jump: everything up to `from` was played, and nothing between it and `to`. */
  readonly jumped?: (from: Place, to: Place) => void
}

/** The state of a replay. Times are replay times, UTC ms. */
export interface PlayerState extends Pick<
  ReplayState,
  'playing' | 'speed' | 'skipIdle' | 'seeking' | 'ended' | 'messages' | 'perSecond' | 'exactness' | 'problem'
> {
  readonly nowMs: number
  /** The session of a part, and a seq of it; null before the first. */
  readonly at: Place | null
  readonly loop: Span | null
}
