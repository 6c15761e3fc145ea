/** What the components of sessions work with. */
import { createContext } from 'svelte'
import type { EvidenceState } from '../evidence/evidence.svelte.ts'

export const [useSessions, provideSessions] = createContext<{ readonly evidence: EvidenceState }>()
