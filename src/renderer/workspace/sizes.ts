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
/** The quote shows all it has at this height; less only if someone chose it. */
const WHOLE_QUOTE = 316

const clamp = (n: number, least: number, most: number) => Math.min(Math.max(n, least), Math.max(least, most))

/** `height`: of the area between top bar and status bar. */
export function fitSizes(chosen: Chosen, width: number, height: number): Sizes {
  const right = clamp(chosen.right, LEAST.right, width - LEAST.left - LEAST.centre)
  const left = clamp(chosen.left, LEAST.left, width - right - LEAST.centre)
  const bottom = clamp(chosen.bottom > 0 ? chosen.bottom : USUAL_BOTTOM, LEAST.bottom, height - LEAST.chart)
  const wanted = chosen.split === 0.28 ? Math.max(WHOLE_QUOTE, chosen.split * height) : chosen.split * height
  const quote = clamp(wanted, LEAST.quote, height - LEAST.tape)
  return { left: Math.round(left), right: Math.round(right), bottom: Math.round(bottom), quote: Math.round(quote) }
}
