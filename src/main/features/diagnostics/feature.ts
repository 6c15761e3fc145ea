/** Diagnostics as a feature: the report for support, and crash reports. */
import { DIAGNOSTIC_CALLS } from '../../../shared/features/diagnostics/contract.ts'
import { log } from '../../core/log/feature.ts'
import { settings } from '../../core/settings/feature.ts'
import { live } from '../../core/views/live-feature.ts'
import { respond } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { desktop } from '../desktop/feature.ts'
import { createDiagnosing } from './diagnostics.ts'

export const diagnostics = defineFeature({
  name: 'diagnostics',
  needs: { settings, log, live, desktop },
  start({ settings, log, live: { status }, desktop }, { clock, dataDir }) {
    const service = createDiagnosing({
      dataDir,
      wallMs: () => clock.wallMs(),
      info: () => desktop.info(),
      settings: () => settings.get(),
      status: () => status.read(),
      log,
      known: () => log.secrets.variants(),
    })
    return {
      service,
      responders: respond(DIAGNOSTIC_CALLS, { 'diagnostics.read': ({ symbols }) => service.diagnostics(symbols) }),
    }
  },
})
