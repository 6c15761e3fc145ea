/** Services of the evidence components. */
import { createContext } from 'svelte'
import type { Replays } from '../replay/replays.ts'
import type { EvidenceState } from './evidence.svelte.ts'

export const [useEvidence, provideEvidence] = createContext<{
  readonly evidence: EvidenceState
  readonly replay: Replays
}>()
