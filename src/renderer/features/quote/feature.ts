/** The quote in the window: its pane. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import QuotePane from './QuotePane.svelte'

export const quote = defineWindowFeature({
  name: 'quote',
  needs: {},
  start: () => ({
    service: null,
    panes: [{ kind: 'quote', component: QuotePane }],
  }),
})
