/** Runs one task at a time. While one runs, only the latest of the others waits; those before it never run. */
export class LatestRun {
  #isBusy = false
  #waiting: (() => Promise<void>) | undefined

  get isWaiting(): boolean {
    return this.#waiting !== undefined
  }
  run(task: () => Promise<void>): void {
    this.#waiting = task
    if (!this.#isBusy) void this.#runAll()
  }
  /** Forgets the task that waits. */
  drop(): void {
    this.#waiting = undefined
  }

  async #runAll(): Promise<void> {
    this.#isBusy = true
    try {
      for (let task = this.#waiting; task !== undefined; task = this.#waiting) {
        this.#waiting = undefined
        await task()
      }
    } finally {
      this.#isBusy = false
    }
  }
}
