/** Drawings for tests: plain ones by hand, and any at all. */
import fc from 'fast-check'
import {
  defaultStyle,
  DRAWING_COLORS,
  DRAWING_DASHES,
  DRAWING_KINDS,
  POINT_COUNTS,
  type Drawing,
  type DrawingKind,
  type DrawingPoint,
} from '../../../../../src/shared/features/drawings/types.ts'

export const at = (ms: number, price: number): DrawingPoint => ({ ms, price })

export function drawing(kind: DrawingKind, points: readonly DrawingPoint[], more: Partial<Drawing> = {}): Drawing {
  return {
    id: 'd',
    kind,
    points,
    style: defaultStyle(kind),
    text: '',
    locked: false,
    hidden: false,
    asOfMs: 0,
    ...more,
  }
}

const coordinate = fc.double({ min: -1e12, max: 1e12, noNaN: true, noDefaultInfinity: true })

export const anyDrawing: fc.Arbitrary<Drawing> = fc.constantFrom(...DRAWING_KINDS).chain((kind) => {
  const [least, most] = POINT_COUNTS[kind]
  return fc.record({
    id: fc.string({ minLength: 1, maxLength: 4 }),
    kind: fc.constant(kind),
    points: fc.array(fc.record({ ms: coordinate, price: coordinate }), {
      minLength: least,
      maxLength: Math.min(most, 12),
    }),
    style: fc.record({
      color: fc.constantFrom(...DRAWING_COLORS),
      width: fc.integer({ min: 1, max: 4 }),
      dash: fc.constantFrom(...DRAWING_DASHES),
      fill: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    text: fc.string({ maxLength: 20 }),
    locked: fc.boolean(),
    hidden: fc.boolean(),
    asOfMs: coordinate,
  })
})

export const anyDrawings = fc.uniqueArray(anyDrawing, { selector: (one) => one.id, maxLength: 12 })

/** Neither Shift nor Ctrl is held. */
export const NO_MODS = { shift: false, ctrl: false }
