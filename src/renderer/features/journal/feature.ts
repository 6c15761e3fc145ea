/** The trade journal of a window: notes pinned to market time, and the review of a session. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { replay } from '../replay/feature.ts'
import { provideJournal } from './context.ts'
import { journalCommands } from './journal-commands.ts'
import { JournalBook } from './journal.svelte.ts'
import JournalPane from './JournalPane.svelte'
import NoteDialog from './NoteDialog.svelte'

export const journal = defineWindowFeature({
  name: 'journal',
  needs: { replay },
  start({ replay }, app) {
    const service = new JournalBook(app)
    return {
      service,
      provide: () => provideJournal({ book: service, replay }),
      panes: [{ kind: 'journal', component: JournalPane, sized: true }],
      dialogs: [{ name: 'note', component: NoteDialog }],
      commands: journalCommands(service),
      close: () => service.close(),
    }
  },
})
