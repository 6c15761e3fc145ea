/** What the palette and its codes work with. */
import { createContext } from 'svelte'
import type { EvidenceState } from '../evidence/evidence.svelte.ts'

export interface PaletteServices {
  readonly evidence: EvidenceState
}
export const [usePalette, providePalette] = createContext<PaletteServices>()
