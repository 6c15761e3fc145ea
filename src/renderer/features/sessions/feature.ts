/** Recorded sessions in the window: their pane, its command, and the settings of recording. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { general, togglePane } from '../../core/window/general.ts'
import { say } from '../../text/catalogue.ts'
import RecordingSettings from './RecordingSettings.svelte'
import SessionsPane from './SessionsPane.svelte'

export const sessions = defineWindowFeature({
  name: 'sessions',
  needs: {},
  start: () => ({
    service: null,
    panes: [{ kind: 'sessions', component: SessionsPane, sized: true }],
    commands: [general('sessions', say('command.sessions'), ['Alt+S'], togglePane('sessions'))],
    settingsPages: [{ tab: 'recording', component: RecordingSettings }],
  }),
})
