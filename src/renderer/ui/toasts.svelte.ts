/** Short messages with at most one action (Undo) and one menu, and the polite live region's text. */
import { t } from '../../shared/base/text.ts'
import type { MenuEntry } from './menu-entries.ts'

export interface ToastAction {
  readonly label: string
  readonly run: () => void
  /** Takes back what is told. */
  readonly undoes?: true
  /** Whether there is still something to do; absent: until it was done. */
  readonly can?: () => boolean
}

/** Several actions to choose one from. */
export interface ToastMenu {
  readonly label: string
  readonly entries: () => readonly MenuEntry[]
}

export interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'info' | 'bad'
  readonly action: ToastAction | null
  readonly menu: ToastMenu | null
}

const LIFE_MS = 8_000
/** What went wrong stays longer: it is read, not glanced at. */
const BAD_LIFE_MS = 20_000
/** What outlived its time under the mouse or the focus stays this long when they have gone. */
const GRACE_MS = 4_000
const MAX_TOLD = 30
const SAY_EVERY_MS = 2_500

/** An action that takes back what is told. */
export const undoing = (run: () => void, can?: () => boolean): ToastAction => ({
  label: t('Undo'),
  run,
  undoes: true,
  ...(can && { can }),
})

export class Toasts {
  list = $state.raw<readonly Toast[]>([])
  /** What was shown, newest first, also when it is gone. */
  told = $state.raw<readonly Toast[]>([])
  /** What a screen reader is told: at most one sentence every few seconds, the latest wins. */
  said = $state('')
  /** How often a key asked for the message that is shown. */
  asked = $state(0)
  /** The one that the mouse or the focus rests on: it stays, also when something newer is told. */
  #held = $state<number | null>(null)
  #overdue = false
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

  /** What is shown now: the one that is held, else the newest. */
  get shown(): Toast | undefined {
    return this.list.find(({ id }) => id === this.#held) ?? this.list.at(-1)
  }

  show(text: string, options: Partial<Pick<Toast, 'tone' | 'action' | 'menu'>> = {}): void {
    const { tone = 'info', action = null, menu = null } = options
    const toast: Toast = { id: this.#next++, text, tone, action, menu }
    this.list = [...this.list.filter(({ id }, at, all) => id === this.#held || at >= all.length - 2), toast]
    this.told = [toast, ...this.told].slice(0, MAX_TOLD)
    this.say(text)
    this.#later(() => this.#expire(toast.id), toast.tone === 'bad' ? BAD_LIFE_MS : LIFE_MS)
  }

  /** Puts it away; what can be done about it is still in `told`. */
  dismiss(id: number): void {
    if (this.#held === id) {
      this.#held = null
      this.#overdue = false
    }
    this.list = this.list.filter((toast) => toast.id !== id)
  }

  #expire(id: number): void {
    if (this.#held === id) this.#overdue = true
    else this.dismiss(id)
  }

  /** While one is held its time does not run out. */
  hold(id: number): void {
    if (this.#held !== null && this.#held !== id) this.release()
    this.#held = id
  }
  /** The mouse and the focus have gone: what is overdue goes a little later. */
  release(): void {
    const id = this.#held
    this.#held = null
    if (id === null || !this.#overdue) return
    this.#overdue = false
    this.#later(() => this.#expire(id), GRACE_MS)
  }

  /** Whether what a message offers can still be done. */
  can({ action }: Toast): boolean {
    return action !== null && (action.can?.() ?? true)
  }
  /** Does what a message offers, once. */
  act(toast: Toast): void {
    this.told = this.told.map((one) => (one.id === toast.id ? { ...one, action: null } : one))
    this.dismiss(toast.id)
    if (this.can(toast)) toast.action?.run()
  }
  /** Takes back what was told last and still can be; false: there is nothing. */
  undoLast(): boolean {
    const last = this.told.find((one) => one.action?.undoes === true && this.can(one))
    if (last) this.act(last)
    return last !== undefined
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
