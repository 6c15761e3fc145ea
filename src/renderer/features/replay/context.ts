/** Gives this feature's components access to the window's replays. */
import { createContext } from 'svelte'
import type { Replays } from './replays.ts'

export const [useReplays, provideReplays] = createContext<Replays>()
