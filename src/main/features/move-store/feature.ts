/** Moving the store as a feature. */
import { MOVE_CALLS } from '../../../shared/features/move-store/contract.ts'
import { jobs } from '../../core/jobs/feature.ts'
import { log } from '../../core/log/feature.ts'
import { settings } from '../../core/settings/feature.ts'
import { defaultStorePath } from '../../core/settings/paths.ts'
import { store } from '../../core/store/feature.ts'
import { live } from '../../core/views/live-feature.ts'
import { respond } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { replay } from '../replay/feature.ts'
import { createStoreMoving } from './move-job.ts'

export const moveStore = defineFeature({
  name: 'move-store',
  needs: { settings, log, store, jobs, live, replay },
  start({ settings, log, store, jobs, live, replay }, { dataDir, storeFile, portable, freeBytes }) {
    const { place, reader, writer } = store
    const fixed = (): string | null => {
      if (storeFile !== undefined) return 'This store was chosen when Tapedeck started, so it can’t be moved here.'
      return portable === true ? 'In portable mode the store stays in the portable folder.' : null
    }
    const service = createStoreMoving({
      place,
      dataDir,
      jobs,
      reader,
      writer,
      recorderControl: live.recorderControl,
      replays: () => replay.count(),
      fixed,
      keep: (file) => settings.set({ recording: { storePath: file === defaultStorePath(dataDir) ? '' : file } }),
      changed: () => live.statusStreams.changed(),
      log: (level, from, text, detail) => log.add(level, from, text, detail),
      free: freeBytes,
    })
    store.onClosed(() => service.close())
    return { service, responders: respond(MOVE_CALLS, { 'store.move': ({ folder }) => service.move(folder) }) }
  },
})
