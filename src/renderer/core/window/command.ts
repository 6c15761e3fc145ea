/** What a row of the table of commands tells. */
import type { WatchSymbol } from '../../../shared/core/settings/settings.ts'
import type { WindowState } from './window.svelte.ts'

export const GROUPS = [
  'General',
  'Workspace',
  'Watchlist',
  'Chart',
  'Drawing',
  'Tape',
  'Alerts',
  'Research',
  'Replay',
] as const

export interface Command {
  readonly id: string
  readonly title: string
  /** Chords as `chordOf` writes them: "Ctrl+K", "?", "Space". Ctrl stands for Cmd on a Mac. The user may set others. */
  readonly keys: readonly string[]
  readonly group: (typeof GROUPS)[number]
  readonly run: (app: WindowState) => void
  /** The same for any symbol, in the menus of symbols; absent: it isn't about one. */
  readonly forSymbol?: (symbol: WatchSymbol) => void
  /** Handled by a pane or by typing; listed, but neither run nor changed from here. */
  readonly listedOnly?: true
  /** Only there while this is shown; absent: always. */
  readonly when?: 'live' | 'replay'
}
