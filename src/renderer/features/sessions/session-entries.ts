/** What can be done with sessions, and with the store: of the row's menu and of the pane's alike. */
import type { SessionRow } from '../../../shared/core/recording/recording.ts'
import { say } from '../../text/catalogue.ts'
import type { MenuEntry } from '../../ui/menu-entries.ts'

export interface SessionActions {
  rename(row: SessionRow): void
  pin(rows: readonly SessionRow[], pinned: boolean): void
  verify(row: SessionRow): void
  export(rows: readonly SessionRow[]): void
  save(row: SessionRow): void
  replayBeside(rows: readonly SessionRow[]): void
  bin(rows: readonly SessionRow[]): void
  eraseAll(): void
  compact(): void
  rules(): void
}

/** What can be done with those chosen; nothing where there are none, or they are in the bin. */
export function sessionEntries(
  rows: readonly SessionRow[],
  inBin: boolean,
  does: SessionActions,
): readonly (MenuEntry | null)[] {
  if (rows.length === 0 || inBin) return []
  const one = rows.length === 1 ? rows[0] : undefined
  const count = rows.length
  const pinned = rows.every((row) => row.pinned)
  return [
    one ? { text: say('sessions.rename'), keys: 'F2', run: () => does.rename(one) } : null,
    {
      text: one
        ? say(pinned ? 'sessions.unpin' : 'sessions.pin')
        : say(pinned ? 'sessions.unpin-several' : 'sessions.pin-several', { count }),
      run: () => does.pin(rows, !pinned),
    },
    one ? { text: say('sessions.verify'), run: () => does.verify(one) } : null,
    { text: one ? say('sessions.export') : say('sessions.export-several', { count }), run: () => does.export(rows) },
    one ? { text: say('sessions.save-as-session-file-2'), disabled: one.live, run: () => does.save(one) } : null,
    {
      text: say('sessions.replay-new-window'),
      disabled: rows.every((row) => row.messages === 0),
      run: () => does.replayBeside(rows),
    },
    {
      text: one ? say('sessions.delete') : say('sessions.delete-several', { count }),
      keys: 'Del',
      disabled: rows.some((row) => row.live),
      run: () => does.bin(rows),
    },
  ]
}
