/** The palette feature of a window: the box in the top bar. The help also lists its codes and endpoints. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { replay } from '../replay/feature.ts'
import { evidence } from '../evidence/feature.ts'
import { workspace } from '../workspace/feature.ts'
import { CODES, type Code } from './codes.ts'
import { providePalette } from './context.ts'
import { endpointItems } from './items.ts'
import Palette from './Palette.svelte'

export interface PaletteService {
  readonly codes: readonly Code[]
  readonly endpointItems: typeof endpointItems
}

export const palette = defineWindowFeature({
  name: 'palette',
  needs: { evidence, replay, workspace },
  start: (services) => ({
    service: { codes: CODES, endpointItems } satisfies PaletteService,
    provide: () => providePalette(services),
    topItems: [Palette],
  }),
})
