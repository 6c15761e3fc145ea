/** Views of the market: the live one and one per replay. Every call and stream of the market names one. */
import type { ArgsOf } from '../../../shared/rpc/contract.ts'
import type { MARKET_CALLS } from '../../../shared/core/views/contract.ts'
import type { BarsPage } from '../../../shared/core/views/contract.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { StatusState } from '../../../shared/core/status/status.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import { parseInstrument } from '../../../shared/base/units.ts'
import type { Hub } from '../market/hub-types.ts'
import { seriesFeed } from '../market/series.ts'
import type { SeqLimits } from '../store/types/bars.ts'
import type { StoreReader } from '../store/types/reader.ts'
import { gapsUpTo, type ViewHistory } from './history.ts'
import type { Seeder } from './seeder.ts'
import type { WholeStreams } from '../../rpc/state-stream.ts'

export interface View {
  /** Whether this is the live view, the only one that subscribes to feeds. */
  readonly live: boolean
  readonly hub: Hub
  readonly history: ViewHistory
  readonly seeder: Seeder
  readonly status: WholeStreams<StatusState>
  /** Its clock, UTC ms. */
  wallMs(): number
  /** `sourceKey` of what it shows. */
  source(): string
  /** The last visible entry of each session that may have more (`BarQuery.upTo`); undefined: everything is visible. */
  upTo(): SeqLimits | undefined
  /** Wraps a stream so that it ends with the view. */
  hold<T>(source: StreamSource<T>, wake: () => void): StreamSource<T>
}

export interface Views {
  /** Adds views by id: `find` returns undefined for an unknown id. */
  add(find: (id: string) => View | undefined): void
  /** Throws `not-found` if there is no such view. */
  get(view: string): View
}

export function createViews(live: View): Views {
  const finders: ((id: string) => View | undefined)[] = []
  return {
    add: (find) => void finders.push(find),
    get(view) {
      if (view === 'live') return live
      for (const find of finders) {
        const found = find(view)
        if (found !== undefined) return found
      }
      throw new CodedError('not-found', `There is no view "${view.slice(0, 64)}".`, {
        hint: 'The replay was closed. Open the session again, or go back to live.',
      })
    },
  }
}

/** A page of stored bars as a view sees them. */
export async function barsPage(
  reader: Pick<StoreReader, 'bars'>,
  view: View,
  { instrument, of, interval, beforeMs, afterMs, limit }: Omit<ArgsOf<(typeof MARKET_CALLS)['bars.history']>, 'view'>,
): Promise<BarsPage> {
  const query = {
    instrument,
    of,
    interval,
    source: view.source(),
    beforeMs,
    afterMs,
    limit,
    upTo: view.upTo(),
  }
  const { bars, more, gaps: unreadable } = await reader.bars({ ...query, skipCorrupt: true })
  const asset = parseInstrument(instrument)?.asset ?? 'stocks'
  const first = bars.at(0)
  const last = bars.at(-1)
  const feed = seriesFeed(asset, of, interval)
  const fromMs = afterMs ?? first?.startMs
  const endMs = (afterMs !== undefined && more ? last?.endMs : beforeMs) ?? view.wallMs()
  const gaps = first === undefined ? [] : await view.history.gaps(feed, instrument, fromMs ?? first.startMs, endMs)
  const all = [...gaps, ...gapsUpTo(unreadable, view.wallMs())]
  return { bars, gaps: all, decimals: view.hub.cell(instrument).decimals, more }
}
