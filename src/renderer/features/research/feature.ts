/** The research feature of a window: panes, commands and settings page. */
import { researchSettings } from '../../../shared/features/research/settings.ts'
import { defineWindowFeature } from '../../core/window/feature.ts'
import { ChartEvents } from './chart-events.svelte.ts'
import { RESEARCH_COMMANDS } from './research-commands.ts'
import ResearchPane from './ResearchPane.svelte'
import ResearchSettings from './ResearchSettings.svelte'

export interface ResearchService {
  /** Creates the earnings and news markers of one chart. The chart closes it. */
  openEvents(): ChartEvents
}

export const research = defineWindowFeature({
  name: 'research',
  needs: {},
  settings: [researchSettings],
  start: (_services, { transport }) => ({
    service: { openEvents: () => new ChartEvents(transport) } satisfies ResearchService,
    panes: [
      { kind: 'company', component: ResearchPane, sized: true, takesSymbol: true },
      { kind: 'earnings', component: ResearchPane, sized: true, takesSymbol: true },
      { kind: 'commodities', component: ResearchPane, sized: true },
      { kind: 'news', component: ResearchPane, sized: true, takesSymbol: true },
      { kind: 'technical', component: ResearchPane, sized: true, takesSymbol: true },
    ],
    commands: RESEARCH_COMMANDS,
    settingsPages: [{ tab: 'research', component: ResearchSettings }],
  }),
})
