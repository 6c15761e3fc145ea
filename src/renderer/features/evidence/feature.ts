/** Evidence in the window: its pane, its share in the status bar, and the messages behind a number. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { EVIDENCE_COMMANDS } from './evidence-commands.ts'
import EvidencePane from './EvidencePane.svelte'
import EvidenceStatus from './EvidenceStatus.svelte'
import Provenance from './Provenance.svelte'

export const evidence = defineWindowFeature({
  name: 'evidence',
  needs: {},
  start: () => ({
    service: null,
    panes: [{ kind: 'evidence', component: EvidencePane, sized: true, takesSymbol: true }],
    commands: EVIDENCE_COMMANDS,
    overlays: [Provenance],
    statusItems: [EvidenceStatus],
  }),
})
