/**
 * The fade of a cell's background in the colour of a direction, in steps. A running animation makes
 * the window style, paint and commit every frame for as long as it runs, which cost as much as the
 * prices themselves; three steps repaint the cell three times. The colours stand in base.css.
 */

/** 250 ms in all. */
const STEP_MS = 83
const STEPS = 3

interface Lit {
  readonly direction: 'up' | 'down'
  left: number
}

/** What a fade does to an element: `data-flash` is its direction and how strong it still is. */
export type Flashable = Pick<HTMLElement, 'setAttribute' | 'removeAttribute'>

/** Fades that share one timer, so that many cells cost one more frame a step, not one each. */
export class Flashes {
  readonly #lit = new Map<Flashable, Lit>()
  readonly #after: (ms: number, then: () => void) => void
  readonly #reduced: () => boolean
  #asked = false

  constructor(after: (ms: number, then: () => void) => void, reduced: () => boolean) {
    this.#after = after
    this.#reduced = reduced
  }

  /** Starts or restarts a fade. Does nothing if the user prefers reduced motion. */
  flash(element: Flashable, direction: 1 | -1): void {
    if (this.#reduced()) return
    const lit: Lit = { direction: direction === 1 ? 'up' : 'down', left: STEPS }
    this.#lit.set(element, lit)
    show(element, lit)
    this.#ask()
  }

  #ask(): void {
    if (this.#asked) return
    this.#asked = true
    this.#after(STEP_MS, () => this.#step())
  }

  #step(): void {
    this.#asked = false
    for (const [element, lit] of this.#lit) {
      lit.left--
      show(element, lit)
      if (lit.left === 0) this.#lit.delete(element)
    }
    if (this.#lit.size > 0) this.#ask()
  }
}

function show(element: Flashable, { direction, left }: Lit): void {
  if (left > 0) element.setAttribute('data-flash', `${direction}-${left}`)
  else element.removeAttribute('data-flash')
}

const flashes = new Flashes(
  (ms, then) => void setTimeout(then, ms),
  () => document.documentElement.dataset['motion'] === 'less',
)

/** Fades a cell of this window once; nothing where the window is to keep still (`data-motion` of its root). */
export function flashCell(element: HTMLElement, direction: 1 | -1): void {
  flashes.flash(element, direction)
}
