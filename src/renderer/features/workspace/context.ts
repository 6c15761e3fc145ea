/** The panes of the window, for the components of this feature. */
import { createContext } from 'svelte'
import type { DockState } from './dock.svelte.ts'

export const [useDock, provideDock] = createContext<DockState>()
