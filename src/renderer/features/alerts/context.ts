/** The context of the alert components. */
import { createContext } from 'svelte'
import type { Replays } from '../replay/replays.ts'
import type { Alerts } from './alerts.svelte.ts'

export const [useAlerts, provideAlerts] = createContext<{ readonly alerts: Alerts; readonly replay: Replays }>()
