/** The team for its components. */
import { createContext } from 'svelte'
import type { TeamView } from './team-view.svelte.ts'

export const [useTeam, provideTeam] = createContext<TeamView>()
