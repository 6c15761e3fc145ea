/** A clock that stands until the test moves it. Wall and monotonic time can be moved apart. */
import type { Clock } from '../../../../src/main/clock.ts'
import { monoNs, unixMs } from '../../../../src/shared/units.ts'

interface Timer {
  readonly at: number
  readonly then: () => void
}

export class FakeClock implements Clock {
  wall = 1_750_000_000_000
  mono = 5_000
  readonly #timers = new Set<Timer>()

  wallMs = () => unixMs(this.wall)
  monoNs = () => monoNs(this.mono * 1e6)

  after(ms: number, then: () => void): () => void {
    const timer = { at: this.mono + ms, then }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Moves both clocks, running what falls due on the way, in order. */
  pass(ms: number): void {
    const end = this.mono + ms
    for (;;) {
      const due = [...this.#timers].filter((t) => t.at <= end).sort((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      this.#timers.delete(due)
      const step = Math.max(0, due.at - this.mono)
      this.mono += step
      this.wall += step
      due.then()
    }
    this.wall += end - this.mono
    this.mono = end
  }

  /** Moves both clocks at once, as a sleep does: what fell due runs late, at the new time. */
  leap(ms: number): void {
    this.mono += ms
    this.wall += ms
    this.pass(0)
  }

  get waiting(): number {
    return this.#timers.size
  }
}
