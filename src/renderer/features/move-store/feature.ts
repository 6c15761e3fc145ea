/** The store's folder, on the recording settings page. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import StorePlace from './StorePlace.svelte'

export const moveStore = defineWindowFeature({
  name: 'move-store',
  needs: {},
  start: () => ({
    service: null,
    settingsItems: [{ tab: 'recording', id: 'store', component: StorePlace }],
  }),
})
