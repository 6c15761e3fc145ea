// Says what is running wherever nothing else was printed for a while.

/** Silence that is broken by a line, ms. */
export const SILENCE_MS = 10_000

/**
 * @param {{ readonly all: number, readonly now: () => number, readonly print: (line: string) => void }} options `all`: how
 *   many checks there are; `now`: ms
 */
export function createBeat({ all, now, print }) {
  /** @type {Map<string, number>} */
  const running = new Map()
  let done = 0
  let last = now()
  const heard = () => {
    last = now()
  }
  return {
    /** Something else was printed. */
    heard,
    /**
     * @param {string} title
     * @param {boolean} [isDrawing] it draws its own progress on the terminal
     */
    begin(title, isDrawing = false) {
      if (!isDrawing) running.set(title, now())
      heard()
    },
    /** @param {string} title */
    end(title) {
      running.delete(title)
      done += 1
      heard()
    },
    /** Called every second or so. */
    tick() {
      if (running.size === 0 || now() - last < SILENCE_MS) return
      heard()
      const each = [...running].map(([title, since]) => `${title} (${Math.round((now() - since) / 1_000)} s)`)
      print(`   … ${each.join(' and ')}; ${done} of ${all} checks done`)
    },
  }
}
