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

/** What waits for a paint, in turn. */
const waiting: (() => void)[] = []
/** One for all frames, because opening and closing one costs. */
let channel: MessageChannel | null = null

/**
 * Runs after the current frame has been painted: a task queued within an animation frame runs after that frame's
 * paint. Each `run` is a task of its own.
 */
export function afterPaint(run: () => void): void {
  if (channel === null) {
    channel = new MessageChannel()
    channel.port1.onmessage = () => waiting.shift()?.()
  }
  waiting.push(run)
  channel.port2.postMessage(null)
}
