/** The window's own contributions: general commands and the log. */
import { defineWindowFeature } from '../window/feature.ts'
import { GENERAL_COMMANDS } from '../window/general.ts'
import LogPane from '../log/LogPane.svelte'

export const frame = defineWindowFeature({
  name: 'frame',
  needs: {},
  start: () => ({
    service: null,
    panes: [{ kind: 'log', component: LogPane, sized: true }],
    commands: GENERAL_COMMANDS,
  }),
})
