/** The replay feature of a window: transport bar, dialogs and commands. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import BookmarkDialog from './BookmarkDialog.svelte'
import { provideReplays } from './context.ts'
import JumpDialog from './JumpDialog.svelte'
import { replayCommands } from './replay-commands.ts'
import { Replays } from './replays.ts'
import TransportBar from './TransportBar.svelte'

export const replay = defineWindowFeature({
  name: 'replay',
  needs: {},
  start(_services, app) {
    const service = new Replays(app)
    return {
      service,
      provide: () => provideReplays(service),
      commands: replayCommands(service),
      dialogs: [
        { name: 'jump', component: JumpDialog, when: 'replay' },
        { name: 'bookmark', component: BookmarkDialog, when: 'replay' },
      ],
      bars: [TransportBar],
      leave: () => service.current.abandon(),
      close: () => service.current.dispose(),
    }
  },
})
