/** The import feature of a window: dialog, command and file drop. */
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
