/** Services of the session components. */
import { createContext } from 'svelte'
import type { EvidenceState } from '../evidence/evidence.svelte.ts'
import type { Replays } from '../replay/replays.ts'

export const [useSessions, provideSessions] = createContext<{
  readonly evidence: EvidenceState
  readonly replay: Replays
}>()
