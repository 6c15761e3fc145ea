/** Labels of figures: their place and size, and how they are kept in sight. */
import type { Box, Frame, Label, Pixel, Tone } from './figure-parts.ts'

/** Px at the usual size of the text. */
const LINE = 15
const PAD = 5

/** Px of a line of a label. */
export const labelLine = ({ textScale = 1 }: Pick<Frame, 'textScale'>): number => Math.round(LINE * textScale)

/** Lines of text as a label whose side or corner lies at a place. */
export function label(
  frame: Frame,
  lines: readonly string[],
  at: Pixel,
  options: {
    /** Which part of it lies at `at`: 0 its left or top, 1 its right or bottom. */
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

/** Keeps the labels of a box that is seen in part within the plot area; those of one that is not stay beside it. */
export function kept(labels: readonly Label[], a: Pixel, b: Pixel, { left, top, width, height }: Box): Label[] {
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

/** From one price to another, with its sign. */
export const percent = (from: number, to: number): string => {
  if (from === 0) return '—'
  const value = ((to - from) / Math.abs(from)) * 100
  const shown = Math.abs(value).toFixed(2)
  return `${Number(shown) === 0 ? '' : value > 0 ? '+' : '−'}${shown} %`
}
