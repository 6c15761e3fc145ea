/** Services of the journal's components. */
import { createContext } from 'svelte'
import type { Replays } from '../replay/replays.ts'
import type { JournalBook } from './journal.svelte.ts'

export const [useJournal, provideJournal] = createContext<{
  readonly book: JournalBook
  readonly replay: Replays
}>()
