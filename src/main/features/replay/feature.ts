/** The replay feature. Each open replay is a view, and other features can follow its market. */
import { REPLAY_CALLS, REPLAY_STREAMS } from '../../../shared/features/replay/contract.ts'
import { jobs } from '../../core/jobs/feature.ts'
import { hubCalendar } from '../../core/market/hub-calendar.ts'
import { store } from '../../core/store/feature.ts'
import { views } from '../../core/views/feature.ts'
import { live } from '../../core/views/live-feature.ts'
import { market } from '../../core/views/market-feature.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import type { NewCompanion } from './replay-view.ts'
import { createReplays, type Replays } from './replays.ts'

export interface ReplayService extends Replays {
  /** Adds a companion that follows the market of every replay. Call it during startup. */
  accompany(make: NewCompanion): void
}

export const replay = defineFeature({
  name: 'replay',
  needs: { store, jobs, market, live, views },
  start({ store: { reader, writer }, jobs, market, live, views }, { clock }) {
    const companions: NewCompanion[] = []
    const replays = createReplays({
      reader,
      writer,
      clock,
      calendar: hubCalendar,
      nameOf: (id) => market.symbols.nameOf(id),
      storeIsAway: () => jobs.storeIsAway(),
      status: () => live.status.read(),
      failed: market.storeFailed,
      companions,
    })
    views.add((id) => replays.view(id))
    live.onTick(() => replays.tick())
    const service: ReplayService = { ...replays, accompany: (make) => void companions.push(make) }
    return {
      service,
      responders: [
        ...respond(REPLAY_CALLS, {
          'replay.open': (args) => replays.open(args),
          'replay.close': ({ id }) => replays.close(id),
          'replay.play': ({ id, on }) => replays.play(id, on),
          'replay.speed': ({ id, speed }) => replays.speed(id, speed),
          'replay.step': (args) => replays.step(args),
          'replay.seek': ({ id, to }) => replays.seek(id, to),
          'replay.options': (args) => replays.options(args),
          'replay.serve': ({ id, port }) => replays.serve(id, port),
          'replay.stop-serving': ({ id }) => replays.stopServing(id),
          'replay.timeline': (args) => replays.timeline(args),
          'replay.lacks': ({ id, instrument }) => replays.lacks(id, instrument),
          'bookmarks.list': ({ session }) => replays.bookmarks(session),
          'bookmarks.add': (bookmark) => replays.addBookmark(bookmark),
          'bookmarks.remove': ({ bookmark }) => replays.removeBookmark(bookmark),
        }),
        ...stream(REPLAY_STREAMS, {
          replay: (args, wake) => replays.stream(args, wake),
          'replay.served': (args, wake) => replays.served(args, wake),
        }),
      ],
      stop: () => replays.closeAll(),
    }
  },
})
