/** The import feature: uploads from windows, and the jobs that import them into the store. */
import { join } from 'node:path'
import { IMPORT_CALLS } from '../../../shared/features/import/contract.ts'
import { jobs } from '../../core/jobs/feature.ts'
import { log } from '../../core/log/feature.ts'
import { store } from '../../core/store/feature.ts'
import { respond } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { desktop } from '../desktop/feature.ts'
import { readIn } from './file-reading.ts'
import { createImports } from './import-jobs.ts'
import { createFiles } from './uploads.ts'

export const importing = defineFeature({
  name: 'import',
  needs: { log, store, jobs, desktop },
  start({ log, store: { reader, writer }, jobs, desktop }, { clock, dataDir, workers }) {
    const files = createFiles(join(dataDir, 'incoming'), clock)
    const imports = createImports({
      files,
      jobs,
      reader,
      reading: readIn(workers.imports),
      library: () => writer.library(),
      ask: (ask) => desktop.ask(ask),
      refused: ({ message, detail }) => log.add('warn', 'import', message, detail),
    })
    return {
      service: imports,
      responders: respond(IMPORT_CALLS, {
        'files.begin': (args) => files.begin(args),
        'files.chunk': (args) => files.chunk(args),
        'files.end': async ({ file }) => void (await files.end(file)),
        'files.drop': ({ file }) => files.drop(file),
        'import.preview': (args) => imports.preview(args),
        'import.start': (args) => imports.start(args),
      }),
      close: () => files.close(),
    }
  },
})
