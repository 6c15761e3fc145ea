/** The sessions feature of a window: pane, command and recording settings. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { replay } from '../replay/feature.ts'
import { evidence } from '../evidence/feature.ts'
import { provideSessions } from './context.ts'
import RecordingSettings from './RecordingSettings.svelte'
import SessionsPane from './SessionsPane.svelte'
import { SESSION_COMMANDS } from './session-commands.ts'

export const sessions = defineWindowFeature({
  name: 'sessions',
  needs: { evidence, replay },
  start: (services) => ({
    service: null,
    provide: () => provideSessions(services),
    panes: [{ kind: 'sessions', component: SessionsPane, sized: true }],
    commands: SESSION_COMMANDS,
    settingsPages: [{ tab: 'recording', component: RecordingSettings }],
  }),
})
