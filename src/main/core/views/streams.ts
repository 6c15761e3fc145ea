/** The streams of a market view. Each subscribes to what it shows. */
import type { MARKET_STREAMS } from '../../../shared/core/views/contract.ts'
import type { ArgsOf, ValueOf } from '../../../shared/rpc/contract.ts'
import { hasBars } from '../../../shared/core/market/market.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import { parseInstrument, type InstrumentId } from '../../../shared/base/units.ts'
import { seriesFeed } from '../market/series.ts'
import { barsStream, quotesStream, tapeStream } from '../market/streams.ts'
import type { View, Views } from './views.ts'
import { subscribeAll, tickSymbols, type Feeds, type SymbolsByFeed } from '../feeds/subscriptions.ts'

export interface MarketStreamParts {
  readonly views: Pick<Views, 'get'>
  readonly feeds: Pick<Feeds, 'subscribe'>
  readonly symbolOf: (id: InstrumentId) => string
}

type Open<K extends keyof typeof MARKET_STREAMS> = (
  args: ArgsOf<(typeof MARKET_STREAMS)[K]>,
  wake: () => void,
) => StreamSource<ValueOf<(typeof MARKET_STREAMS)[K]>>

/** Opens the streams of a view's market. */
export function marketStreams(parts: MarketStreamParts): { readonly [K in keyof typeof MARKET_STREAMS]: Open<K> } {
  const { views, feeds, symbolOf: symbolOf } = parts
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
    tape(args, wake) {
      const view = views.get(args.view)
      const source = tapeStream(view.hub, view.history, args, wake)
      return wanting(view, [args.instrument], () => tickSymbols([args.instrument], symbolOf), source, wake)
    },
  }
}
