/** The diagnostic report, on the app settings page. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import Diagnostics from './Diagnostics.svelte'

export const diagnostics = defineWindowFeature({
  name: 'diagnostics',
  needs: {},
  start: () => ({
    service: null,
    settingsItems: [{ tab: 'app', id: 'diagnostics', component: Diagnostics }],
  }),
})
