/** Sizes of the panes: what was chosen, within what the window has room for. Px. */

export interface Sizes {
  readonly left: number
  readonly right: number
  readonly bottom: number
  readonly quote: number
}
export interface Chosen {
  readonly left: number
  readonly right: number
  /** 0: never chosen. */
  readonly bottom: number
  /** Share of the right column that the quote takes. */
  readonly split: number
}
export const LEAST = { left: 200, right: 224, centre: 340, bottom: 96, chart: 180, quote: 120, tape: 120 } as const
const USUAL_BOTTOM = 190
/** Panes of research are read rather than glanced at. */
const USUAL_TALL = 372
const LEAST_TALL = 240

/** Least height of the lower pane, within a height that has room for the chart. */
export const leastBottom = (tall: boolean, height: number): number =>
  tall ? Math.min(LEAST_TALL, Math.max(LEAST.bottom, height - LEAST.chart)) : LEAST.bottom
/** The quote shows all it has at this height; less only if someone chose it. */
const WHOLE_QUOTE = 316

const clamp = (n: number, least: number, most: number) => Math.min(Math.max(n, least), Math.max(least, most))

/** `height`: of the area between top bar and status bar. `tall`: the lower pane wants more of it than usual. */
export function fitSizes(chosen: Chosen, width: number, height: number, tall = false): Sizes {
  const right = clamp(chosen.right, LEAST.right, width - LEAST.left - LEAST.centre)
  const left = clamp(chosen.left, LEAST.left, width - right - LEAST.centre)
  const usual = tall ? USUAL_TALL : USUAL_BOTTOM
  const bottom = clamp(chosen.bottom > 0 ? chosen.bottom : usual, leastBottom(tall, height), height - LEAST.chart)
  const wanted = chosen.split === 0.28 ? Math.max(WHOLE_QUOTE, chosen.split * height) : chosen.split * height
  const quote = clamp(wanted, LEAST.quote, height - LEAST.tape)
  return { left: Math.round(left), right: Math.round(right), bottom: Math.round(bottom), quote: Math.round(quote) }
}
