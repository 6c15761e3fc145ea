/** Views of the market as a feature: the live view, and those that other features add. */
import { sourceKey } from '../../../shared/core/recording/session.ts'
import { STATUS_STREAMS } from '../../../shared/core/status/contract.ts'
import { MARKET_CALLS, MARKET_STREAMS } from '../../../shared/core/views/contract.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { account } from '../account/feature.ts'
import { openFlowDays } from '../market/flow/flow-day-files.ts'
import { readLargeTrades } from '../market/flow/large-trades.ts'
import { store } from '../store/feature.ts'
import { eventBarsPage } from './event-bars-page.ts'
import { live } from './live-feature.ts'
import { market } from './market-feature.ts'
import { marketStreams } from './streams.ts'
import { barsPage, createViews } from './views.ts'

export const views = defineFeature({
  name: 'views',
  needs: { store, account, market, live },
  start(
    { store: { reader }, account: { source: control }, market, live: { feeds, statusStreams } },
    { clock, dataDir },
  ) {
    const views = createViews({
      live: true,
      hub: market.hub,
      history: market.history,
      seeder: market.seeder,
      status: statusStreams,
      wallMs: () => clock.wallMs(),
      source: () => sourceKey(control.source),
      upTo: () => undefined,
      hold: (source) => source,
    })
    const streams = marketStreams({ views, feeds, symbolOf: market.symbolOf, flowDays: openFlowDays(dataDir) })
    return {
      service: views,
      responders: [
        ...respond(MARKET_CALLS, {
          'symbols.resolve': ({ symbols }) => market.symbols.resolve(symbols),
          'symbols.search': ({ query, limit }) => market.symbols.search(query, limit ?? 50),
          'bars.history': (args) => barsPage(reader, views.get(args.view), args),
          'bars.events': (args) => eventBarsPage(reader, views.get(args.view), args),
          'tape.history': ({ view, instrument, before, limit }) =>
            views.get(view).history.printsBefore(instrument, before, limit),
          'tape.large': ({ view: name, instrument }) => {
            const view = views.get(name)
            return readLargeTrades(view.history, instrument, view.wallMs())
          },
        }),
        ...stream(MARKET_STREAMS, streams),
        ...stream(STATUS_STREAMS, {
          status({ view: name }, wake) {
            const view = views.get(name)
            return view.hold(view.status.open(wake), wake)
          },
        }),
      ],
    }
  },
})
