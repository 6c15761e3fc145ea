/** A row of the command table. */
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
  /** The default chords, as `chordOf` writes them: "Ctrl+K", "?", "Space". On a Mac, Ctrl means Cmd. */
  readonly keys: readonly string[]
  readonly group: (typeof GROUPS)[number]
  readonly run: (app: WindowState) => void
  /** Runs the command for a symbol, in symbol menus. Absent if the command isn't about a symbol. */
  readonly forSymbol?: (symbol: WatchSymbol) => void
  /** Handled by a pane or by typing: listed, but can't be run or reassigned here. */
  readonly listedOnly?: true
  /** Available only while this is shown; absent means always. */
  readonly when?: 'live' | 'replay'
}
