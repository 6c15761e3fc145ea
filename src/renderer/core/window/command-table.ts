/** The table of commands, used by the keyboard, the palette, the list of shortcuts and the help. */
import { chordOf, type KeyPress } from './chords.ts'
import type { Command } from './command.ts'

/** The user's chords by command id. A command without an entry has its default chords. */
export type OwnKeys = Readonly<Record<string, readonly string[]>>

/** Whether a command is available while a replay (or else the live market) is shown. */
export const isThere = (command: Command, replaying: boolean): boolean =>
  command.when === undefined || (command.when === 'replay') === replaying

export class CommandTable {
  readonly #all: Command[] = []
  readonly #own: () => OwnKeys

  /** `own` returns the user's current chords. Results that depend on them are reactive if it is. */
  constructor(own: () => OwnKeys) {
    this.#own = own
  }

  get all(): readonly Command[] {
    return this.#all
  }
  add(commands: readonly Command[]): void {
    this.#all.push(...commands)
  }
  find(id: string): Command | undefined {
    return this.#all.find((one) => one.id === id)
  }
  /** The current chords of a command. */
  keysOf(command: Command): readonly string[] {
    return command.listedOnly ? command.keys : (this.#own()[command.id] ?? command.keys)
  }
  /** The current chords of a command by its id; empty if there is no such command. */
  keysOfId(id: string): readonly string[] {
    const command = this.find(id)
    return command ? this.keysOf(command) : []
  }
  /** The commands that can be run from outside their own pane. */
  runnable(replaying = false): readonly Command[] {
    return this.#all.filter((one) => one.listedOnly === undefined && isThere(one, replaying))
  }
  /** The command assigned to a key press, if any. */
  commandOf(press: KeyPress, replaying = false): Command | undefined {
    const chord = chordOf(press)
    return chord === null ? undefined : this.runnable(replaying).find((one) => this.keysOf(one).includes(chord))
  }
  /** The other command that already has a chord, if any. */
  conflictOf(chord: string, command: Command): Command | undefined {
    return this.#all.find(
      (one) =>
        one.id !== command.id &&
        this.keysOf(one).includes(chord) &&
        (one.when === undefined || command.when === undefined || one.when === command.when),
    )
  }
}
