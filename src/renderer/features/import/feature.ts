/** Import in the window: its dialog, its command, and files dropped on the window. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { general } from '../../core/window/general.ts'
import { say } from '../../text/catalogue.ts'
import FileDrop from './FileDrop.svelte'
import ImportDialog from './ImportDialog.svelte'

export const importing = defineWindowFeature({
  name: 'import',
  needs: {},
  start: () => ({
    service: null,
    commands: [general('import', say('command.import'), ['Alt+I'], (app) => app.openImport())],
    dialogs: [{ name: 'import', component: ImportDialog }],
    overlays: [FileDrop],
  }),
})
