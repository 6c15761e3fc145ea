/**
 * Keeps the drawing library from painting what has not changed. At every tick it paints each canvas of each
 * pane anew, the empty ones for the crosshair too, and asks the document for sizes that it has set itself,
 * which lays out the whole page in the middle of a task. A canvas on screen costs a copy of its pixels in every
 * frame of the window, painted or not, and makes a layer of all that lies over it: an empty one is hidden. Its version is pinned; where its inside is not as
 * it was, everything is painted as before.
 */
import type { Chart } from 'klinecharts'

interface InnerCanvas {
  update: (width: number, height: number) => void
  readonly getElement: () => HTMLCanvasElement
}
interface InnerWidget {
  getContainer: () => HTMLElement
  readonly _mainCanvas: InnerCanvas
  readonly _overlayCanvas: InnerCanvas
}
interface InnerPane {
  getId: () => string
  getContainer?: () => HTMLElement
  getMainWidget: () => InnerWidget
  getYAxisWidgets?: () => InnerWidget[]
}
interface InnerChart {
  getDrawPanes: () => InnerPane[]
  getSeparatorPanes?: () => ReadonlyMap<unknown, Pick<InnerPane, 'getContainer'>>
  getChartStore: () => { getCrosshair: () => { readonly paneId?: string } }
}

type Side = 'width' | 'height'
/** Where a widget keeps its size is in its style, set by the library alone; of a pane that is the height only. */
function sizeFromStyle(element: HTMLElement, ...sides: readonly Side[]): void {
  const read = (side: Side) => ({ get: () => parseFloat(element.style[side]) || 0, configurable: true })
  for (const side of sides) {
    Object.defineProperty(element, side === 'width' ? 'clientWidth' : 'clientHeight', read(side))
  }
}

/** Lets a canvas be painted only when `same` does not answer that its picture would be what it is. */
function paintUnless(canvas: InnerCanvas, same: () => boolean): void {
  const paint = canvas.update.bind(canvas)
  let size = ''
  canvas.update = (width, height) => {
    const now = `${width} ${height}`
    // Asked for in any case: it remembers what is painted now.
    const unchanged = same()
    if (unchanged && now === size) return
    size = now
    paint(width, height)
  }
}

/**
 * Takes the chart's panes as they are now; to be called again when there are others. `axis` says in one text
 * everything that the time axis shows.
 */
export function thinPaint(chart: Chart, axis: () => string): () => void {
  // the class behind the interface; every part is looked at before it is used
  const inner = chart as unknown as Partial<InnerChart>
  const known = new WeakSet<InnerWidget>()
  let shown = ''
  const separators = (): void => {
    for (const pane of inner.getSeparatorPanes?.().values() ?? []) {
      const line = pane.getContainer?.()
      if (line) sizeFromStyle(line, 'height')
    }
  }
  return () => {
    if (typeof inner.getDrawPanes !== 'function' || typeof inner.getChartStore !== 'function') return
    // They are made once the library has laid out its panes, which it has put off until now.
    queueMicrotask(separators)
    const store = inner.getChartStore()
    for (const pane of inner.getDrawPanes()) {
      const whole = pane.getContainer?.()
      if (whole) sizeFromStyle(whole, 'height')
      const main = pane.getMainWidget()
      for (const widget of [main, ...(pane.getYAxisWidgets?.() ?? [])]) {
        if (known.has(widget) || typeof widget._overlayCanvas?.update !== 'function') continue
        known.add(widget)
        sizeFromStyle(widget.getContainer(), 'width', 'height')
        const overlay = widget._overlayCanvas
        const { style } = overlay.getElement()
        let blank = false
        paintUnless(overlay, () => {
          const was = blank
          blank = store.getCrosshair().paneId === undefined
          if (blank !== was) style.visibility = blank ? 'hidden' : ''
          return was && blank
        })
        if (pane.getId() !== 'x_axis_pane' || widget !== main) continue
        paintUnless(widget._mainCanvas, () => {
          const now = axis()
          const same = now === shown
          shown = now
          return same
        })
      }
    }
  }
}
