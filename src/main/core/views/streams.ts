/** The streams of a terminal: over the hub for the market, whole state for the rest; each wants what it shows. */
import { hasBars } from '../../../shared/core/market/market.ts'
import type { JobState } from '../../../shared/core/jobs/jobs.ts'
import type { CallBudget } from '../../../shared/features/research/research.ts'
import type { AccountState, AppInfo } from '../../../shared/core/status/status.ts'
import type { Settings } from '../../../shared/core/settings/settings.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import type { UpdateState } from '../../../shared/features/updates/updates.ts'
import { parseInstrument, type InstrumentId } from '../../../shared/base/units.ts'
import type { Alerts } from '../../features/alerts/port.ts'
import type { Feeds } from '../feeds/subscriptions.ts'
import { seriesFeed } from '../market/series.ts'
import { barsStream, quotesStream, tapeStream } from '../market/streams.ts'
import type { OpenDrawings } from '../../features/drawings/streams.ts'
import type { WorkspacesState } from '../../../shared/features/workspace/contract.ts'
import type { Desk } from '../../features/desktop/host-bridge.ts'
import type { Log } from '../log/log.ts'
import type { Terminal } from '../../terminal/terminal-api.ts'
import type { Replays } from '../../features/replay/replays.ts'
import type { View, Views } from './views.ts'
import type { WholeStreams } from '../../rpc/state-stream.ts'
import { tickSymbols, subscribeAll, type SymbolsByFeed } from '../feeds/subscriptions.ts'

export interface StreamParts {
  readonly views: Views
  readonly feeds: Pick<Feeds, 'subscribe'>
  readonly spell: (id: InstrumentId) => string
  readonly log: Log
  readonly account: WholeStreams<AccountState>
  readonly settings: WholeStreams<Settings>
  readonly jobs: WholeStreams<readonly JobState[]>
  readonly asks: Desk['streams']
  readonly info: WholeStreams<AppInfo>
  readonly updates: WholeStreams<UpdateState>
  readonly research: WholeStreams<CallBudget>
  readonly drawings: OpenDrawings
  readonly workspaces: WholeStreams<WorkspacesState>
  readonly replays: Pick<Replays, 'stream' | 'alerts'>
  readonly alerts: Pick<Alerts, 'stream'>
}

/** The opener of each stream of the contract. */
export function createStreams(parts: StreamParts): Terminal['streams'] {
  const { views, feeds, spell, log } = parts
  /** A stream that also wants its instruments' past, and where they are received now their feeds, while it is open. */
  const wanting = <T>(
    view: View,
    ids: readonly InstrumentId[],
    wishes: () => SymbolsByFeed,
    source: StreamSource<T>,
    wake: () => void,
  ): StreamSource<T> => {
    const want = view.live ? subscribeAll(feeds, wishes()) : null
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
      return wanting(view, instruments, () => tickSymbols(instruments, spell), source, wake)
    },
    bars(args, wake) {
      const { instrument, of, interval } = args
      const view = views.get(args.view)
      const asset = parseInstrument(instrument)?.asset ?? 'stocks'
      const more = of === 'service' && hasBars(of, interval) ? [seriesFeed(asset, of, interval)] : []
      const source = barsStream(view.hub, view.past, args, wake)
      return wanting(view, [instrument], () => tickSymbols([instrument], spell, more), source, wake)
    },
    tape(args, wake) {
      const view = views.get(args.view)
      const source = tapeStream(view.hub, view.past, args, wake)
      return wanting(view, [args.instrument], () => tickSymbols([args.instrument], spell), source, wake)
    },
    status({ view: name }, wake) {
      const view = views.get(name)
      return view.hold(view.status.open(wake), wake)
    },
    log: (_args, wake) => log.stream(wake),
    account: (_args, wake) => parts.account.open(wake),
    settings: (_args, wake) => parts.settings.open(wake),
    jobs: (_args, wake) => parts.jobs.open(wake),
    'desk.asks': (_args, wake) => parts.asks(wake),
    'desk.info': (_args, wake) => parts.info.open(wake),
    updates: (_args, wake) => parts.updates.open(wake),
    research: (_args, wake) => parts.research.open(wake),
    drawings: (args, wake) => parts.drawings(args, wake),
    alerts: ({ view }, wake) => (view === 'live' ? parts.alerts.stream(wake) : parts.replays.alerts(view, wake)),
    workspaces: (_args, wake) => parts.workspaces.open(wake),
    replay: (args, wake) => parts.replays.stream(args, wake),
  }
}
