/** Recorded sessions as a feature: the list, verification, labels, the bin, sessions as files. */
import { sessionId } from '../../../shared/base/units.ts'
import { LIBRARY_CALLS } from '../../../shared/features/sessions/contract.ts'
import { jobs } from '../../core/jobs/feature.ts'
import { log } from '../../core/log/feature.ts'
import { openFlowDays } from '../../core/market/flow/flow-day-files.ts'
import { settings } from '../../core/settings/feature.ts'
import { readHolds } from '../../core/store/library/holds.ts'
import { store } from '../../core/store/feature.ts'
import { respond } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { createSessionLibrary } from './library.ts'

export const sessions = defineFeature({
  name: 'sessions',
  needs: { settings, log, store, jobs },
  start({ settings, log, store: { reader, writer, place }, jobs }, { clock, version, dataDir }) {
    const library = createSessionLibrary({
      reader,
      library: () => writer.library(),
      jobs,
      clock,
      rules: () => settings.get().recording,
      held: () => new Set(readHolds(place.file()).keys()),
      log: (level, from, text, detail) => log.add(level, from, text, detail),
      version,
      dataDir,
      flowDays: openFlowDays(dataDir),
    })
    return {
      service: library,
      responders: respond(LIBRARY_CALLS, {
        'sessions.list': () => reader.sessions(true),
        'sessions.verify': ({ session }) => reader.verify(session === null ? null : sessionId(session)),
        'sessions.annotate': (args) => library.annotate(args),
        'sessions.bin': (args) => library.bin(args),
        'sessions.erase': (args) => library.erase(args),
        'sessions.compact': () => library.compact(),
        'sessions.package': (args) => library.package(args),
      }),
      stop: () => library.close(),
    }
  },
})
