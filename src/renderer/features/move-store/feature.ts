/** Where the store is, on the page of settings about recording. */
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
