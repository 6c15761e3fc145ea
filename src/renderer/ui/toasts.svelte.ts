/** Short messages with at most one action (Undo), and the polite live region's text. */

export interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'info' | 'bad'
  readonly action: { readonly label: string; readonly run: () => void } | null
}

const LIFE_MS = 8_000
/** What went wrong stays longer: it is read, not glanced at. */
const BAD_LIFE_MS = 20_000
const MOST_TOLD = 30
const SAY_EVERY_MS = 2_500

export class Toasts {
  list = $state.raw<readonly Toast[]>([])
  /** What was shown, newest first, also when it is gone. */
  told = $state.raw<readonly Toast[]>([])
  /** What a screen reader is told: at most one sentence every few seconds, the latest wins. */
  said = $state('')
  #next = 1
  #waiting: string | undefined
  #saidAt = -Infinity
  readonly #now: () => number
  readonly #later: (run: () => void, ms: number) => unknown

  constructor(
    now: () => number = () => performance.now(),
    later: (run: () => void, ms: number) => unknown = (run, ms) => setTimeout(run, ms),
  ) {
    this.#now = now
    this.#later = later
  }

  show(text: string, options: { tone?: 'info' | 'bad'; action?: Toast['action'] } = {}): void {
    const toast: Toast = { id: this.#next++, text, tone: options.tone ?? 'info', action: options.action ?? null }
    this.list = [...this.list.slice(-2), toast]
    this.told = [toast, ...this.told].slice(0, MOST_TOLD)
    this.say(text)
    this.#later(() => this.dismiss(toast.id), toast.tone === 'bad' ? BAD_LIFE_MS : LIFE_MS)
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id)
  }

  /** Tells a screen reader, without shouting. */
  say(text: string): void {
    const wait = this.#saidAt + SAY_EVERY_MS - this.#now()
    if (wait <= 0) {
      this.said = text
      this.#saidAt = this.#now()
      return
    }
    const first = this.#waiting === undefined
    this.#waiting = text
    if (!first) return
    this.#later(() => {
      const latest = this.#waiting
      this.#waiting = undefined
      this.#saidAt = this.#now()
      if (latest !== undefined) this.said = latest
    }, wait)
  }
}
