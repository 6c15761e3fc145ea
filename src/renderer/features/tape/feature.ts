/** The time and sales feature of a window: pane and commands. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { replay } from '../replay/feature.ts'
import { journal } from '../journal/feature.ts'
import { evidence } from '../evidence/feature.ts'
import { provideTape } from './context.ts'
import DockedTape from './DockedTape.svelte'
import { tapeCommands } from './tape-commands.ts'
import { Tape } from './tape.svelte.ts'

export const tape = defineWindowFeature({
  name: 'tape',
  needs: { evidence, journal, replay },
  start({ evidence: shown, journal, replay }, app) {
    const service = new Tape(app.transport, app.clocks.frame)
    app.latestMs = () => service.latestMs
    app.onRewind((nowMs) => service.cutAfter(nowMs))
    return {
      service,
      provide: () => provideTape({ tape: service, evidence: shown, journal, replay }),
      panes: [{ kind: 'tape', component: DockedTape }],
      commands: tapeCommands(service),
      close: () => service.close(),
    }
  },
})
