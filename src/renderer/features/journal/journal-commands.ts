/** The commands of the journal. */
import { t } from '../../../shared/base/text.ts'
import type { Command } from '../../core/window/command.ts'
import { togglePane } from '../../core/window/general.ts'
import type { JournalBook } from './journal.svelte.ts'

export const journalCommands = (book: JournalBook): readonly Command[] => [
  {
    id: 'journal',
    group: 'General',
    title: t('Journal: notes and review'),
    keys: ['Ctrl+Alt+J'],
    run: togglePane('journal'),
  },
  { id: 'note', group: 'General', title: t('Add note…'), keys: ['Ctrl+Alt+N'], run: () => book.begin() },
]
