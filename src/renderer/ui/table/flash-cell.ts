/**
 * Fades a cell's background in the color of a direction, in steps. A CSS animation would make the window restyle and
 * repaint every frame while it runs, which costs as much as the prices themselves. Three steps repaint the cell only
 * three times. The colors are in base.css.
 */

import { frameRate } from '../../base/frame-rate.ts'

/** Duration of one of three steps, ms. */
const STEP_MS = 83
const STEPS = 3

interface Lit {
  readonly direction: 'up' | 'down'
  left: number
}

/** The part of an element that a fade uses. Its `data-flash` attribute holds the direction and remaining strength. */
export type Flashable = Pick<HTMLElement, 'setAttribute' | 'removeAttribute'>

/** Fades sharing one timer, so many cells cost one extra frame per step instead of one each. */
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
  // A hidden window has no frames, and its cells fade nevertheless.
  (ms, then) => void setTimeout(() => (document.hidden ? then() : frameRate.data(then)), ms),
  () => document.documentElement.dataset['motion'] === 'less',
)

/** Fades a cell of this window once, unless motion is reduced (`data-motion` of the root). */
export function flashCell(element: HTMLElement, direction: 1 | -1): void {
  flashes.flash(element, direction)
}
