/** The streams of a terminal: over the hub for the market, whole state for the rest; each wants what it shows. */
import type { JobState } from '../../shared/jobs.ts'
import type { CallBudget } from '../../shared/research.ts'
import type { AccountState, StatusState } from '../../shared/state.ts'
import type { Settings } from '../../shared/settings.ts'
import type { StreamSource } from '../../shared/transport.ts'
import { parseInstrument, type InstrumentId } from '../../shared/units.ts'
import type { Feeds } from '../feeds/port.ts'
import { seriesFeed, type Hub } from '../market/hub.ts'
import { barsStream, quotesStream, tapeStream } from '../market/streams.ts'
import type { Log } from './log.ts'
import type { StoredPast } from './past.ts'
import type { Terminal } from './port.ts'
import type { Replays } from './replays.ts'
import type { Seeder } from './seeder.ts'
import type { WholeStreams } from './whole-stream.ts'
import { tickWishes, wantAll, type Wishes } from './wishes.ts'

export interface StreamParts {
  readonly hub: Hub
  readonly past: StoredPast
  readonly feeds: Pick<Feeds, 'want'>
  readonly seeder: Seeder
  readonly spell: (id: InstrumentId) => string
  readonly wallMs: () => number
  readonly log: Log
  readonly status: WholeStreams<StatusState>
  readonly account: WholeStreams<AccountState>
  readonly settings: WholeStreams<Settings>
  readonly jobs: WholeStreams<readonly JobState[]>
  readonly research: WholeStreams<CallBudget>
  readonly replays: Pick<Replays, 'stream'>
}

/** The opener of each stream of the contract. */
export function createStreams(parts: StreamParts): Terminal['streams'] {
  const { hub, past, feeds, seeder, spell, wallMs, log } = parts
  /** A stream that also wants its instruments' feeds, and their past, while it is open. */
  const wanting = <T>(ids: readonly InstrumentId[], wishes: Wishes, source: StreamSource<T>): StreamSource<T> => {
    const want = wantAll(feeds, wishes)
    for (const id of ids) seeder.seed(id)
    return {
      take: () => source.take(),
      close() {
        source.close()
        want.release()
      },
    }
  }
  return {
    quotes: ({ instruments }, wake) =>
      wanting(instruments, tickWishes(instruments, spell), quotesStream(hub, instruments, wallMs, wake)),
    bars(args, wake) {
      const { instrument, of, interval } = args
      const asset = parseInstrument(instrument)?.asset ?? 'stocks'
      const more = of === 'service' ? [seriesFeed(asset, of, interval)] : []
      return wanting([instrument], tickWishes([instrument], spell, more), barsStream(hub, past, args, wake))
    },
    tape: (args, wake) =>
      wanting([args.instrument], tickWishes([args.instrument], spell), tapeStream(hub, past, args, wake)),
    status: (_args, wake) => parts.status.open(wake),
    log: (_args, wake) => log.stream(wake),
    account: (_args, wake) => parts.account.open(wake),
    settings: (_args, wake) => parts.settings.open(wake),
    jobs: (_args, wake) => parts.jobs.open(wake),
    research: (_args, wake) => parts.research.open(wake),
    replay: (args, wake) => parts.replays.stream(args, wake),
  }
}
