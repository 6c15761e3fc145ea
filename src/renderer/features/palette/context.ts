/** Services of the palette and its codes. */
import { createContext } from 'svelte'
import type { EvidenceState } from '../evidence/evidence.svelte.ts'
import type { DockState } from '../workspace/dock.svelte.ts'
import type { Replays } from '../replay/replays.ts'

export interface PaletteServices {
  readonly evidence: EvidenceState
  readonly replay: Replays
  readonly workspace: DockState
}
export const [usePalette, providePalette] = createContext<PaletteServices>()
