/** What the components of the quote work with. */
import { createContext } from 'svelte'
import type { EvidenceState } from '../evidence/evidence.svelte.ts'

export const [useQuote, provideQuote] = createContext<{ readonly evidence: EvidenceState }>()
