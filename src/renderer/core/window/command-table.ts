/** What can be done by key: one table for the keyboard, the palette, the list of shortcuts and the help. */
import { chordOf, type KeyPress } from './chords.ts'
import type { Command } from './command.ts'

/** Chords that the user set, by the id of the command; a command without an entry has those of the table. */
export type OwnKeys = Readonly<Record<string, readonly string[]>>

/** Whether a command is there while the live market, or a replay, is shown. */
export const isThere = (command: Command, replaying: boolean): boolean =>
  command.when === undefined || (command.when === 'replay') === replaying

export class CommandTable {
  readonly #all: Command[] = []
  readonly #own: () => OwnKeys

  /** `own`: the user's chords as they are set now. Answers that depend on them are reactive if it is. */
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
  /** The chords of a command as they are set now. */
  keysOf(command: Command): readonly string[] {
    return command.listedOnly ? command.keys : (this.#own()[command.id] ?? command.keys)
  }
  /** The chords of a command by its id; none where there is no such command. */
  keysOfId(id: string): readonly string[] {
    const command = this.find(id)
    return command ? this.keysOf(command) : []
  }
  /** Commands that can be run from elsewhere than their own pane. */
  runnable(replaying = false): readonly Command[] {
    return this.#all.filter((one) => one.listedOnly === undefined && isThere(one, replaying))
  }
  /** The command of a key press, if it has one. */
  commandOf(press: KeyPress, replaying = false): Command | undefined {
    const chord = chordOf(press)
    return chord === null ? undefined : this.runnable(replaying).find((one) => this.keysOf(one).includes(chord))
  }
  /** A command that has a chord already where another wants it. */
  conflictOf(chord: string, command: Command): Command | undefined {
    return this.#all.find(
      (one) =>
        one.id !== command.id &&
        this.keysOf(one).includes(chord) &&
        (one.when === undefined || command.when === undefined || one.when === command.when),
    )
  }
}
