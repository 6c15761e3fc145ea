/** The export feature. */
import { exportSettings } from '../../../shared/features/export/settings.ts'
import { homedir } from 'node:os'
import { EXPORT_CALLS } from '../../../shared/features/export/contract.ts'
import { jobs } from '../../core/jobs/feature.ts'
import { store } from '../../core/store/feature.ts'
import { respond } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { createExports } from './export-jobs.ts'

export const exporting = defineFeature({
  name: 'export',
  needs: { store, jobs },
  settings: [exportSettings],
  start({ store: { reader }, jobs }, { userFolder, chooseFolder }) {
    const exports = createExports({ reader, jobs, home: userFolder ?? homedir(), chooseFolder })
    return {
      service: exports,
      responders: respond(EXPORT_CALLS, {
        'export.defaults': () => exports.defaults(),
        'export.choose': ({ folder }) => exports.choose(folder),
        'export.estimate': (args) => exports.estimate(args),
        'export.start': (args) => exports.start(args),
      }),
    }
  },
})
