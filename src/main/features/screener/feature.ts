/** The screener: recorded instruments by their figures, live and in replays, and notices of who enters or leaves. */
import { changeText } from '../../../shared/features/screener/change-text.ts'
import { SCREENER_CALLS, SCREENER_STREAMS } from '../../../shared/features/screener/contract.ts'
import { screenerSettings, type SavedScreen } from '../../../shared/features/screener/screen.ts'
import { unixMs } from '../../../shared/base/units.ts'
import { log } from '../../core/log/feature.ts'
import { settings } from '../../core/settings/feature.ts'
import { store } from '../../core/store/feature.ts'
import { views } from '../../core/views/feature.ts'
import { live } from '../../core/views/live-feature.ts'
import { market } from '../../core/views/market-feature.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { wholeStreams } from '../../rpc/state-stream.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { research } from '../research/feature.ts'
import { Membership } from './membership.ts'
import { OpenScreeners } from './open-screeners.ts'

/** How often saved screens with alerts are evaluated, ms. */
const LOOK_MS = 5_000

export const screener = defineFeature({
  name: 'screener',
  needs: { settings, log, store, live, views, research, market },
  settings: [screenerSettings],
  start({ settings, log, store: { reader }, live, views, research, market }, { clock, host, notify }) {
    const screeners = new OpenScreeners({
      views,
      reader,
      research,
      watchlists: () => settings.get().watchlists,
      settled: () => market.settled(),
      realMs: () => clock.monoNs() / 1e6,
    })
    const membership = new Membership()
    const changes = wholeStreams(() => membership.changes)
    /** Saved screens whose data couldn't be read at the last look. */
    const unread = new Set<string>()
    let lookedMs = -Infinity
    let stopped = false

    const look = (nowMs: number, screens: readonly SavedScreen[]): void => {
      membership.keep(new Set(screens.map(({ id }) => id)))
      if (screens.length === 0 || nowMs - lookedMs < LOOK_MS) return
      lookedMs = nowMs
      const all = screeners.of('live')
      for (const saved of screens) {
        const problem = all.problemOf(saved.screen)
        if (problem !== '' && !unread.has(saved.id))
          log.add('warn', 'screener', `${saved.name}: couldn’t read the data, so changes aren’t reported.`, problem)
        if (problem === '') unread.delete(saved.id)
        else unread.add(saved.id)
        // Members aren't known before everything was read, nor while it can't be.
        const members = all.members(saved.screen)
        if (members === null) continue
        const change = membership.look(saved, members.rows, unixMs(nowMs), members.undecided)
        if (change === null) continue
        const text = changeText(change)
        log.add('info', 'screener', `${saved.name}: ${text}`)
        notify?.({ title: saved.name, body: text })
        changes.changed()
      }
    }
    live.onSweep((nowMs) => {
      if (stopped) return
      const watched = host === 'cli' ? [] : settings.get().screener.screens.filter(({ alerts }) => alerts)
      screeners.sweep(watched.map(({ screen }) => screen))
      look(nowMs, watched)
    })
    live.onSourceChange(() => {
      screeners.forget()
      membership.forget()
    })
    return {
      service: null,
      responders: [
        ...respond(SCREENER_CALLS, { 'screener.read': ({ view, screen }) => screeners.read(view, screen) }),
        ...stream(SCREENER_STREAMS, {
          screener: ({ view, screen, offset, limit }, wake) => screeners.show(view, screen, offset, limit, wake),
          'screener.changes': (_args, wake) => changes.open(wake),
        }),
      ],
      stop() {
        stopped = true
        screeners.close()
      },
    }
  },
})
