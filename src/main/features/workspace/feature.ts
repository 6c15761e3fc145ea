/** Workspaces as a feature, and safe mode, which sets aside the saved workspaces and appearance. */
import { chartTemplates } from '../../../shared/features/chart/templates.ts'
import { workspaceSettings } from '../../../shared/features/workspace/settings.ts'
import { WORKSPACE_CALLS, WORKSPACE_STREAMS } from '../../../shared/features/workspace/contract.ts'
import { log } from '../../core/log/feature.ts'
import { settings } from '../../core/settings/feature.ts'
import { live } from '../../core/views/live-feature.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { wholeStreams } from '../../rpc/state-stream.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { desktop } from '../desktop/feature.ts'
import { workspacesFile } from './workspace-file.ts'
import { createSafeMode } from './safe-mode.ts'
import { safeWorkspaces } from './safe.ts'
import { createWorkspaces } from './workspaces.ts'

export const workspace = defineFeature({
  name: 'workspace',
  needs: { settings, log, live, desktop },
  settings: [workspaceSettings, chartTemplates],
  start({ settings, log, live: { status }, desktop }, { dataDir }) {
    const workspaces = safeWorkspaces(
      (file) =>
        createWorkspaces({
          file,
          nowMs: () => Date.now(),
          problem: (text, detail) => log.notice('workspaces', text, detail),
        }),
      workspacesFile(dataDir),
      settings.safe,
    )
    const streams = wholeStreams(() => workspaces.state())
    workspaces.onChange(() => streams.changed())
    const safeMode = createSafeMode({ settings, workspaces, status, log, changed: () => desktop.infoChanged() })
    return {
      service: safeMode,
      responders: [
        ...respond(WORKSPACE_CALLS, {
          'workspaces.put': ({ text, replaces }) => workspaces.put(text, replaces),
          'workspaces.remove': ({ id }) => workspaces.remove(id),
          'workspaces.show': ({ id }) => workspaces.show(id),
          'workspaces.snapshot': ({ id, atMs }) => workspaces.snapshot(id, atMs),
          'desktop.leaveSafeMode': () => safeMode.leaveSafeMode(),
        }),
        ...stream(WORKSPACE_STREAMS, { workspaces: (_args, wake) => streams.open(wake) }),
      ],
    }
  },
})
