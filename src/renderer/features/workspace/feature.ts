/** The workspace feature of a window: the menu in the top bar and the commands. */
import { workspaceSettings } from '../../../shared/features/workspace/settings.ts'
import { defineWindowFeature } from '../../core/window/feature.ts'
import { provideDock } from './context.ts'
import { dockCommands } from './dock-commands.ts'
import { DockState } from './dock.svelte.ts'
import WorkspaceMenu from './WorkspaceMenu.svelte'

export const workspace = defineWindowFeature({
  name: 'workspace',
  needs: {},
  settings: [workspaceSettings],
  start(_services, app) {
    const dock = new DockState(app)
    app.layout = dock
    return {
      service: dock,
      provide: () => provideDock(dock),
      commands: dockCommands(dock),
      topItems: [WorkspaceMenu],
      save: () => dock.flush(),
      close: () => dock.dispose(),
    }
  },
})
