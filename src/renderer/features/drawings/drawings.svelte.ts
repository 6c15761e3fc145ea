/** The drawings of this window's instruments. Changes show here at once; the terminal stores them. */
import { applyEdit, editOf, isNoEdit, sameDrawing, tooMany } from '../../../shared/features/drawings/edits.ts'
import { did, NO_HISTORY, redo, undo, type DrawingsHistory } from '../../../shared/features/drawings/history.ts'
import type { Drawing, DrawingKind, DrawingMarket, DrawingsState } from '../../../shared/features/drawings/types.ts'
import type { Failure } from '../../../shared/base/errors.ts'
import type { SettingsPatch } from '../../../shared/core/settings/settings.ts'
import type { DrawingSettings } from '../../../shared/features/drawings/settings.ts'
import type { Transport } from '../../../shared/transport.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { t } from '../../../shared/base/text.ts'
import { keepStream } from '../../rpc/follow-stream.ts'

/** Changes within this time are sent together, such as the steps of a held key. */
const TOGETHER_MS = 150

/** The drawings of one instrument. Changes from other windows are merged with the ones made here. */
export class InstrumentDrawings {
  readonly market: DrawingMarket
  readonly instrument: InstrumentId
  list = $state.raw<readonly Drawing[]>([])
  history = $state.raw<DrawingsHistory>(NO_HISTORY)
  /** The terminal's drawings have arrived. */
  ready = $state(false)
  /** The terminal's list that the local changes are based on. */
  #base: readonly Drawing[] = []
  #revision = -1
  /** The drawings of the edit that the terminal hasn't answered yet; null: none. */
  #sending: readonly Drawing[] | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #transport: Transport
  readonly #onProblem: (failure: Failure) => void
  readonly #close: () => void

  constructor(
    transport: Transport,
    market: DrawingMarket,
    instrument: InstrumentId,
    onProblem: (failure: Failure) => void,
  ) {
    this.market = market
    this.instrument = instrument
    this.#transport = transport
    this.#onProblem = onProblem
    this.#close = keepStream(
      transport,
      'drawings',
      { market, instrument },
      (state) => this.#arrived(state),
      // A restarted terminal starts counting from zero.
      () => (this.#revision = -1),
    )
  }

  #arrived({ revision, drawings, problem }: DrawingsState): void {
    this.ready = true
    if (problem !== undefined) this.#onProblem({ code: 'store-damaged', message: problem })
    if (revision < this.#revision) return
    this.#revision = revision
    const mine = editOf(this.#base, this.list)
    // Not reactive: no component reads it.
    // eslint-disable-next-line svelte/prefer-svelte-reactivity
    const old = new Map(this.list.map((one) => [one.id, one]))
    // Keep the object of an unchanged drawing, so what depends on it isn't recreated.
    this.#base = drawings.map((one) => {
      const was = old.get(one.id)
      return was && sameDrawing(was, one) ? was : one
    })
    const next = applyEdit(this.#base, mine)
    const same = next.length === this.list.length && next.every((one, i) => one === this.list[i])
    if (!same) this.list = next
  }

