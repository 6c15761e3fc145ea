/** The quote feature of a window: its pane. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { evidence } from '../evidence/feature.ts'
import { provideQuote } from './context.ts'
import QuotePane from './QuotePane.svelte'

export const quote = defineWindowFeature({
  name: 'quote',
  needs: { evidence },
  start: (services) => ({
    service: null,
    provide: () => provideQuote(services),
    panes: [{ kind: 'quote', component: QuotePane }],
  }),
})
