/** The alerts, for the components of this feature. */
import { createContext } from 'svelte'
import type { Alerts } from './alerts.svelte.ts'

export const [useAlerts, provideAlerts] = createContext<Alerts>()
