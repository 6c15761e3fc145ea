/** Services of the tape's components. `tape` is the one that shortcuts pause and resume. */
import { createContext } from 'svelte'
import type { EvidenceState } from '../evidence/evidence.svelte.ts'
import type { JournalBook } from '../journal/journal.svelte.ts'
import type { Replays } from '../replay/replays.ts'
import type { Tape } from './tape.svelte.ts'

export const [useTape, provideTape] = createContext<{
  readonly tape: Tape
  readonly evidence: EvidenceState
  readonly journal: JournalBook
  readonly replay: Replays
}>()
