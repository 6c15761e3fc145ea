/** What the components of watchlists work with. */
import { createContext } from 'svelte'
import type { Alerts } from '../alerts/alerts.svelte.ts'

export const [useWatchlist, provideWatchlist] = createContext<{ readonly alerts: Alerts }>()
