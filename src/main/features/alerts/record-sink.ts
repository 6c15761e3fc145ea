/** Passes market records to the evaluator, live or from a session. */
import type { Evaluator } from '../../../shared/features/alerts/evaluator/evaluator.ts'
import { KIND } from '../../../service/codec.ts'
import type { HubSink } from '../../core/market/hub-types.ts'

export type AlertSink = Pick<HubSink, 'apply' | 'feedState' | 'gapOpened' | 'gapClosed'>

/** `seen` is called with the seq of each record that alerts evaluate, before they do. */
export function alertSink(evaluator: Evaluator, seen?: (seq: number) => void): AlertSink {
  // Local copies: reading an import from a closure is slower on this path.
  const { trade, quote, bar } = KIND
  return {
    apply(feed, seq, recvMs, record) {
      const watch = evaluator.watchOf(feed, record.symbol, record.symbolPlace)
      if (watch === null) {
        evaluator.advance(recvMs)
        return
      }
      seen?.(seq)
      const { kind } = record
      if (kind === trade) evaluator.trade(watch, feed, record, recvMs)
      else if (kind === quote) evaluator.quote(watch, feed, record, recvMs)
      else if (kind === bar) evaluator.bar(watch, feed, record, recvMs)
    },
    // What one connection lacks of a feed that another one receives is reported by its gaps.
    feedState: (feed, state, nowMs, seen = state) => evaluator.feedState(feed, seen, nowMs),
    gapOpened: (feed, cause, symbols, fromMs) => evaluator.gapOpened(feed, cause, symbols, fromMs),
    gapClosed: (feed, fromMs, toMs) => evaluator.gapClosed(feed, fromMs, toMs),
  }
}
