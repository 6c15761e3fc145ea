/** What evidence needs of a view. */
import type { Span } from '../../../shared/base/spans.ts'
import type { FlowRange } from '../../core/market/flow/flow-follower.ts'
import type { SidedTrade } from '../../core/market/flow/sided-trades.ts'
import type { RecordedView } from '../../core/views/view-sessions.ts'
import type { TradeSide } from '../../../shared/core/market/flow/side.ts'

export interface EvidenceView extends RecordedView {
  /**
   * Calls `settled` for each trade received in a range, with its side. Resolves with the spans of receipt that couldn't
   * be read, UTC ms. Absent where nothing asks for sides.
   */
  readonly sided?: (
    range: FlowRange & { readonly toMs: number },
    settled: (trade: SidedTrade, side: TradeSide) => void,
  ) => Promise<readonly Span[]>
}
