/** The team for the Health page. */
import { createContext } from 'svelte'
import type { TeamView } from '../team/team-view.svelte.ts'

export const [useHealth, provideHealth] = createContext<TeamView>()
