/** The team feature of a window: pane, settings page, status bar item, and the sessions of the team's history. */
import { keepStream } from '../../rpc/follow-stream.ts'
import { defineWindowFeature } from '../../core/window/feature.ts'
import { teamSettings } from '../../../shared/features/team/settings.ts'
import { sessions } from '../sessions/feature.ts'
import { provideTeam } from './context.ts'
import { TEAM_COMMANDS } from './team-commands.ts'
import HistorySessions from './HistorySessions.svelte'
import { TeamView } from './team-view.svelte.ts'
import TeamPane from './TeamPane.svelte'
import TeamSettings from './TeamSettings.svelte'
import TeamStatus from './TeamStatus.svelte'

export const team = defineWindowFeature({
  name: 'team',
  needs: { sessions },
  settings: [teamSettings],
  start({ sessions }, { transport }) {
    const service = new TeamView()
    const stop = keepStream(transport, 'team', {}, (state) => (service.state = state))
    sessions.addBelow(HistorySessions)
    return {
      service,
      provide: () => provideTeam(service),
      panes: [{ kind: 'team', component: TeamPane, sized: true }],
      commands: TEAM_COMMANDS,
      settingsPages: [{ tab: 'team', component: TeamSettings }],
      statusItems: [TeamStatus],
      close: stop,
    }
  },
})
