/** Which drawing is under the pointer, and which of its handles can be moved. */
import type { Surroundings } from './state.ts'
import { figureOf } from './figure.ts'
import type { Handle, Pixel } from './figure-parts.ts'
import { gripAt, REACH, type Grip } from './grip.ts'
import { isOutside } from './plot-area.ts'
import type { Drawing } from '../types.ts'

/** What is at a pixel: the selected drawing's handles first, then the topmost line, then the topmost fill. */
export function hit(
  at: Pixel,
  selected: string | null,
  around: Pick<Surroundings, 'surface' | 'drawings' | 'isShown'>,
  reach = REACH,
): { readonly drawing: Drawing; readonly grip: Grip } | null {
  let ground: { drawing: Drawing; grip: Grip } | null = null
  let line: { drawing: Drawing; grip: Grip } | null = null
  for (let i = around.drawings.length - 1; i >= 0; i--) {
    const drawing = around.drawings[i]
    if (!around.isShown(drawing) || isOutside(drawing, around.surface)) continue
    const figure = figureOf(drawing, around.surface)
    if (figure === null) continue
    const grip = gripAt(figure, at, drawing.id === selected, drawing.style.width, reach)
    if (grip?.is === 'handle') return { drawing, grip }
    if (grip?.is === 'line') line ??= { drawing, grip }
    else if (grip) ground ??= { drawing, grip }
  }
  return line ?? ground
}

/** The handles that move something of their own. */
export function handlesOf(drawing: Drawing, around: Pick<Surroundings, 'surface'>): readonly Handle[] {
  const handles = figureOf(drawing, around.surface)?.handles ?? []
  return handles.filter(({ msOf, priceOf }) => msOf !== null || priceOf !== null)
}
