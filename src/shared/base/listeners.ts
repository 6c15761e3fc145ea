/** Callbacks that are called in the order they were added, until they are removed. */
export class Listeners<Args extends readonly unknown[] = []> {
  readonly #all = new Set<(...args: Args) => void>()

  /** Returns a function that removes the listener. */
  readonly add = (listener: (...args: Args) => void): (() => void) => {
    this.#all.add(listener)
    return () => void this.#all.delete(listener)
  }

  /** Calls those that were there at the call, even if one of them adds or removes others. */
  call(...args: Args): void {
    for (const listener of [...this.#all]) listener(...args)
  }
}
