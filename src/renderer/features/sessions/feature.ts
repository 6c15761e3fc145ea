/** The sessions feature of a window: pane, command and recording settings. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { replay } from '../replay/feature.ts'
import { evidence } from '../evidence/feature.ts'
import { provideSessions, type Below } from './context.ts'
import RecordingSettings from './RecordingSettings.svelte'
import SessionsPane from './SessionsPane.svelte'
import { SESSION_COMMANDS } from './session-commands.ts'

export const sessions = defineWindowFeature({
  name: 'sessions',
  needs: { evidence, replay },
  start(services) {
    const below: Below[] = []
    return {
      /** Adds a component below the list. Call it during startup. */
      service: { addBelow: (component: Below) => void below.push(component) },
      provide: () => provideSessions({ ...services, below }),
      panes: [{ kind: 'sessions', component: SessionsPane, sized: true }],
      commands: SESSION_COMMANDS,
      settingsPages: [{ tab: 'recording', component: RecordingSettings }],
    }
  },
})
