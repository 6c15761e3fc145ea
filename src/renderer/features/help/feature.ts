/** The help feature of a window: help, shortcut list and tour. The window itself has their commands. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { palette } from '../palette/feature.ts'
import { provideHelp } from './context.ts'
import Help from './Help.svelte'
import Shortcuts from './Shortcuts.svelte'
import TourOverlay from './TourOverlay.svelte'

export const help = defineWindowFeature({
  name: 'help',
  needs: { palette },
  start: (services) => ({
    service: null,
    provide: () => provideHelp(services),
    dialogs: [
      { name: 'help', component: Help },
      { name: 'shortcuts', component: Shortcuts },
    ],
    overlays: [TourOverlay],
  }),
})
