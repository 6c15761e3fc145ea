/** Import in the window: its dialog, its command, and files dropped on the window. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import FileDrop from './FileDrop.svelte'
import ImportDialog from './ImportDialog.svelte'
import { IMPORT_COMMANDS } from './import-commands.ts'

export const importing = defineWindowFeature({
  name: 'import',
  needs: {},
  start: () => ({
    service: null,
    commands: IMPORT_COMMANDS,
    dialogs: [{ name: 'import', component: ImportDialog }],
    overlays: [FileDrop],
  }),
})
