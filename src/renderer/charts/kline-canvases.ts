/**
 * Repaints only those canvases of a chart that may have changed, without making the browser lay out the page.
 *
 * With every bar, klinecharts repaints all canvases, among them hidden ones for the crosshair and axes whose labels are
 * the same, and reads the size of each element between its writes. Here each pane and widget of a chart gets its own
 * `update`, which remembers the sizes it wrote. It uses internals of the pinned version (decision 0103);
 * `kline-canvases.test.ts` fails if they change.
 */
import type { AxisTick, Chart } from 'klinecharts'

/** The library's levels of an update. From `DRAWER` on, all canvases; it is the default. */
const MAIN = 0
const OVERLAY = 1
const DRAWER = 3

interface Size {
  readonly width: number
  readonly height: number
}
interface Bounding extends Size {
  readonly left: number
}
interface LibraryCanvas {
  update(width: number, height: number): void
}
interface Widget {
  _mainCanvas: LibraryCanvas
  _overlayCanvas: LibraryCanvas
  updateImp(container: HTMLElement, bounding: Bounding, level: number): void
}
interface Axis {
  getTicks(): readonly AxisTick[]
}
/** A pane, or the line between two. */
interface Part {
  getContainer(): HTMLElement
  getBounding(): Size
  update(level?: number): void
  updateImp(level: number, container: HTMLElement, bounding: Size): void
}
interface Pane extends Part {
  getId(): string
  getMainWidget(): Widget
  getYAxisWidgets(): readonly Widget[]
  getYAxisComponents(): readonly Axis[]
  /** Of the pane of the time axis only. */
  getXAxisComponent?(): Axis
}
interface Layout {
  readonly measureWidth: true
  readonly secondMeasureWidth: true
  readonly update: true
  readonly buildYAxisTick: true
  readonly forceBuildYAxisTick: true
}
/** What the library's chart has beyond its public types. */
interface Internals {
  getDrawPanes(): readonly Pane[]
  getSeparatorPanes(): ReadonlyMap<Pane, Part>
  updatePane(level: number, paneId?: string): void
  layout(options: Layout): void
}

/** What the canvas of an axis shows besides its styles. */
const axisState = (axis: Axis, { width, height }: Size): string =>
  [width, height, ...axis.getTicks().flatMap(({ coord, text }) => [coord, text])].join()

export class Canvases {
  readonly #chart: Internals
  readonly #hasCrosshair: () => boolean
  readonly #taken = new WeakSet<Part>()
  /** Grows when styles or fonts changed, so that everything is painted again. */
  #generation = 0

  /** `hasCrosshair`: whether the crosshair's canvases are visible. */
  constructor(chart: Chart, hasCrosshair: () => boolean) {
    const internals = chart as unknown as Internals // see above
    this.#chart = internals
    this.#hasCrosshair = hasCrosshair
    const update = internals.updatePane.bind(internals)
    internals.updatePane = (level, paneId) => {
      this.#take()
      update(level, paneId)
    }
    // jsdom has no fonts.
    if ('fonts' in document) document.fonts.addEventListener('loadingdone', this.forget)
  }

  /** Paints everything with the next update: styles or sizes changed. */
  readonly forget = (): void => {
    this.#generation++
  }

  /** Paints with the next frame. Unlike the library's `resize`, it doesn't measure the chart's element. */
  repaint(): void {
    this.#chart.layout({
      measureWidth: true,
      secondMeasureWidth: true,
      update: true,
      buildYAxisTick: true,
      forceBuildYAxisTick: true,
    })
  }

  stop(): void {
    if ('fonts' in document) document.fonts.removeEventListener('loadingdone', this.forget)
  }

  /** Takes over the updates of new panes. */
  #take(): void {
    const isNew = (part: Part): boolean => !this.#taken.has(part)
    for (const line of [...this.#chart.getSeparatorPanes().values()].filter(isNew)) this.#takePart(line)
    for (const pane of this.#chart.getDrawPanes().filter(isNew)) {
      this.#takePart(pane)
      this.#takeWidget(pane.getMainWidget(), () => pane.getXAxisComponent?.())
      // Labels of studies cover numbers of their axis after it was laid out, so only that of the volume is compared.
      const axis = (): Axis | undefined => (pane.getId() === 'volume' ? pane.getYAxisComponents().at(0) : undefined)
      for (const widget of pane.getYAxisWidgets()) this.#takeWidget(widget, axis)
    }
  }

  #takePart(part: Part): void {
    this.#taken.add(part)
    let height = NaN
    part.update = (level = DRAWER) => {
      const bounding = part.getBounding()
      const container = part.getContainer()
      if (bounding.height !== height) {
        height = bounding.height
        container.style.height = `${height}px`
      }
      part.updateImp(level, container, bounding)
    }
  }

  /** `axisOf`: what the main canvas shows, if it shows only that. */
  #takeWidget(widget: Widget, axisOf: () => Axis | undefined): void {
    const { _mainCanvas: main, _overlayCanvas: overlay } = widget
    let [left, width, height] = [NaN, NaN, NaN]
    let painted = ''
    widget.updateImp = (container, bounding, level) => {
      const isResized = bounding.width !== width || bounding.height !== height
      if (bounding.left !== left) {
        left = bounding.left
        container.style.left = `${left}px`
      }
      if (isResized) {
        ;({ width, height } = bounding)
        container.style.width = `${width}px`
        container.style.height = `${height}px`
      }
      const isWhole = isResized || level >= DRAWER
      if (isWhole || level === MAIN) {
        const axis = axisOf()
        const state = axis && `${this.#generation} ${axisState(axis, bounding)}`
        if (state === undefined || state !== painted) main.update(width, height)
        painted = state ?? ''
      }
      // A crosshair that appears updates this level.
      if (isResized || level === OVERLAY || (isWhole && this.#hasCrosshair())) overlay.update(width, height)
    }
  }
}
