/** The sample session as a feature: on the first start, adds a few hours of the demo market. */
import { join } from 'node:path'
import { toFailure } from '../../../shared/base/errors.ts'
import { countText } from '../../../shared/base/count-text.ts'
import { account } from '../../core/account/feature.ts'
import { log } from '../../core/log/feature.ts'
import { settings } from '../../core/settings/feature.ts'
import { store } from '../../core/store/feature.ts'
import { newSessionId } from '../../core/store/types/session-id.ts'
import { live } from '../../core/views/live-feature.ts'
import { market } from '../../core/views/market-feature.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { createSampleOffer, pendingSampleFile } from './sample-offer.ts'
import { readHistoryIn } from './sample-session.ts'

export const sample = defineFeature({
  name: 'sample',
  needs: { settings, log, store, account, market, live },
  start({ settings, log, store: { reader, writer }, account: { source: control }, market, live }, host) {
    const service = createSampleOffer({
      isAllowed: host.sample === true && host.storeFile === undefined,
      isFirstStart: settings.isFirstRun,
      isDemo: () => control.source.kind === 'demo',
      pending: pendingSampleFile(join(host.dataDir, 'sample-session.pending')),
      reader,
      library: () => writer.library(),
      read: readHistoryIn(host.workers.simulator, host.demoData),
      newId: newSessionId,
      symbols: () => settings.get().watchlists[0].symbols,
      seed: host.demoSeed,
      wallMs: () => host.clock.wallMs(),
      adding(isAdding) {
        live.status.historyComing(isAdding)
        live.statusStreams.changed()
      },
      added(messages, notice) {
        const count = countText(messages, 'message')
        log.add('info', 'sessions', `The sample session of the demo market was added: ${count}.`)
        live.status.say(notice)
        live.status.historyAdded()
        market.seeder.forget()
        live.statusStreams.changed()
      },
      failed: (thrown) =>
        log.add('warn', 'sessions', 'The sample session couldn’t be added.', toFailure(thrown).message),
    })
    // Sessions of one source must be in the store in chronological order.
    live.beforeRecording(() => service.offer())
    return { service, stop: () => service.close() }
  },
})
