/** Alerts in the window: the pane, dialogs, commands, and lines on charts. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { replay } from '../replay/feature.ts'
import { alertCommands } from './alert-commands.ts'
import AlertDialogs from './AlertDialogs.svelte'
import { alertHooks } from './alert-hooks.ts'
import ActionSettings from './ActionSettings.svelte'
import AlertLines from './AlertLines.svelte'
import { Alerts } from './alerts.svelte.ts'
import AlertsPane from './AlertsPane.svelte'
import { provideAlerts } from './context.ts'

export interface AlertsService {
  readonly alerts: Alerts
  /** Price alerts as lines over a chart. */
  readonly Lines: typeof AlertLines
}

export const alerts = defineWindowFeature({
  name: 'alerts',
  needs: { replay },
  start({ replay }, app) {
    const hooks = alertHooks(app)
    const all = new Alerts(app.transport, app.toasts, hooks)
    const service: AlertsService = { alerts: all, Lines: AlertLines }
    app.onView((view) => all.follow(view))
    app.onTick((wallMs) => all.tick(wallMs))
    app.wantQuotes(() => all.quoted)
    return {
      service,
      provide: () => provideAlerts({ alerts: all, replay }),
      panes: [{ kind: 'alerts', component: AlertsPane, sized: true }],
      commands: alertCommands(all),
      overlays: [AlertDialogs],
      settingsPages: [{ tab: 'alerts', component: ActionSettings }],
      close() {
        hooks.release()
        all.close()
      },
    }
  },
})
