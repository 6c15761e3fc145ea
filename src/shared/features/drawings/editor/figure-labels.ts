/** Labels of figures: their position and size, and how to keep them visible. */
import type { Box, Frame, Label, Pixel, Tone } from './figure-parts.ts'

/** Px at the default text size. */
const LINE = 15
const PAD = 5

/** The height of a label's line, px. */
export const labelLine = ({ textScale = 1 }: Pick<Frame, 'textScale'>): number => Math.round(LINE * textScale)

/** Lines of text as a label with one side or corner at a position. */
export function label(
  frame: Frame,
  lines: readonly string[],
  at: Pixel,
  options: {
    /** The part of the label at `at`: 0 is its left or top, 1 its right or bottom. */
    readonly x: number
    readonly y: number
    readonly tone?: Tone
    readonly boxed?: boolean
    readonly bold?: boolean
  },
): Label {
  const widest = Math.max(...lines.map((line) => frame.words.textWidth(line, options.bold ?? false)))
  const line = labelLine(frame)
  const pad = Math.round(PAD * (frame.textScale ?? 1))
  const width = Math.ceil(widest) + pad * 2
  const height = lines.length * line + 4
  return {
    lines,
    line,
    pad,
    tone: options.tone ?? 'own',
    boxed: options.boxed ?? false,
    left: Math.round(at.x - width * options.x),
    top: Math.round(at.y - height * options.y),
    width,
    height,
  }
}

/** Moves the labels of a partly visible box into the plot area. Those of an invisible box stay next to it. */
export function labelsInside(labels: readonly Label[], a: Pixel, b: Pixel, { left, top, width, height }: Box): Label[] {
  const seenAcross = Math.max(a.x, b.x) >= left && Math.min(a.x, b.x) <= left + width
  const seenDown = Math.max(a.y, b.y) >= top && Math.min(a.y, b.y) <= top + height
  if (!seenAcross || !seenDown) return [...labels]
  const within = (at: number, size: number, from: number, room: number): number =>
    Math.max(from + 2, Math.min(at, from + room - size - 2))
  return labels.map((one) => ({
    ...one,
    left: within(one.left, one.width, left, width),
    top: within(one.top, one.height, top, height),
  }))
}

/** The change from one price to another in percent, with its sign. */
export const percent = (from: number, to: number): string => {
  if (from === 0) return '—'
  const value = ((to - from) / Math.abs(from)) * 100
  const shown = Math.abs(value).toFixed(2)
  return `${Number(shown) === 0 ? '' : value > 0 ? '+' : '−'}${shown} %`
}
