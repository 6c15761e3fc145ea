/** Services of the session components. */
import { createContext, type Component } from 'svelte'
import type { WindowState } from '../../core/window/window.svelte.ts'
import type { EvidenceState } from '../evidence/evidence.svelte.ts'
import type { Replays } from '../replay/replays.ts'

export const [useSessions, provideSessions] = createContext<{
  readonly evidence: EvidenceState
  readonly replay: Replays
  /** What other features show below the list. */
  readonly below: readonly Below[]
}>()

export type Below = Component<{ app: WindowState }>
