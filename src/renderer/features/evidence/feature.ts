/** The evidence feature of a window: pane, status bar item, and the dialog with the messages behind a value. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { replay } from '../replay/feature.ts'
import { provideEvidence } from './context.ts'
import { evidenceCommands } from './evidence-commands.ts'
import EvidencePane from './EvidencePane.svelte'
import EvidenceStatus from './EvidenceStatus.svelte'
import { EvidenceState } from './evidence.svelte.ts'
import Provenance from './Provenance.svelte'

export const evidence = defineWindowFeature({
  name: 'evidence',
  needs: { replay },
  start({ replay }, { transport }) {
    const service = new EvidenceState(transport)
    return {
      service,
      provide: () => provideEvidence({ evidence: service, replay }),
      panes: [{ kind: 'evidence', component: EvidencePane, sized: true, takesSymbol: true }],
      commands: evidenceCommands(service),
      overlays: [Provenance],
      statusItems: [EvidenceStatus],
      close: () => service.close(),
    }
  },
})
