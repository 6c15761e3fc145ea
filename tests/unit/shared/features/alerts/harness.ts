/** An evaluator with its surroundings: what it told, in short texts. */
import { quietDraft } from '../../../../../benchmarks/quiet-alert.ts'
import { Evaluator } from '../../../../../src/shared/features/alerts/evaluator/evaluator.ts'
import type { EvaluatorListener } from '../../../../../src/shared/features/alerts/evaluator/listener.ts'
import type { Alert, AlertCondition } from '../../../../../src/shared/features/alerts/types.ts'
import type { Drawing } from '../../../../../src/shared/features/drawings/types.ts'
import { fixedGrid } from '../../../../../src/shared/core/market/bars.ts'
import { msOf } from '../../../../../src/shared/core/market/market.ts'
import { instrumentId, unixMs, type FeedId, type InstrumentId } from '../../../../../src/shared/base/units.ts'

export const BTC = instrumentId('crypto', 'BTC-USD')
/** A whole minute. */
export const T0 = 1_700_000_040_000

let ids = 0
export function alertOf(condition: AlertCondition, more: Partial<Alert> = {}): Alert {
  return {
    ...quietDraft(BTC, condition),
    id: `a${++ids}`,
    market: 'demo',
    createdMs: T0,
    fired: 0,
    firedMs: null,
    firedOf: null,
    done: false,
    ...more,
  }
}

/** A horizontal line with the id `d`. */
export const levelAt = (price: number): Drawing => ({
  id: 'd',
  kind: 'horizontal',
  points: [{ ms: T0, price }],
  style: { color: 'accent', width: 1, dash: 'solid', fill: 0 },
  text: '',
  locked: false,
  hidden: false,
  asOfMs: T0,
})

/** An average of the closes of minutes that falls below the price at the close of one. */
export const smaBelowPrice = (period: number): Extract<AlertCondition, { readonly is: 'indicator' }> => ({
  is: 'indicator',
  of: 'trade',
  interval: '1m',
  line: { id: 'sma', values: [period], price: 'close', output: 0 },
  against: { is: 'price' },
  direction: 'down',
  on: 'close',
})

export interface ReplayState {
  readonly evaluator: Evaluator
  /** What was told, times in ms since T0. */
  readonly told: string[]
  readonly wanted: string[]
  /** Takes what was told so far. */
  take(): string[]
  trade(ms: number, price: number, size?: number, eventMs?: number, symbol?: string, place?: number): void
  quote(ms: number, bid: number, ask: number, eventMs?: number): void
  state(feed: FeedId, is: 'open' | 'stale' | 'waiting' | 'connecting' | 'idle', ms: number): void
}

export function rig(
  alerts: readonly Alert[],
  options: { open?: boolean; before?: number; at?: number } = {},
): ReplayState {
  const told: string[] = []
  const wanted: string[] = []
  const since = (ms: number) => ms - T0
  const listener: EvaluatorListener = {
    fired: ({ atMs, value, before }) => told.push(`fired ${since(atMs)}: ${before ?? '-'} ${+value.toFixed(4)}`),
    rearmed: () => undefined,
    unseen: (_, atMs, value, before) => told.push(`unseen ${since(atMs)}: ${before} ${value}`),
    expired: (_, atMs) => told.push(`expired ${since(atMs)}`),
    suspended: ({ feed, cause, fromMs }, _instruments, count, toMs) =>
      told.push(`blind ${feed} ${cause} ${since(fromMs)}..${toMs === null ? '' : since(toMs)} ×${count}`),
    wantsBars: (_: InstrumentId, of, interval) => wanted.push(`${of} ${interval}`),
    changed: () => undefined,
  }
  const evaluator = new Evaluator({
    listener,
    grid: (_, interval) => fixedGrid(msOf(interval)),
    isOpen: () => options.open ?? true,
    feeds: (asset) =>
      asset === 'forex' ? { trade: null, quote: 'forex/C' } : { trade: 'crypto/XT', quote: 'crypto/XQ' },
    before: options.before === undefined ? null : { cause: 'quit', fromMs: T0 + options.before },
  })
  for (const alert of alerts) evaluator.put(alert)
  return {
    evaluator,
    told,
    wanted,
    take: () => told.splice(0),
    trade(ms, price, size = 1, eventMs = ms, symbol = 'BTC-USD', place = -1) {
      const watch = evaluator.watchOf('crypto/XT', symbol, place)
      if (watch !== null) evaluator.trade(watch, 'crypto/XT', { price, size, eventMs: T0 + eventMs }, T0 + ms)
    },
    quote(ms, bid, ask, eventMs = ms) {
      const watch = evaluator.watchOf('crypto/XQ', 'BTC-USD')
      if (watch !== null) evaluator.quote(watch, 'crypto/XQ', { bid, ask, eventMs: T0 + eventMs }, T0 + ms)
    },
    state(feed, is, ms) {
      const at = unixMs(T0 + ms)
      const why = { code: 'offline' as const, message: '', hint: '', closeCode: null }
      switch (is) {
        case 'open':
          return evaluator.feedState(feed, { is, sinceMs: at }, at)
        case 'stale':
          return evaluator.feedState(feed, { is, sinceMs: unixMs(T0), lastMs: unixMs(at - 5_000) }, at)
        case 'waiting':
          return evaluator.feedState(feed, { is, untilMs: at, attempt: 1, why }, at)
        case 'connecting':
          return evaluator.feedState(feed, { is, attempt: 1 }, at)
        case 'idle':
          return evaluator.feedState(feed, { is }, at)
      }
    },
  }
}
