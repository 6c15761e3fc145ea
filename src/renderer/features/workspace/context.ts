/** Gives this feature's components access to the window's dock. */
import { createContext } from 'svelte'
import type { DockState } from './dock.svelte.ts'

export const [useDock, provideDock] = createContext<DockState>()
