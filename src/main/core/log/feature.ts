/** The log as a feature, with every secret that this process has used redacted. */
import { join } from 'node:path'
import { LOG_STREAMS } from '../../../shared/core/status/contract.ts'
import { createKnownSecrets, type KnownSecrets } from '../../base/known-secrets.ts'
import { stream } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { createLog, fileSink, type Log, type LogSink } from './log.ts'

export interface LogService extends Log {
  /** Redacted from every line. */
  readonly secrets: KnownSecrets
}

export const log = defineFeature({
  name: 'log',
  needs: {},
  start(_services, { clock, dataDir, logLevel = 'info', notes = [], onLog }) {
    const secrets = createKnownSecrets()
    const file = fileSink(join(dataDir, 'logs', 'tapedeck.log'))
    const sink: LogSink = {
      write(line, entry, facts) {
        file.write(line, entry, facts)
        onLog?.(entry, facts)
      },
    }
    const log = createLog(
      () => clock.wallMs(),
      logLevel,
      sink,
      () => secrets.variants(),
    )
    for (const sentence of notes) log.add('warn', 'store', sentence)
    const service: LogService = { ...log, secrets }
    return {
      service,
      responders: stream(LOG_STREAMS, { log: (_args, wake) => log.stream(wake) }),
      close: () => log.add('info', 'terminal', 'Closed.'),
    }
  },
})
