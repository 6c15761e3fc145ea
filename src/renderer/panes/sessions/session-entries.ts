/** What can be done with sessions, and with the store: of the row's menu and of the pane's alike. */
import type { SessionRow } from '../../../shared/recording.ts'
import type { MenuEntry } from '../../ui/menu.ts'

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
  const of = rows.length > 1 ? ` ${rows.length} sessions` : ''
  const pinned = rows.every((row) => row.pinned)
  return [
    one ? { text: 'Rename', keys: 'F2', run: () => does.rename(one) } : null,
    { text: pinned ? `Unpin${of}` : `Pin${of || ': no rule deletes it'}`, run: () => does.pin(rows, !pinned) },
    one ? { text: 'Verify', run: () => does.verify(one) } : null,
    { text: `Export${of}…`, run: () => does.export(rows) },
    one ? { text: 'Save as a session file…', disabled: one.live, run: () => does.save(one) } : null,
    {
      text: 'Replay in a new window',
      disabled: rows.every((row) => row.messages === 0),
      run: () => does.replayBeside(rows),
    },
    { text: `Delete${of}`, keys: 'Del', disabled: rows.some((row) => row.live), run: () => does.bin(rows) },
  ]
}
