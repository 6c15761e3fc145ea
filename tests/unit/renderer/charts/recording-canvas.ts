/** A canvas that remembers what was painted on it, and a chart of a fixed size on such canvases: jsdom paints nothing. */
import { openChart } from '../../../../src/renderer/charts/kline-chart.ts'
import { LINE_COLORS } from '../../../../src/renderer/charts/model/line-style.ts'
import type { ChartPlot, ChartPort, ChartTheme } from '../../../../src/renderer/charts/model/chart.ts'

export interface Painted {
  readonly op: 'fill' | 'stroke' | 'fillRect' | 'strokeRect' | 'fillText'
  /** Color of what was painted: of the line where it is one, else of the ground or text. */
  readonly color: string
  readonly alpha: number
  readonly dash: readonly number[]
  /** Of `fillRect` and `strokeRect`: x, y, width, height; of `fillText`: x, y. */
  readonly at: readonly number[]
  readonly text: string
  /** Points of the path, in the order they were added. */
  readonly path: readonly (readonly [number, number])[]
  /** Whether it was painted within a clip. */
  readonly clipped: boolean
  /** Where its coordinates begin, px: the sum of translations. */
  readonly origin: readonly [number, number]
  /** `source-over`, or `destination-over` where it was painted under everything before. */
  readonly composite: string
}

interface Style {
  fillStyle: unknown
  strokeStyle: unknown
  globalAlpha: number
  dash: readonly number[]
  clipped: boolean
  origin: readonly [number, number]
  globalCompositeOperation: string
}

/** Width of a letter, px: texts are measured, never drawn. */
const LETTER_PX = 6

/** A drawing context that tells everything it was asked to paint to `tell`. */
export function recordingContext(tell: (painted: Painted) => void): CanvasRenderingContext2D {
  let style: Style = {
    fillStyle: '',
    strokeStyle: '',
    globalAlpha: 1,
    dash: [],
    clipped: false,
    origin: [0, 0],
    globalCompositeOperation: 'source-over',
  }
  const stack: Style[] = []
  let path: [number, number][] = []
  const paint = (op: Painted['op'], color: unknown, at: readonly number[] = [], text = ''): void =>
    tell({
      op,
      color: String(color),
      alpha: style.globalAlpha,
      dash: style.dash,
      at,
      text,
      path: [...path],
      clipped: style.clipped,
      origin: style.origin,
      composite: style.globalCompositeOperation,
    })
  const point = (x: number, y: number): void => void path.push([x, y])
  const box = (x: number, y: number, width: number, height: number): void =>
    void path.push([x, y], [x + width, y], [x + width, y + height], [x, y + height])
  const acts: Record<string, unknown> = {
    save: () => stack.push({ ...style }),
    restore: () => (style = stack.pop() ?? style),
    beginPath: () => (path = []),
    moveTo: point,
    lineTo: point,
    rect: box,
    roundRect: box,
    translate: (x: number, y: number) => (style.origin = [style.origin[0] + x, style.origin[1] + y]),
    clip: () => (style.clipped = true),
    setLineDash: (dash: readonly number[]) => (style.dash = [...dash]),
    getLineDash: () => style.dash,
    // An empty path paints nothing.
    fill: () => path.length > 0 && paint('fill', style.fillStyle),
    stroke: () => path.length > 0 && paint('stroke', style.strokeStyle),
    fillRect: (...at: number[]) => paint('fillRect', style.fillStyle, at),
    strokeRect: (...at: number[]) => paint('strokeRect', style.strokeStyle, at),
    fillText: (text: string, x: number, y: number) => paint('fillText', style.fillStyle, [x, y], text),
    measureText: (text: string) => ({ width: text.length * LETTER_PX }),
    createLinearGradient: () => ({ addColorStop: () => undefined }),
  }
  return new Proxy(acts, {
    get: (_, name: string): unknown => (name in style ? Reflect.get(style, name) : (acts[name] ?? (() => undefined))),
    set(_, name: string, value: unknown) {
      if (name in style) Reflect.set(style, name, value)
      else acts[name] = value
      return true
    },
  }) as unknown as CanvasRenderingContext2D // what painters use of it
}

export const THEME: ChartTheme = {
  pane: 'pane',
  raised: 'raised',
  line: 'line',
  grid: 'grid',
  text: 'text',
  dim: 'dim',
  faint: 'faint',
  accent: 'accent',
  up: 'up',
  down: 'down',
  warn: 'warn',
  textScale: 1,
  series: LINE_COLORS.dark,
}

/** How bars are plotted unless a test says otherwise. */
export const PLOT: ChartPlot = {
  scale: 'linear',
  inverted: false,
  volume: true,
  sessions: false,
  days: false,
  values: false,
  quoteMap: false,
  timeAtPrice: false,
  countdown: false,
  asset: 'crypto',
}

export interface RecordedChart {
  readonly port: ChartPort
  /** What the last painting painted, in its order. */
  painted(): readonly Painted[]
  /** Lets everything that waits for a frame happen, and paints anew. */
  frames(): Promise<void>
}

/** Opens a chart of a size on recording canvases. To be called once a file: it replaces what jsdom lacks. */
export function recordedChart(width: number, height: number): RecordedChart {
  let all: Painted[] = []
  const contexts = new WeakMap<HTMLCanvasElement, CanvasRenderingContext2D>()
  Object.defineProperty(HTMLCanvasElement.prototype, 'getContext', {
    configurable: true,
    value(this: HTMLCanvasElement) {
      const context = contexts.get(this) ?? recordingContext((painted) => all.push(painted))
      contexts.set(this, context)
      return context
    },
  })
  const host = document.createElement('div')
  for (const [name, px] of [
    ['clientWidth', width],
    ['clientHeight', height],
    ['offsetWidth', width],
    ['offsetHeight', height],
  ] as const)
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => px })
  document.body.append(host)
  const port = openChart(host, THEME)
  return {
    port,
    painted: () => all,
    async frames() {
      const settle = async (): Promise<void> => {
        for (let i = 0; i < 4; i++) await new Promise((next) => requestAnimationFrame(next))
      }
      await settle()
      all = []
      port.resize()
      await settle()
    },
  }
}
