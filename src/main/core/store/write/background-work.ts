/** The writer's background work in turns, between commits of received messages. */

/** How long prepared writes may wait to share a transaction with a flush. */
const APPLY_AFTER_MS = 25

/**
 * Work as a generator that yields often. A yielded function is the part that writes. It runs inside a transaction, again
 * if that fails, and the generator continues only once it is durable. It gets what failed before, because many errors of
 * the disk come with the commit, after it has run.
 */
export type Work = Generator<WriteStep | undefined, void, void>
export type WriteStep = (failed?: unknown) => void

export interface BackgroundWorkOptions {
  /** The next work to do, if any. */
  readonly findDue: () => Work | null
  readonly transaction: (run: () => void) => void
  /** Monotonic ms. */
  readonly nowMs: () => number
}

export class BackgroundWork {
  readonly #options: BackgroundWorkOptions
  #work: Work | null = null
  #ready: WriteStep | null = null
  /** Why `#ready` wasn't written the last time. */
  #failed: unknown
  #readySinceMs = 0

  constructor(options: BackgroundWorkOptions) {
    this.#options = options
  }

  /** Prepared writes; null if there are none. */
  get ready(): WriteStep | null {
    return this.#ready
  }

  /** Call once the prepared writes are durable. */
  markWritten(): void {
    this.#ready = null
    this.#failed = undefined
  }

  /** Whether `turn` has work. */
  get hasWork(): boolean {
    if (this.#ready !== null || this.#work !== null) return true
    this.#work = this.#options.findDue()
    return this.#work !== null
  }

  /**
   * Does work for about `budgetMs`. `waiting`: prepared writes wait briefly to join the next commit, which they do only
   * if `isRecording`.
   */
  turn(budgetMs: number, isRecording: boolean): 'more' | 'waiting' | 'idle' {
    const { findDue, transaction, nowMs } = this.#options
    const until = performance.now() + budgetMs
    do {
      if (this.#ready !== null) {
        if (isRecording && budgetMs !== Infinity && nowMs() - this.#readySinceMs < APPLY_AFTER_MS) return 'waiting'
        const [ready, failed] = [this.#ready, this.#failed]
        try {
          transaction(() => ready(failed))
        } catch (thrown) {
          this.#failed = thrown
          throw thrown
        }
        this.markWritten()
      }
      this.#work ??= findDue()
      if (this.#work === null) return 'idle'
      let step
      try {
        step = this.#work.next()
      } catch (thrown) {
        this.#work = null
        throw thrown
      }
      if (step.done === true) this.#work = null
      else if (step.value !== undefined) {
        this.#ready = step.value
        this.#readySinceMs = nowMs()
      }
    } while (performance.now() < until)
    return 'more'
  }
}
