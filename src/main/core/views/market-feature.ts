/** The live market as a feature: its hub, the symbols of instruments, and the stored history. */
import { sourceKey } from '../../../shared/core/recording/session.ts'
import { toFailure } from '../../../shared/base/errors.ts'
import type { FeedState } from '../../../shared/core/status/status.ts'
import type { FeedId, InstrumentId, SessionId } from '../../../shared/base/units.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { account } from '../account/feature.ts'
import { log } from '../log/feature.ts'
import { createDigestFold, type DigestFold } from '../market/digest.ts'
import { hubCalendar } from '../market/hub-calendar.ts'
import type { Hub } from '../market/hub-types.ts'
import { createHub } from '../market/hub.ts'
import { guessAssets, guessSymbol } from '../market/instruments.ts'
import { recording } from '../recording/feature.ts'
import { settings } from '../settings/feature.ts'
import { store } from '../store/feature.ts'
import type { SeqLimits } from '../store/types/bars.ts'
import { createViewHistory, type ViewHistory } from './history.ts'
import { createSeeder, type Seeder } from './seeder.ts'
import { createSymbols, type Symbols } from './symbols.ts'

export interface MarketService {
  readonly hub: Hub
  readonly fold: DigestFold
  readonly symbols: Symbols
  readonly history: ViewHistory
  readonly seeder: Seeder
  /** The symbol that the service uses for an instrument. */
  readonly symbolOf: (id: InstrumentId) => string
  /** Shows what other machines record; null: only what this one does. */
  readonly follow: (followed: FollowedMarket | null) => void
  /** Resolves when the store has everything that the hub has, or after a short time limit. */
  readonly settled: () => Promise<void>
  /** Logs a read that the store failed. */
  readonly storeFailed: (what: string, thrown: unknown) => void
}

/** A market that other machines record, and that enters the hub once the store has it. */
export interface FollowedMarket {
  /** The sessions that the hub continues, each with the last seq that the hub has. */
  present(): SeqLimits
  /** The state of a feed for one instrument; undefined: that of the feed. */
  stateOf(feed: FeedId, id: InstrumentId): FeedState | undefined
}

export const market = defineFeature({
  name: 'market',
  needs: { settings, log, store, account, recording },
  start(
    { settings, log, store: { reader }, account: { source: control }, recording: { recorder, commits } },
    { clock },
  ) {
    let followed: FollowedMarket | null = null
    const hub = createHub({
      calendar: hubCalendar,
      nameOf: (id) => symbols.nameOf(id),
      stateOf: (feed, id) => followed?.stateOf(feed, id),
    })
    const symbols = createSymbols({
      settings: () => settings.get(),
      seen: () => hub.cells(),
      alias: (id) => {
        const cell = hub.find(id)
        return cell?.isSymbolConfirmed ? cell.symbol : undefined
      },
      guessSymbol,
      guessAssets,
      demo: () => control.source.kind === 'demo',
    })
    const storeFailed = (what: string, thrown: unknown): void => {
      if (reader.failing) return
      log.add('warn', 'store', `Couldn’t read the history of ${what}.`, toFailure(thrown).message)
    }
    const present = (): SeqLimits => {
      const { session } = recorder
      const own = session === null ? [] : [[session, hub.lastSeq] as const]
      return new Map([...own, ...(followed?.present() ?? [])])
    }
    const committed = async (now: SeqLimits): Promise<boolean> => {
      const { session } = recorder
      const seq = session === null ? undefined : now.get(session)
      return seq === undefined || commits.upTo(seq)
    }
    const counted = new Set<SessionId>()
    hub.onReset(() => counted.clear())
    recorder.onEvent((event) => {
      if (event.is === 'began') counted.add(event.session)
    })
    const history = createViewHistory({
      reader,
      source: () => sourceKey(control.source),
      present,
      committed,
      counted: () => (followed === null ? counted : null),
      wallMs: () => clock.wallMs(),
      days: (asset) => hubCalendar.days(asset),
      failed: storeFailed,
    })
    const service: MarketService = {
      hub,
      fold: createDigestFold(),
      symbols,
      history,
      seeder: createSeeder(hub, history),
      symbolOf: (id) => symbols.symbolOf(id),
      follow: (market) => void (followed = market),
      settled: async () => void (await committed(present())),
      storeFailed,
    }
    return { service }
  },
})
