/** Workspaces in the window: their menu in the top bar and their commands. */
import { workspaceSettings } from '../../../shared/features/workspace/settings.ts'
import { defineWindowFeature } from '../../core/window/feature.ts'
import { DOCK_COMMANDS } from './dock-commands.ts'
import WorkspaceMenu from './WorkspaceMenu.svelte'

export const workspace = defineWindowFeature({
  name: 'workspace',
  needs: {},
  settings: [workspaceSettings],
  start: () => ({
    service: null,
    commands: DOCK_COMMANDS,
    topItems: [WorkspaceMenu],
  }),
})
