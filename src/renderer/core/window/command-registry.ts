/**
 * What can be done by key: one table for the keyboard, the palette, the list of shortcuts and the help.
 * A feature keeps its rows in a file of its own beside it and spreads them in below.
 */
import { ALERT_COMMANDS } from '../../features/alerts/alert-commands.ts'
import { CHART_COMMANDS, TAPE_COMMANDS } from '../../features/chart/interval-commands.ts'
import { GENERAL_COMMANDS } from './general.ts'
import { RESEARCH_COMMANDS } from '../../features/research/research-commands.ts'
import { CHART_PANE_COMMANDS } from '../../features/chart/chart-commands.ts'
import { DRAWING_COMMANDS } from '../../features/drawings/drawing-commands.ts'
import { WATCHLIST_COMMANDS } from '../../features/watchlist/watchlist-commands.ts'
import { chordOf, type KeyPress } from './chords.ts'
import type { Command } from './command.ts'
import { DOCK_COMMANDS } from '../../features/workspace/dock-commands.ts'
import { REPLAY_COMMANDS } from '../../features/replay/replay-commands.ts'

export const COMMANDS: readonly Command[] = [
  ...GENERAL_COMMANDS,
  ...WATCHLIST_COMMANDS,
  ...CHART_COMMANDS,
  ...CHART_PANE_COMMANDS,
  ...DRAWING_COMMANDS,
  ...TAPE_COMMANDS,
  ...ALERT_COMMANDS,
  ...RESEARCH_COMMANDS,
  ...DOCK_COMMANDS,
  ...REPLAY_COMMANDS,
]

/** Chords that the user set, by the id of the command; a command without an entry has those of the table. */
export type OwnKeys = Readonly<Record<string, readonly string[]>>

/** The chords of a command as they count now. */
export function keysOf(command: Command, own: OwnKeys = {}): readonly string[] {
  return command.listedOnly ? command.keys : (own[command.id] ?? command.keys)
}

/** The chords of a command by its id; none where there is no such command. */
export function keysOfId(id: string, own: OwnKeys = {}): readonly string[] {
  const command = COMMANDS.find((one) => one.id === id)
  return command ? keysOf(command, own) : []
}

/** What a command is called; empty where there is no such command. */
export const titleOfId = (id: string): string => COMMANDS.find((one) => one.id === id)?.title ?? ''

/** Whether a command is there while the live market, or a replay, is shown. */
export const isThere = (command: Command, replaying: boolean): boolean =>
  command.when === undefined || (command.when === 'replay') === replaying

/** Commands that can be run from elsewhere than their own pane. */
export function runnable(replaying = false): readonly Command[] {
  return COMMANDS.filter((one) => one.listedOnly === undefined && isThere(one, replaying))
}

/** The command of a key press, if it has one. */
export function commandOf(press: KeyPress, replaying = false, own: OwnKeys = {}): Command | undefined {
  const chord = chordOf(press)
  return chord === null ? undefined : runnable(replaying).find((one) => keysOf(one, own).includes(chord))
}

/** A command that has a chord already where another wants it. */
export function conflictOf(chord: string, command: Command, own: OwnKeys = {}): Command | undefined {
  return COMMANDS.find(
    (one) =>
      one.id !== command.id &&
      keysOf(one, own).includes(chord) &&
      (one.when === undefined || command.when === undefined || one.when === command.when),
  )
}
