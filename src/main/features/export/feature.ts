/** The export feature. */
import { exportSettings } from '../../../shared/features/export/settings.ts'
import { EXPORT_CALLS } from '../../../shared/features/export/contract.ts'
import { jobs } from '../../core/jobs/feature.ts'
import { store } from '../../core/store/feature.ts'
import { respond } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { createStreamFile } from '../../base/file-sink.ts'
import { userHome } from '../../base/user-home.ts'
import type { ExportRequest } from '../../../shared/features/export/export.ts'
import { createExports, type Exports } from './export-jobs.ts'
import { runExport } from './run.ts'

export interface ExportService extends Exports {
  /** Writes an export that isn't split to a stream, without a manifest. Rejects as `runExport`. */
  stream(request: ExportRequest, write: (bytes: Uint8Array) => Promise<void>, signal: AbortSignal): Promise<void>
}

export const exporting = defineFeature({
  name: 'export',
  needs: { store, jobs },
  settings: [exportSettings],
  start({ store: { reader }, jobs }, { userFolder, dataDir, chooseFolder }) {
    const exports = createExports({ reader, jobs, home: userFolder ?? userHome(), dataDir, chooseFolder })
    const service: ExportService = {
      ...exports,
      async stream(request, write, signal) {
        await runExport(reader, request, '-', { stream: createStreamFile(write), signal })
      },
    }
    return {
      service,
      responders: respond(EXPORT_CALLS, {
        'export.defaults': () => exports.defaults(),
        'export.choose': ({ folder }) => exports.choose(folder),
        'export.estimate': (args) => exports.estimate(args),
        'export.start': (args) => exports.start(args),
      }),
    }
  },
})
