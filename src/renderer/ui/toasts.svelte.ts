/** Notifications with at most one action (such as Undo) and one menu, and the text of the polite live region. */
import { t } from '../../shared/base/text.ts'
import type { MenuEntry } from './menu-entries.ts'

export interface ToastAction {
  readonly label: string
  readonly run: () => void
  /** The action undoes what the notification reports. */
  readonly undoes?: true
  /** Whether the action is still possible; absent means until it has run. */
  readonly can?: () => boolean
}

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
/** Errors stay longer, because they take longer to read. */
const BAD_LIFE_MS = 20_000
/** An overdue notification stays this long after the mouse and the focus leave it. */
const GRACE_MS = 4_000
const MAX_TOLD = 30
const SAY_EVERY_MS = 2_500

export const undoing = (run: () => void, can?: () => boolean): ToastAction => ({
  label: t('Undo'),
  run,
  undoes: true,
  ...(can && { can }),
})

export class Toasts {
  list = $state.raw<readonly Toast[]>([])
  /** All notifications, newest first, including those no longer shown. */
  told = $state.raw<readonly Toast[]>([])
  /** The text for screen readers: at most one sentence every few seconds, the latest one. */
  said = $state('')
  /** How often the shortcut to the current notification was pressed. */
  asked = $state(0)
  /** The notification under the mouse or the focus; it stays even if a newer one arrives. */
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

  /** The notification shown: the held one, or else the newest. */
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

  /** Dismisses a notification; its actions remain available in the list. */
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

  /** Keeps a notification from expiring. */
  hold(id: number): void {
    if (this.#held !== null && this.#held !== id) this.release()
    this.#held = id
  }
  /** The mouse and the focus have left: an overdue notification goes away after a grace period. */
  release(): void {
    const id = this.#held
    this.#held = null
    if (id === null || !this.#overdue) return
    this.#overdue = false
    this.#later(() => this.#expire(id), GRACE_MS)
  }

  /** Whether a notification's action is still possible. */
  can({ action }: Toast): boolean {
    return action !== null && (action.can?.() ?? true)
  }
  /** Runs a notification's action, once. */
  act(toast: Toast): void {
    this.told = this.told.map((one) => (one.id === toast.id ? { ...one, action: null } : one))
    this.dismiss(toast.id)
    if (this.can(toast)) toast.action?.run()
  }
  /** Runs the latest possible Undo action; returns false if there is none. */
  undoLast(): boolean {
    const last = this.told.find((one) => one.action?.undoes === true && this.can(one))
    if (last) this.act(last)
    return last !== undefined
  }

  /** Announces a text politely to screen readers. */
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
