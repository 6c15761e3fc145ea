/** The replays of the window, for the components of this feature. */
import { createContext } from 'svelte'
import type { Replays } from './replays.ts'

export const [useReplays, provideReplays] = createContext<Replays>()
