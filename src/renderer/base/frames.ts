/** Runs work once per painted frame, however often it is requested. */

/** Calls back before the next paint. Injected: tests step frames by hand. */
export type RequestFrame = (run: () => void) => void

export class FrameTask {
  readonly #request: RequestFrame
  readonly #run: () => void
  #asked = false
  #stopped = false

  constructor(run: () => void, request: RequestFrame = (f) => requestAnimationFrame(f)) {
    this.#run = run
    this.#request = request
  }

  /** Requests one run in the next frame. Further requests before it have no effect. */
  ask(): void {
    if (this.#asked || this.#stopped) return
    this.#asked = true
    this.#request(() => {
      this.#asked = false
      if (!this.#stopped) this.#run()
    })
  }

  stop(): void {
    this.#stopped = true
  }
}

/**
 * Runs after the current frame has been painted: a task queued within an animation frame runs after that frame's
 * paint.
 */
export function afterPaint(run: () => void): void {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    run()
  }
  port2.postMessage(null)
}
