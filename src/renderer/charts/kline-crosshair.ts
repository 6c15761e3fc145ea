/** The crosshair of a chart: its row, controlled by mouse, keys or a linked chart. */
import type { Chart, Crosshair } from 'klinecharts'
import type { ChartPort } from './model/chart.ts'
import type { Places } from './kline-place.ts'
import type { Row } from './model/series.ts'

interface Options {
  readonly rows: () => readonly Row[]
  readonly places: Pick<Places, 'xOf' | 'indexAt' | 'shown' | 'pixelOf' | 'plotArea'>
  /** Called whenever it moves. */
  readonly moved: () => void
}

export class KlineCrosshair {
  readonly #chart: Chart
  readonly #element: HTMLElement
  readonly #options: Options
  readonly #followers = new Set<(ms: number | null) => void>()
  #index: number | null = null
  #told: number | null = null
  /** X of the mouse, px; null if the mouse doesn't control the crosshair. */
  #x: number | null = null
  #rests = false
  /**
   * What placed the crosshair on a row without the mouse, the row's start and the time that was asked for (UTC ms); null
   * if nothing did.
   */
  #stands: { readonly by: 'key' | 'link'; readonly ms: number; readonly asked: number } | null = null

  constructor(chart: Chart, element: HTMLElement, options: Options) {
    this.#chart = chart
    this.#element = element
    this.#options = options
    chart.subscribeAction('onCrosshairChange', (data) => {
      this.#stands = null
      const crosshair = data as Crosshair | undefined // the library types actions as unknown
      // For the mouse, the library reports only its position.
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

  /** Index of its row; null if there is none or the row was removed. */
  get index(): number | null {
    if (this.#index !== null && this.#index >= this.#options.rows().length) this.#index = null
    return this.#index
  }

  /** The mouse is still, and the row moved under it. */
  get rests(): boolean {
    return this.#x !== null && this.#rests
  }

  /** Start of its row, UTC ms. */
  get ms(): number | null {
    return this.#index === null ? null : (this.#options.rows()[this.#index]?.timestamp ?? null)
  }

  /** Updates the row after bars moved under a still mouse, which the library doesn't report. */
  refresh(): void {
    if (this.#x === null) return
    const index = this.#row(this.#options.places.indexAt(this.#x))
    if (index === this.#index) return
    this.#index = index
    this.#rests = true
    this.#tell()
  }

  /** Moves the crosshair along with its row. The library leaves it where it was painted. */
  stay(): void {
    if (this.#stands === null) return
    const { by, ms, asked } = this.#stands
    const list = this.#options.rows()
    const next = this.#index === null ? undefined : list[this.#index + 1]
    // Older bars may have been added before it, or the bar that another chart points at may have come after it.
    if (this.#index === null || list[this.#index]?.timestamp !== ms || (next && next.timestamp <= asked)) {
      const index = list.findLastIndex((row) => row.timestamp <= asked)
      if (index < 0 || (by === 'key' && list[index].timestamp !== ms)) return
      this.#index = index
      this.#stands = { by, ms: list[index].timestamp, asked }
      this.#options.moved()
    }
    this.#put(this.#index, by)
  }
  /** Whether it was placed on a row without the mouse. */
  get stands(): boolean {
    return this.#stands !== null
  }

  /** Places the crosshair on the row that starts at `ms` (UTC); undefined removes it. */
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
    const { from, to } = this.#options.places.shown()
    // Where the newest bar is out of view, as after going to a date, it begins in the middle of what is shown.
    const start = to < list.length ? Math.floor((from + to) / 2) : list.length + step
    let index = Math.min(Math.max(this.#index === null ? start : this.#index + step, 0), list.length - 1)
    while (index > 0 && index < list.length - 1 && !list[index].bar) index += Math.sign(step) || 1
    if (index < from || index >= to) this.#chart.scrollToDataIndex(index)
    const ms = list[index].timestamp
    this.#stands = { by: 'key', ms, asked: ms }
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
    this.#stands = seen && ms !== null ? { by: 'link', ms: list[index].timestamp, asked: ms } : null
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

  /** Whether its canvases are visible. */
  get isPainted(): boolean {
    return this.#element.hasAttribute('data-crosshair')
  }

  /** Marks the element, so that styles hide the crosshair's canvases while they are empty. */
  #setPainted(isPainted: boolean): void {
    this.#element.toggleAttribute('data-crosshair', isPainted)
  }

  #row(index: number | undefined): number | null {
    return index !== undefined && index < this.#options.rows().length ? index : null
  }

  /** Draws it on a row that is in view. */
  #put(index: number, by: 'key' | 'link'): void {
    const { from, to } = this.#options.places.shown()
    if (index < from || index >= to) return this.#takeAway()
    this.#setPainted(true)
    const { xOf, pixelOf, plotArea } = this.#options.places
    const x = xOf(index)
    // A pane that doesn't exist: the other chart's price means nothing here.
    if (by === 'link') return this.#chart.executeAction('onCrosshairChange', { x, paneId: 'linked' })
    const { timestamp, close } = this.#options.rows()[index]
    // The library rounds to whole pixels, so its label would show the price of the pixel.
    const at = pixelOf(timestamp, close)
    if (at) this.#chart.executeAction('onCrosshairChange', { x, y: at.y - plotArea().top, paneId: 'candle_pane' })
  }

  /** Removes it. The library adds a pane to an empty crosshair and draws it, so only null works. */
  #takeAway(): void {
    this.#setPainted(false)
    // its types don't allow null, its code does
    this.#chart.executeAction('onCrosshairChange', null as unknown as Crosshair)
  }

  #tell(): void {
    const { ms } = this
    if (ms === this.#told) return
    this.#told = ms
    for (const follower of this.#followers) follower(ms)
  }
}
