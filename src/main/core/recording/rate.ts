/** How many frames a second arrive. */
const SAMPLE_NS = 1e9

export class Rate {
  #sample = { atNs: 0, received: 0, perSecond: 0 }

  /** So many were received by then, on the monotonic clock: answers how many a second, over the last second or more. */
  measure(received: number, nowNs: number): number {
    const passed = nowNs - this.#sample.atNs
    if (passed >= SAMPLE_NS) {
      this.#sample = { atNs: nowNs, received, perSecond: ((received - this.#sample.received) * 1e9) / passed }
    }
    return this.#sample.perSecond
  }
}
