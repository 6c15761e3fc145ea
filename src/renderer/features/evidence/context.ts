/** Evidence, for the components of this feature. */
import { createContext } from 'svelte'
import type { EvidenceState } from './evidence.svelte.ts'

export const [useEvidence, provideEvidence] = createContext<EvidenceState>()
