/** The table of commands, used by the keyboard, the palette, the list of shortcuts and the help. */
import { chordOf, type KeyPress } from './chords.ts'
import type { WatchSymbol } from '../../../shared/core/settings/settings.ts'

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

/** A row of the command table. `App`: the window that the command acts on. */
export interface CommandOf<App> {
  readonly id: string
  readonly title: string
  /** The default chords, as `chordOf` writes them: "Ctrl+K", "?", "Space". On a Mac, Ctrl means Cmd. */
  readonly keys: readonly string[]
  readonly group: (typeof GROUPS)[number]
  readonly run: (app: App) => void
  /** Runs the command for a symbol, in symbol menus. Absent if the command isn't about a symbol. */
  readonly forSymbol?: (symbol: WatchSymbol) => void
  /** Handled by a pane or by typing: listed, but can't be run or reassigned here. */
  readonly listedOnly?: true
  /** Available only while this is shown; absent means always. */
  readonly when?: 'live' | 'replay'
}

/** The user's chords by command id. A command without an entry has its default chords. */
export type OwnKeys = Readonly<Record<string, readonly string[]>>

/** Whether a command is available while a replay (or else the live market) is shown. */
export const isThere = (command: Pick<CommandOf<never>, 'when'>, replaying: boolean): boolean =>
  command.when === undefined || (command.when === 'replay') === replaying

export class CommandTable<App> {
  readonly #all: CommandOf<App>[] = []
  readonly #own: () => OwnKeys

  /** `own` returns the user's current chords. Results that depend on them are reactive if it is. */
  constructor(own: () => OwnKeys) {
    this.#own = own
  }

  get all(): readonly CommandOf<App>[] {
    return this.#all
  }
  add(commands: readonly CommandOf<App>[]): void {
    this.#all.push(...commands)
  }
  find(id: string): CommandOf<App> | undefined {
    return this.#all.find((one) => one.id === id)
  }
  /** The current chords of a command. */
  keysOf(command: CommandOf<App>): readonly string[] {
    return command.listedOnly ? command.keys : (this.#own()[command.id] ?? command.keys)
  }
  /** The current chords of a command by its id; empty if there is no such command. */
  keysOfId(id: string): readonly string[] {
    const command = this.find(id)
    return command ? this.keysOf(command) : []
  }
  /** The commands that can be run from outside their own pane. */
  runnable(replaying = false): readonly CommandOf<App>[] {
    return this.#all.filter((one) => one.listedOnly === undefined && isThere(one, replaying))
  }
  /** The command assigned to a key press, if any. */
  commandOf(press: KeyPress, replaying = false): CommandOf<App> | undefined {
    const chord = chordOf(press)
    return chord === null ? undefined : this.runnable(replaying).find((one) => this.keysOf(one).includes(chord))
  }
  /** The other command that already has a chord, if any. */
  conflictOf(chord: string, command: CommandOf<App>): CommandOf<App> | undefined {
    return this.#all.find(
      (one) =>
        one.id !== command.id &&
        this.keysOf(one).includes(chord) &&
        (one.when === undefined || command.when === undefined || one.when === command.when),
    )
  }
}
