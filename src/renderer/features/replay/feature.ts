/** Replay in the window: its bar, its dialogs and its commands. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import BookmarkDialog from './BookmarkDialog.svelte'
import JumpDialog from './JumpDialog.svelte'
import { REPLAY_COMMANDS } from './replay-commands.ts'
import TransportBar from './TransportBar.svelte'

export const replay = defineWindowFeature({
  name: 'replay',
  needs: {},
  start: () => ({
    service: null,
    commands: REPLAY_COMMANDS,
    dialogs: [
      { name: 'jump', component: JumpDialog, when: 'replay' },
      { name: 'bookmark', component: BookmarkDialog, when: 'replay' },
    ],
    bars: [TransportBar],
  }),
})
