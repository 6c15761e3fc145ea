/** The market on its way to the alerts: what a hub is told, live or of a recording. */
import type { Evaluator } from '../../../shared/features/alerts/evaluator/evaluator.ts'
import { KIND } from '../../../service/codec.ts'
import type { HubSink } from '../../core/market/hub-types.ts'

export type AlertSink = Pick<HubSink, 'apply' | 'feedState' | 'gapOpened' | 'gapClosed'>

/** `seen` is told of the seq of each record that alerts look at, before they do. */
export function alertSink(evaluator: Evaluator, seen?: (seq: number) => void): AlertSink {
  // Of this scope, as a closure has a long way to what is imported.
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
    // What one connection misses of a feed that another one receives is told by its gaps.
    feedState: (feed, state, nowMs, seen = state) => evaluator.feedState(feed, seen, nowMs),
    gapOpened: (feed, cause, symbols, fromMs) => evaluator.gapOpened(feed, cause, symbols, fromMs),
    gapClosed: (feed, fromMs, toMs) => evaluator.gapClosed(feed, fromMs, toMs),
  }
}
