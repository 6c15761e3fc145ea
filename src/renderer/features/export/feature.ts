/** The export feature of a window: dialog and command. */
import { exportSettings } from '../../../shared/features/export/settings.ts'
import { defineWindowFeature } from '../../core/window/feature.ts'
import ExportDialog from './ExportDialog.svelte'
import { EXPORT_COMMANDS } from './export-commands.ts'

export const exporting = defineWindowFeature({
  name: 'export',
  needs: {},
  settings: [exportSettings],
  start: () => ({
    service: null,
    commands: EXPORT_COMMANDS,
    dialogs: [{ name: 'export', component: ExportDialog }],
  }),
})
