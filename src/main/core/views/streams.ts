/** The streams of a market view. Each subscribes to what it shows. */
import type { MARKET_STREAMS } from '../../../shared/core/views/contract.ts'
import type { ArgsOf, ValueOf } from '../../../shared/rpc/contract.ts'
import { hasBars } from '../../../shared/core/market/market.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import { parseInstrument, type InstrumentId } from '../../../shared/base/units.ts'
import { seriesFeed } from '../market/series.ts'
import { gridOf } from '../../../shared/core/market/calendar.ts'
import { eventBarsStream } from '../market/event-bars/stream.ts'
import type { FlowDayFiles } from '../market/flow/flow-day-files.ts'
import { FlowDays } from '../market/flow/flow-days.ts'
import { flowStream } from '../market/flow/flow-stream.ts'
import { quoteMapStream } from '../market/flow/quote-stream.ts'
import { sidedTapeStream } from '../market/flow/sided-tape.ts'
import { barsStream, quotesStream, tapeStream } from '../market/streams.ts'
import type { View, Views } from './views.ts'
import { subscribeAll, tickSymbols, type Feeds, type SymbolsByFeed } from '../feeds/subscriptions.ts'

export interface MarketStreamParts {
  readonly views: Pick<Views, 'get'>
  readonly feeds: Pick<Feeds, 'subscribe'>
  readonly symbolOf: (id: InstrumentId) => string
  /** Where past days of order flow are saved. */
  readonly flowDays: FlowDayFiles
}

type Open<K extends keyof typeof MARKET_STREAMS> = (
  args: ArgsOf<(typeof MARKET_STREAMS)[K]>,
  wake: () => void,
) => StreamSource<ValueOf<(typeof MARKET_STREAMS)[K]>>

export function marketStreams(parts: MarketStreamParts): { readonly [K in keyof typeof MARKET_STREAMS]: Open<K> } {
  const { views, feeds, symbolOf, flowDays } = parts
  /** A stream that reads its instruments' history and, in the live view, subscribes to their feeds while it is open. */
  const wanting = <T>(
    view: View,
    ids: readonly InstrumentId[],
    subscriptions: () => SymbolsByFeed,
    source: StreamSource<T>,
    wake: () => void,
  ): StreamSource<T> => {
    const want = view.live ? subscribeAll(feeds, subscriptions()) : null
    for (const id of ids) view.seeder.seed(id)
    return view.hold(
      {
        take: () => source.take(),
        close() {
          source.close()
          want?.release()
        },
      },
      wake,
    )
  }
  const days = new FlowDays(flowDays)
  return {
    quotes({ view: name, instruments }, wake) {
      const view = views.get(name)
      const source = quotesStream(view.hub, instruments, () => view.wallMs(), wake)
      return wanting(view, instruments, () => tickSymbols(instruments, symbolOf), source, wake)
    },
    bars(args, wake) {
      const { instrument, of, interval } = args
      const view = views.get(args.view)
      const asset = parseInstrument(instrument)?.asset ?? 'stocks'
      const more = of === 'service' && hasBars(of, interval) ? [seriesFeed(asset, of, interval)] : []
      const source = barsStream(view.hub, view.history, args, wake)
      return wanting(view, [instrument], () => tickSymbols([instrument], symbolOf, more), source, wake)
    },
    eventBars({ view: name, instrument, rule }, wake) {
      const view = views.get(name)
      const source = eventBarsStream(view.hub, view.history, { instrument, rule }, () => view.wallMs(), wake)
      return wanting(view, [instrument], () => tickSymbols([instrument], symbolOf), source, wake)
    },
    flow({ view: name, instrument, interval, fromMs, toMs, rows = null }, wake) {
      const view = views.get(name)
      const asset = parseInstrument(instrument)?.asset ?? 'stocks'
      const range = { instrument, grid: interval === null ? null : gridOf(asset, interval), rows, fromMs, toMs }
      const source = flowStream(view.hub, view.history, range, wake, days)
      return wanting(view, [instrument], () => tickSymbols([instrument], symbolOf), source, wake)
    },
    quoteMap({ view: name, instrument, interval, fromMs, toMs, rows }, wake) {
      const view = views.get(name)
      const asset = parseInstrument(instrument)?.asset ?? 'stocks'
      const range = { instrument, grid: gridOf(asset, interval), rows, fromMs, toMs }
      const source = quoteMapStream(view.hub, view.history, range, wake)
      return wanting(view, [instrument], () => tickSymbols([instrument], symbolOf), source, wake)
    },
    tape(args, wake) {
      const view = views.get(args.view)
      const { hub, history } = view
      const source =
        args.sides === true
          ? sidedTapeStream(hub, history, args, () => view.wallMs(), wake)
          : tapeStream(hub, history, args, wake)
      return wanting(view, [args.instrument], () => tickSymbols([args.instrument], symbolOf), source, wake)
    },
  }
}
