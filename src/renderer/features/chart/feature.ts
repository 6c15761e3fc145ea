/** Charts in the window: their pane and the commands that go to the chart used last. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { CHART_COMMANDS } from './chart-commands.ts'
import DockedChart from './DockedChart.svelte'

export const chart = defineWindowFeature({
  name: 'chart',
  needs: {},
  start: () => ({
    service: null,
    panes: [{ kind: 'chart', component: DockedChart }],
    commands: CHART_COMMANDS,
  }),
})
