/** Time and sales in the window: its pane and its commands. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import DockedTape from './DockedTape.svelte'
import { TAPE_COMMANDS } from './tape-commands.ts'

export const tape = defineWindowFeature({
  name: 'tape',
  needs: {},
  start: () => ({
    service: null,
    panes: [{ kind: 'tape', component: DockedTape }],
    commands: TAPE_COMMANDS,
  }),
})
