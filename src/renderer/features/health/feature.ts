/** The Health page, which the status dot opens. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { team } from '../team/feature.ts'
import { provideHealth } from './context.ts'
import { HEALTH_COMMANDS } from './health-commands.ts'
import HealthPane from './HealthPane.svelte'

export const health = defineWindowFeature({
  name: 'health',
  needs: { team },
  start: ({ team }) => ({
    service: null,
    provide: () => provideHealth(team),
    panes: [{ kind: 'health', component: HealthPane, sized: true }],
    commands: HEALTH_COMMANDS,
  }),
})
