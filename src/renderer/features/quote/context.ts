/** Services of the quote pane's components. */
import { createContext } from 'svelte'
import type { EvidenceState } from '../evidence/evidence.svelte.ts'

export const [useQuote, provideQuote] = createContext<{ readonly evidence: EvidenceState }>()