  /** Shows and stores changed drawings. If there are too many, notifies the user and returns false. */
  change(drawings: readonly Drawing[], what: string, merge: string | null = null): boolean {
    const limit = drawings.length > this.list.length ? tooMany(drawings) : null
    if (limit !== null) {
      this.#onProblem({ code: 'too-large', message: limit, hint: t('Delete some, then try again.') })
      return false
    }
    this.history = did(this.history, this.list, drawings, what, merge)
    this.#set(drawings, merge !== null)
    return true
  }
  /** Undoes the last change. Returns its name, or null if there is none. */
  undo(): string | null {
    return this.#walk(undo(this.history, this.list))
  }
  redo(): string | null {
    return this.#walk(redo(this.history, this.list))
  }
  #walk(walked: ReturnType<typeof undo>): string | null {
    if (walked === null) return null
    this.history = walked.history
    this.#set(walked.drawings, false)
    return walked.what
  }

  #set(drawings: readonly Drawing[], later: boolean): void {
    this.list = drawings
    clearTimeout(this.#timer)
    if (later) this.#timer = setTimeout(() => this.flush(), TOGETHER_MS)
    else this.flush()
  }

  /** Sends pending changes to the terminal. `now`: even before it has answered the ones before. */
  flush(now = false): void {
    clearTimeout(this.#timer)
    if (this.#sending !== null && !now) return
    const edit = editOf(this.#sending ?? this.#base, this.list)
    if (isNoEdit(edit)) return
    this.#sending = this.list
    void this.#transport
      .invoke('drawings.edit', { market: this.market, instrument: this.instrument, edit })
      .then((result) => {
        this.#sending = null
        if (result.ok) {
          this.#arrived(result.value)
          this.flush()
          return
        }
        // Don't show changes that couldn't be stored.
        this.list = this.#base
        this.history = NO_HISTORY
        this.#onProblem(result.error)
      })
  }

  close(): void {
    this.flush(true)
    this.#close()
  }
}

/** The actions that window commands run on a chart's drawings. */
export interface DrawingCommands {
  choose(tool: DrawingKind | null): void
  next(step: 1 | -1): void
  undo(): string
  redo(): string
  setMagnet(on: boolean): void
  hideAll(hidden: boolean): void
  lockAll(locked: boolean): void
  removeAll(): void
  readonly allLocked: boolean
  readonly settings: DrawingSettings
  /** Moves the keyboard focus to the chart. */
  focus(): void
}

/** What drawings use of their window. */
export interface DrawingWindow {
  readonly settings: () => DrawingSettings
  readonly set: (patch: SettingsPatch) => void
  /** Shows a notification with an Undo button; `can` returns whether undoing is still possible. */
  readonly tell: (text: string, undo: () => void, can: () => boolean) => void
  readonly problem: (failure: Failure) => void
  readonly symbolOf: (instrument: InstrumentId) => string
}

/** The drawings of every instrument shown in this window, and the window's clipboard for them. */
export class DrawingsBook {
  clipboard = $state.raw<Drawing | null>(null)
  /** The chart that commands go to: the one used last. */
  controller: DrawingCommands | null = null
  readonly window: DrawingWindow
  // Not reactive: no component reads it.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly #open = new Map<string, { readonly drawings: InstrumentDrawings; charts: number }>()
  /** Undo histories of instruments that no chart shows at the moment. */
  // Not reactive: no component reads it.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly #histories = new Map<string, DrawingsHistory>()
  /** Problems with files that the user was notified of: an instrument can be shown again and again. */
  // Not reactive: no component reads it.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly #told = new Set<string>()
  readonly #transport: Transport

  constructor(transport: Transport, window: DrawingWindow) {
    this.#transport = transport
    this.window = window
  }

  /** The drawings of an instrument in a market, while a chart shows them. Every `take` needs a `release`. */
  take(market: DrawingMarket, instrument: InstrumentId): InstrumentDrawings {
    const key = `${market} ${instrument}`
    let one = this.#open.get(key)
    if (one === undefined) {
      const problem = (failure: Failure): void => {
        if (failure.code === 'store-damaged' && this.#told.has(failure.message)) return
        this.#told.add(failure.message)
        // The terminal names the instrument; it doesn't know how the window writes its symbol.
        const message = failure.message.replace(instrument, this.window.symbolOf(instrument))
        this.window.problem({ ...failure, message })
      }
      one = { drawings: new InstrumentDrawings(this.#transport, market, instrument, problem), charts: 0 }
      one.drawings.history = this.#histories.get(key) ?? NO_HISTORY
      this.#open.set(key, one)
    }
    one.charts++
    return one.drawings
  }
  release(market: DrawingMarket, instrument: InstrumentId): void {
    const key = `${market} ${instrument}`
    const one = this.#open.get(key)
    if (one === undefined || --one.charts > 0) return
    this.#open.delete(key)
    this.#histories.set(key, one.drawings.history)
    one.drawings.close()
  }
  /** Whether a chart still shows these drawings. */
  shows(drawings: InstrumentDrawings | null): boolean {
    return [...this.#open.values()].some((one) => one.drawings === drawings)
  }
  /** Sends all pending changes, because the window may close. */
  flush(): void {
    for (const { drawings } of this.#open.values()) drawings.flush(true)
  }
}
