/** Charts in the window: the pane, and the commands that go to the chart used last. */
import { chartTemplates } from '../../../shared/features/chart/templates.ts'
import { defineWindowFeature } from '../../core/window/feature.ts'
import { replay } from '../replay/feature.ts'
import { alerts } from '../alerts/feature.ts'
import { drawings } from '../drawings/feature.ts'
import { evidence } from '../evidence/feature.ts'
import { journal } from '../journal/feature.ts'
import { research } from '../research/feature.ts'
import { CHART_COMMANDS } from './chart-commands.ts'
import { provideCharts } from './context.ts'
import DockedChart from './DockedChart.svelte'

export const chart = defineWindowFeature({
  name: 'chart',
  needs: { alerts, drawings, evidence, journal, research, replay },
  settings: [chartTemplates],
  start: (services) => ({
    service: null,
    provide: () => provideCharts(services),
    panes: [{ kind: 'chart', component: DockedChart }],
    commands: CHART_COMMANDS,
  }),
})
