/** Menu entries for sessions and the store, shared by the row menu and the pane menu. */
import type { SessionRow } from '../../../shared/core/recording/session.ts'
import { t } from '../../../shared/base/text.ts'
import type { MenuEntry } from '../../ui/menu-entries.ts'

export interface SessionActions {
  replay(rows: readonly SessionRow[]): void
  /** Opens the details of the active row. */
  details(): void
  rename(row: SessionRow): void
  pin(rows: readonly SessionRow[], pinned: boolean): void
  verify(row: SessionRow): void
  export(rows: readonly SessionRow[]): void
  save(row: SessionRow): void
  replayBeside(rows: readonly SessionRow[]): void
  /** Moves sessions to the bin, or back. */
  bin(rows: readonly SessionRow[], into: boolean): void
  /** Asks before the selected sessions are erased. */
  erase(): void
  eraseAll(): void
  compact(): void
  rules(): void
}

/** Entries for the selected sessions. Empty if none is selected or they are in the bin. */
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
    one ? { text: t('Rename'), keys: 'F2', run: () => does.rename(one) } : null,
    {
      text: one
        ? t(pinned ? 'Unpin' : 'Pin (never delete automatically)')
        : t(pinned ? 'Unpin {count} sessions' : 'Pin {count} sessions', { count }),
      run: () => does.pin(rows, !pinned),
    },
    one ? { text: t('Verify'), run: () => does.verify(one) } : null,
    { text: one ? t('Export…') : t('Export {count} sessions…', { count }), run: () => does.export(rows) },
    one ? { text: t('Save as session file…'), disabled: one.live, run: () => does.save(one) } : null,
    {
      text: t('Replay in a new window'),
      disabled: rows.every((row) => row.messages === 0),
      run: () => does.replayBeside(rows),
    },
    {
      text: one ? t('Delete') : t('Delete {count} sessions', { count }),
      keys: 'Del',
      disabled: rows.some((row) => row.live),
      run: () => does.bin(rows, true),
    },
  ]
}
