/** Alerts in the window: their pane, their dialogs and their commands. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { ALERT_COMMANDS } from './alert-commands.ts'
import AlertDialogs from './AlertDialogs.svelte'
import AlertsPane from './AlertsPane.svelte'

export const alerts = defineWindowFeature({
  name: 'alerts',
  needs: {},
  start: () => ({
    service: null,
    panes: [{ kind: 'alerts', component: AlertsPane, sized: true }],
    commands: ALERT_COMMANDS,
    overlays: [AlertDialogs],
  }),
})
