/** A chart as drawings see it: positions, bar prices to snap to, key steps, and label texts. */
import type { Surface } from '../../../shared/features/drawings/editor/state.ts'
import type { Figure, Pixel } from '../../../shared/features/drawings/editor/figure-parts.ts'
import { priceStep, rounded } from '../../../shared/features/drawings/editor/shape.ts'
import type { Drawing, DrawingPoint } from '../../../shared/features/drawings/types.ts'
import { t } from '../../../shared/base/text.ts'
import { twoUnits } from '../../text/lengths.ts'
import type { ChartPort } from '../model/chart.ts'

export interface SurfaceOptions {
  readonly decimals: () => number
  /** Length of a bar, ms; 1 for ticks. */
  readonly intervalMs: () => number
  /** The chart is a line, so drawings snap only to closes. */
  readonly closeOnly: () => boolean
  readonly price: (value: number) => string
  readonly volume: (value: number) => string
  /** Width of a line of text, px. */
  readonly textWidth: (text: string, bold: boolean) => number
  /** Text size relative to the default. */
  readonly textScale: () => number
}

export interface ChartSurface extends Surface {
  /** Call it when the view changed. */
  renew(): void
}

type SurfacePort = Pick<ChartPort, 'pixelOf' | 'pointAt' | 'plotArea' | 'barAt' | 'visibleBars' | 'barsBetween'>

/** Distance within which a point snaps to a bar's price, px. */
const SNAP = 18
/** An arrow key moves a point up or down by at least this, px. */
const KEY_PX = 2

/** A length of time in its two largest units: "2 d 4 h", "350 ms". */
export const lengthText = (ms: number): string => twoUnits(Math.abs(ms))

/** Heights of prices on an even (linear) scale. */
interface Heights {
  readonly of: number
  readonly at: number
  readonly perPrice: number
}

/** Null if the scale is logarithmic or there is none yet. */
function evenHeights(port: SurfacePort, { left, top, height }: Surface['plot']): Heights | null {
  const low = port.pointAt(left, top + height)
  const high = port.pointAt(left, top)
  if (!low || !high || !(Math.abs(high.price - low.price) > 0)) return null
  const [a, b, middle] = [low.price, high.price, (low.price + high.price) / 2].map((price) =>
    port.pixelOf(low.ms, price),
  )
  if (!a || !b || !middle || Math.abs((a.y + b.y) / 2 - middle.y) > 1e-3) return null
  return { of: low.price, at: a.y, perPrice: (b.y - a.y) / (high.price - low.price) }
}

/** The surface of a chart. Widths of texts are cached: the same few are measured in every frame. */
export function chartSurface(port: SurfacePort, options: SurfaceOptions): ChartSurface {
  let plot = port.plotArea()
  let known = new WeakMap<Drawing, Figure | null>()
  let textScale = options.textScale()
  const widths = new Map<string, number>()

  const tidy = ({ ms, price }: DrawingPoint): DrawingPoint => ({
    ms: Math.round(ms),
    price: rounded(price, options.decimals()),
  })
  const toPoint = ({ x, y }: Pixel): DrawingPoint | null => {
    const point = port.pointAt(x, y)
    return point && Number.isFinite(point.ms) && Number.isFinite(point.price) ? tidy(point) : null
  }
  // The chart takes microseconds per position, and hundreds of drawings need thousands per frame. So each instant is
  // looked up once per view, and prices are computed if the scale is even.
  const columns = new Map<number, number>()
  let heights: Heights | null | undefined
  const toPixel = ({ ms, price }: DrawingPoint): Pixel | null => {
    if (heights === undefined) heights = evenHeights(port, plot)
    const x = columns.get(ms)
    if (heights !== null && x !== undefined) return { x, y: heights.at + (price - heights.of) * heights.perPrice }
    const pixel = port.pixelOf(ms, price)
    if (pixel) columns.set(ms, pixel.x)
    return pixel
  }

  return {
    get plot() {
      return plot
    },
    get known() {
      return known
    },
    renew() {
      plot = port.plotArea()
      known = new WeakMap()
      columns.clear()
      heights = undefined
      if (widths.size > 5_000 || textScale !== options.textScale()) widths.clear()
      textScale = options.textScale()
    },
    get textScale() {
      return textScale
    },
    toPixel,
    toPoint,
    tidy,
    closes: (fromMs, toMs) => port.barsBetween(fromMs, toMs).map(({ startMs, close }) => ({ ms: startMs, close })),
    snap(at) {
      const bar = port.barAt(at.x)
      if (!bar) return null
      let best: DrawingPoint | null = null
      let least = SNAP
      for (const price of options.closeOnly() ? [bar.close] : [bar.high, bar.low, bar.close, bar.open]) {
        const pixel = toPixel({ ms: bar.startMs, price })
        const away = pixel ? Math.abs(pixel.y - at.y) : Infinity
        if (away < least) [best, least] = [{ ms: bar.startMs, price }, away]
      }
      return best
    },
    step(point, bars, steps) {
      const from = toPixel(point)
      const below = from && port.pointAt(from.x, from.y + 1)
      if (!from || !below) return point
      const above = port.pointAt(from.x, from.y - 1)
      const perPixel = Math.abs((above?.price ?? point.price) - below.price) / 2 || 10 ** -options.decimals()
      const price = point.price + steps * priceStep(perPixel, options.decimals(), KEY_PX)
      if (bars === 0) return tidy({ ms: point.ms, price })
      const ms = point.ms + bars * options.intervalMs()
      // A night or a gap has almost no width: move to what is visible one bar further.
      const distanceTo = (ms: number): number => Math.abs((toPixel({ ms, price: point.price })?.x ?? from.x) - from.x)
      const wide = Math.max(distanceTo(point.ms + options.intervalMs()), distanceTo(point.ms - options.intervalMs()), 1)
      const x = from.x + Math.sign(bars) * Math.max(wide, 4)
      const seen = distanceTo(ms) < 0.5 * wide ? port.pointAt(x, from.y) : null
      return tidy({ ms: seen?.ms ?? ms, price })
    },
    middle() {
      const bars = port.visibleBars()
      const bar = bars[Math.floor(bars.length / 2)]
      return bar
        ? { ms: bar.startMs, price: bar.close }
        : toPoint({ x: plot.left + plot.width / 2, y: plot.top + plot.height / 2 })
    },
    words: {
      price: options.price,
      change: (value) => `${value > 0 ? '+' : value < 0 ? '−' : ''}${options.price(Math.abs(value))}`,
      span(from, to) {
        const [first, last] = from.ms <= to.ms ? [from.ms, to.ms] : [to.ms, from.ms]
        const time = lengthText(last - first)
        const bars = port.visibleBars()
        const all = bars.length > 0 && first >= bars[0].startMs && last <= bars[bars.length - 1].endMs
        // Bars out of view aren't counted.
        if (!all) return time
        const within = bars.filter((bar) => bar.startMs >= first && bar.startMs < last)
        const volume = within.reduce((sum, bar) => sum + (bar.volume ?? 0), 0)
        const counted = t(
          { one: '{count} bar, {span}', other: '{count} bars, {span}' },
          { count: within.length, span: time },
        )
        return volume > 0 ? t('{bars}, vol {volume}', { bars: counted, volume: options.volume(volume) }) : counted
      },
      textWidth(text, bold) {
        const key = bold ? `*${text}` : text
        let width = widths.get(key)
        if (width === undefined) {
          width = options.textWidth(text, bold)
          widths.set(key, width)
        }
        return width
      },
    },
  }
}
