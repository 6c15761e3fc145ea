/** Runs one task at a time. While one runs, only the latest of the others waits; those before it never run. */
export class LatestRun {
  #isBusy = false
  #waiting: (() => Promise<void>) | undefined
  #follower: (() => Promise<void>) | undefined

  get isWaiting(): boolean {
    return this.#waiting !== undefined
  }
  run(task: () => Promise<void>): void {
    this.#waiting = task
    this.#follower = undefined
    if (!this.#isBusy) void this.#runAll()
  }
  /** Runs a task after the one that waits, in place of an earlier follower; at once if none waits or runs. */
  follow(task: () => Promise<void>): void {
    if (this.#waiting === undefined) this.run(task)
    else this.#follower = task
  }
  /** Forgets the tasks that wait. */
  drop(): void {
    this.#waiting = undefined
    this.#follower = undefined
  }

  async #runAll(): Promise<void> {
    this.#isBusy = true
    try {
      for (let task = this.#waiting; task !== undefined; task = this.#waiting) {
        this.#waiting = this.#follower
        this.#follower = undefined
        await task()
      }
    } finally {
      this.#isBusy = false
    }
  }
}
