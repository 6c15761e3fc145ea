/** A chart for tests: a pixel is a second and a unit of price; bars begin every 10 s with highs and lows 20 apart. */
import type { Surface, Surroundings } from '../../../../../src/shared/features/drawings/editor/state.ts'
import { defaultStyle, type Drawing } from '../../../../../src/shared/features/drawings/types.ts'

export const flat: Surface = {
  plot: { left: 0, top: 0, width: 1_000, height: 1_000 },
  toPixel: ({ ms, price }) => ({ x: ms / 1_000, y: 1_000 - price }),
  toPoint: ({ x, y }) => ({ ms: x * 1_000, price: 1_000 - y }),
  tidy: ({ ms, price }) => ({ ms: Math.round(ms), price: Math.round(price * 100) / 100 }),
  snap({ x, y }) {
    const ms = Math.round(x / 10) * 10_000
    const level = Math.round((1_000 - y) / 20) * 20
    return Math.abs(1_000 - y - level) <= 5 ? { ms, price: level } : null
  },
  step: ({ ms, price }, bars, steps) => ({ ms: ms + bars * 10_000, price: price + steps }),
  middle: () => ({ ms: 500_000, price: 500 }),
  words: {
    price: (value) => value.toFixed(2),
    change: (value) => value.toFixed(2),
    span: (from, to) => `${(to.ms - from.ms) / 1_000} s`,
    textWidth: (text) => text.length * 6,
  },
}

export function around(drawings: readonly Drawing[] = [], more: Partial<Surroundings> = {}): Surroundings {
  return {
    surface: flat,
    drawings,
    isShown: (drawing) => !drawing.hidden,
    magnet: false,
    styleOf: defaultStyle,
    id: 'new',
    asOfMs: 77,
    ...more,
  }
}
