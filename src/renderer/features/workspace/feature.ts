/** Workspaces in the window: their menu in the top bar and their commands. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { DOCK_COMMANDS } from './dock-commands.ts'
import WorkspaceMenu from './WorkspaceMenu.svelte'

export const workspace = defineWindowFeature({
  name: 'workspace',
  needs: {},
  start: () => ({
    service: null,
    commands: DOCK_COMMANDS,
    topItems: [WorkspaceMenu],
  }),
})
