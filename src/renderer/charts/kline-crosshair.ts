/** The crosshair of a chart of the drawing library: which row it is at, by mouse, by key or because a linked chart's is. */
import type { Chart, Crosshair } from 'klinecharts'
import type { ChartPort } from './model/chart.ts'
import type { Places } from './kline-place.ts'
import type { Row } from './model/series.ts'

interface Options {
  readonly rows: () => readonly Row[]
  readonly places: Pick<Places, 'xOf' | 'indexAt' | 'shown' | 'pixelOf' | 'plotArea'>
  /** Called whenever it went elsewhere. */
  readonly moved: () => void
}

export class KlineCrosshair {
  readonly #chart: Chart
  readonly #element: HTMLElement
  readonly #options: Options
  readonly #followers = new Set<(ms: number | null) => void>()
  #index: number | null = null
  #told: number | null = null
  /** Where the mouse is, px; null: it is not what leads. */
  #x: number | null = null
  #rests = false
  /** What stands on a row without the mouse, and when that row begins; null: nothing does. */
  #stands: { readonly by: 'key' | 'link'; readonly ms: number } | null = null

  constructor(chart: Chart, element: HTMLElement, options: Options) {
    this.#chart = chart
    this.#element = element
    this.#options = options
    chart.subscribeAction('onCrosshairChange', (data) => {
      this.#stands = null
      const crosshair = data as Crosshair | undefined // the library types actions as unknown
      // Of the mouse the library tells the place only.
      const index =
        crosshair?.dataIndex ?? (crosshair?.x === undefined ? undefined : options.places.indexAt(crosshair.x))
      this.#x = crosshair?.x ?? null
      this.#rests = false
      this.#index = this.#x === null ? null : this.#row(index)
      this.#setPainted(true)
      options.moved()
      this.#tell()
    })
    element.addEventListener('mouseleave', this.#leave)
  }

  /** The row that it is at; null: none. Rows may have become fewer since. */
  get index(): number | null {
    // Of bars that were there before: other ones may be fewer.
    if (this.#index !== null && this.#index >= this.#options.rows().length) this.#index = null
    return this.#index
  }

  /** It stands where it stood, and the row came to it. */
  get rests(): boolean {
    return this.#x !== null && this.#rests
  }

  /** When the row begins that it is at. */
  get ms(): number | null {
    return this.#index === null ? null : (this.#options.rows()[this.#index]?.timestamp ?? null)
  }

  /** Bars moved on below a mouse that rests: the library says nothing of it. */
  refresh(): void {
    if (this.#x === null) return
    const index = this.#row(this.#options.places.indexAt(this.#x))
    if (index === this.#index) return
    this.#index = index
    this.#rests = true
    this.#tell()
  }

  /** Keeps what stands on a row there, wherever that lies now: the library leaves it where it was painted. */
  stay(): void {
    if (this.#stands === null) return
    const { by, ms } = this.#stands
    const list = this.#options.rows()
    // Older bars may have come before it.
    if (this.#index === null || list[this.#index]?.timestamp !== ms) {
      const index = list.findIndex((row) => row.timestamp === ms)
      if (index < 0) return
      this.#index = index
      this.#options.moved()
    }
    this.#put(this.#index, by)
  }
  /** Whether it stands on a row without the mouse. */
  get stands(): boolean {
    return this.#stands !== null
  }

  /** The row of that instant is the one to tell of, where there is one; undefined: none is. */
  keep(ms: number | undefined): void {
    this.#index = this.#x = this.#stands = null
    if (ms === undefined) return
    const index = this.#options.rows().findIndex((row) => row.timestamp === ms)
    if (index < 0) return
    this.#index = index
    this.#options.moved()
  }

  step: ChartPort['stepCrosshair'] = (step) => {
    const list = this.#options.rows()
    if (list.length === 0) return
    let index = Math.min(Math.max((this.#index ?? list.length) + step, 0), list.length - 1)
    while (index > 0 && index < list.length - 1 && !list[index].bar) index += Math.sign(step) || 1
    const { from, to } = this.#options.places.shown()
    if (index < from || index >= to) this.#chart.scrollToDataIndex(index)
    this.#stands = { by: 'key', ms: list[index].timestamp }
    this.#x = null
    this.#index = index
    this.#put(index, 'key')
    this.#options.moved()
    this.#tell()
  }

  show: ChartPort['showCrosshair'] = (ms) => {
    const list = this.#options.rows()
    const index = ms === null ? -1 : list.findLastIndex((row) => row.timestamp <= ms)
    const { from, to } = this.#options.places.shown()
    const seen = index >= from && index < to
    this.#stands = seen ? { by: 'link', ms: list[index].timestamp } : null
    this.#x = null
    this.#index = seen ? index : null
    this.#told = seen ? list[index].timestamp : null
    if (seen) this.#put(index, 'link')
    else this.#takeAway()
    this.#options.moved()
  }

  follow: ChartPort['onCrosshair'] = (listener) => {
    this.#followers.add(listener)
    return () => this.#followers.delete(listener)
  }

  clear: ChartPort['clearCrosshair'] = () => {
    this.#takeAway()
    this.#leave()
  }

  stop(): void {
    this.#element.removeEventListener('mouseleave', this.#leave)
  }

  readonly #leave = (): void => {
    this.#setPainted(false)
    this.#index = this.#x = this.#stands = null
    this.#options.moved()
    this.#tell()
  }

  /** Marks the element: styles hide the canvases of the crosshair while they are empty. */
  #setPainted(isPainted: boolean): void {
    this.#element.toggleAttribute('data-crosshair', isPainted)
  }

  #row(index: number | undefined): number | null {
    return index !== undefined && index < this.#options.rows().length ? index : null
  }

  /** Draws it on a row; a row that is not in view has none. */
  #put(index: number, by: 'key' | 'link'): void {
    const { from, to } = this.#options.places.shown()
    if (index < from || index >= to) return this.#takeAway()
    this.#setPainted(true)
    const { xOf, pixelOf, plotArea } = this.#options.places
    const x = xOf(index)
    // A pane that there is not: the other chart's price is none of this one's.
    if (by === 'link') return this.#chart.executeAction('onCrosshairChange', { x, paneId: 'linked' })
    const { timestamp, close } = this.#options.rows()[index]
    // Not by the library's own place, which is of whole pixels: the label would tell the price of the pixel.
    const at = pixelOf(timestamp, close)
    if (at) this.#chart.executeAction('onCrosshairChange', { x, y: at.y - plotArea().top, paneId: 'candle_pane' })
  }

  /** The library puts a pane into an empty crosshair, and then draws it: only nothing at all takes it away. */
  #takeAway(): void {
    this.#setPainted(false)
    // its types know no null, its code does
    this.#chart.executeAction('onCrosshairChange', null as unknown as Crosshair)
  }

  #tell(): void {
    const { ms } = this
    if (ms === this.#told) return
    this.#told = ms
    for (const follower of this.#followers) follower(ms)
  }
}
