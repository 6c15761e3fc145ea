/** What requests from outside of the window work with. */
import { createContext } from 'svelte'
import type { Replays } from '../replay/replays.ts'

export const [useDesktop, provideDesktop] = createContext<{ readonly replay: Replays }>()
