/** What the system outside asks of the window. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import HostRequests from './HostRequests.svelte'

export const desktop = defineWindowFeature({
  name: 'desktop',
  needs: {},
  start: () => ({
    service: null,
    overlays: [HostRequests],
  }),
})
