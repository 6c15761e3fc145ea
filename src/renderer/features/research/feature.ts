/** Research in the window: its panes, its commands and its page of settings. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { RESEARCH_COMMANDS } from './research-commands.ts'
import ResearchPane from './ResearchPane.svelte'
import ResearchSettings from './ResearchSettings.svelte'

export const research = defineWindowFeature({
  name: 'research',
  needs: {},
  start: () => ({
    service: null,
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
