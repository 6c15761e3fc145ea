/** The palette, in the top bar. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import PaletteBox from './PaletteBox.svelte'

export const palette = defineWindowFeature({
  name: 'palette',
  needs: {},
  start: () => ({
    service: null,
    topItems: [PaletteBox],
  }),
})
