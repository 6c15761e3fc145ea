/** Services of the watchlist components. */
import { createContext } from 'svelte'
import type { Alerts } from '../alerts/alerts.svelte.ts'
import type { ListImport } from './list-import.svelte.ts'

export const [useWatchlist, provideWatchlist] = createContext<{
  readonly alerts: Alerts
  readonly listImport: ListImport
}>()
