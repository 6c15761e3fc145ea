/** Export in the window: its dialog and its command. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { general } from '../../core/window/general.ts'
import { say } from '../../text/catalogue.ts'
import ExportDialog from './ExportDialog.svelte'

export const exporting = defineWindowFeature({
  name: 'export',
  needs: {},
  start: () => ({
    service: null,
    commands: [general('export', say('command.export'), ['Alt+E'], (app) => app.openExport())],
    dialogs: [{ name: 'export', component: ExportDialog }],
  }),
})
