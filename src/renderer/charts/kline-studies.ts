/** The indicators of one chart over the drawing library: their panes, their values, and their legends. */
import type { Chart } from 'klinecharts'
import type { DayOf } from '../../shared/core/market/indicators/indicators.ts'
import { INDICATORS } from '../../shared/core/market/indicators/table.ts'
import { textPx } from './paint/canvas-text.ts'
import { provideStudy, studyColour, studyDash, type StudyContext } from './paint/paint-studies.ts'
import type { ChartStudy, ChartTheme, StudyLegend } from './model/chart.ts'
import type { RowRange } from './model/rows-on-screen.ts'
import { StudyRun } from './model/study-run.ts'

interface Options {
  readonly theme: () => ChartTheme
  /** Rows on screen. */
  readonly shown: () => RowRange
  readonly dayOf: DayOf
  readonly failed: (thrown: unknown) => void
}

interface Shown {
  readonly id: string
  study: ChartStudy
  readonly run: StudyRun | null
  readonly undo: () => void
}

/** The panes below the prices together get at most this share of the chart. */
const MAX_SHARE = 0.55
/** Lowest height of a pane, px at the default text size. */
const MIN_PANE = 44
const USUAL_PANE = 92
const VOLUME_PANE = 76
/** The volume pane gets at most this share of a low chart. */
const MAX_VOLUME = 0.28

/** The parts of a study whose change requires recomputing it. Other changes only repaint. */
const computed = ({ kind, values, price, own }: ChartStudy): string => JSON.stringify([kind, values, price, own])

export class Studies {
  readonly #chart: Chart
  readonly #options: Options
  #shown: Shown[] = []
  #count = 0
  #decimals = 2
  #volume = false

  constructor(chart: Chart, options: Options) {
    this.#chart = chart
    this.#options = options
  }

  /** Shows studies in the given order. Returns whether panes were added or removed. */
  set(list: readonly ChartStudy[], decimals: number): boolean {
    const before = this.#shown.map(({ study }) => `${study.id} ${computed(study)}`).join('\n')
    const after = list.map((study) => `${study.id} ${computed(study)}`).join('\n')
    if (before === after && decimals === this.#decimals) {
      // Colors are read from the study when it is painted.
      this.#shown.forEach((one, i) => {
        one.study = list[i]
      })
      return false
    }
    this.#decimals = decimals
    for (const one of this.#shown) this.#remove(one)
    this.#shown = list.map((study) => this.#add(study))
    this.fitPanes()
    return true
  }

  setDecimals(decimals: number): void {
    if (decimals !== this.#decimals)
      this.set(
        this.#shown.map(({ study }) => study),
        decimals,
      )
  }

  /** Reserves space for the volume pane. */
  setVolume(on: boolean): void {
    this.#volume = on
    this.fitPanes()
  }

  #add(study: ChartStudy): Shown {
    const id = `${this.#chart.id} study ${++this.#count}`
    const row = study.kind === 'volume-profile' ? null : INDICATORS[study.kind]
    const run = row && new StudyRun(row, study.values, study.price, this.#options.dayOf)
    const shown: Shown = { id, study, run, undo: () => undo() }
    const context: StudyContext = {
      get study() {
        return shown.study
      },
      run,
      theme: this.#options.theme,
      shown: this.#options.shown,
      failed: this.#options.failed,
    }
    const undo = provideStudy(id, context)
    const [least, most] = row?.drawn?.between ?? []
    this.#chart.createIndicator(
      {
        name: 'td-study',
        id,
        paneId: study.own ? id : 'candle_pane',
        series: 'normal',
        precision: row === null || row.unit === 'index' ? 2 : row.unit === 'volume' ? 0 : this.#decimals,
        shouldFormatBigNumber: row?.unit === 'volume',
        zLevel: study.kind === 'volume-profile' ? -1 : 1,
        ...(study.own && least !== undefined ? { minValue: least } : {}),
        ...(study.own && most !== undefined ? { maxValue: most } : {}),
      },
      true,
    )
    // Without a value, the library would invent numbers for the axis.
    if (study.own && run !== null)
      this.#chart.overrideYAxis({
        paneId: id,
        createTicks: ({ defaultTicks }) => (this.#isTold(run) ? defaultTicks : []),
      })
    return shown
  }

  /** Whether a study has a value for a row in view. */
  #isTold({ values }: StudyRun): boolean {
    const { from, to } = this.#options.shown()
    for (let i = to - 1; i >= from; i--) for (const _ in values[i]) return true
    return false
  }

  #remove({ id, undo }: Shown): void {
    undo()
    this.#chart.removeIndicator({ id })
  }

  /** Sets the heights of the panes below the prices: the usual height, or less if there are many. */
  fitPanes(): void {
    const own = this.#shown.filter(({ study }) => study.own)
    const total = this.#chart.getSize()?.height ?? 0
    const share = (total * MAX_SHARE) / Math.max(1, own.length + (this.#volume ? 1 : 0))
    const { textScale } = this.#options.theme()
    const height = (usual: number): number =>
      Math.max(textPx(MIN_PANE, textScale), Math.min(textPx(usual, textScale), Math.floor(share)))
    const volume = Math.max(30, Math.min(height(VOLUME_PANE), Math.floor(total * MAX_VOLUME)))
    if (this.#volume) this.#chart.setPaneOptions({ id: 'volume', height: volume, minHeight: 30, order: 1 })
    own.forEach(({ id }, i) =>
      this.#chart.setPaneOptions({ id, height: height(USUAL_PANE), minHeight: 30, order: 2 + i }),
    )
  }

  /** The legend of each study for a row. */
  legends(index: number): readonly StudyLegend[] {
    const theme = this.#options.theme()
    return this.#shown.map(({ id, study, run }) => {
      const row = study.kind === 'volume-profile' ? null : INDICATORS[study.kind]
      const shifts = (run && row?.drawn?.shifts?.(run.parameters)) ?? []
      return {
        id: study.id,
        values: (row?.outputs ?? []).map((_, output) => run?.values[index - (shifts[output] ?? 0)]?.[output] ?? null),
        colours: (row?.outputs ?? ['']).map((_, output) => studyColour(study, output, theme)),
        dashes: (row?.outputs ?? ['']).map((_, output) => studyDash(study, output)),
        top: study.own ? (this.#chart.getSize(id, 'root')?.top ?? null) : null,
      }
    })
  }

  /** Line styles of the indicators over the prices. */
  stylesOverPrices(): ReadonlySet<number> {
    return new Set(this.#shown.flatMap(({ study }) => (study.own ? [] : study.palette)))
  }

  /** Lowest and highest value over the prices of rows [from, to). */
  range(from: number, to: number): readonly [number, number] {
    let low = Infinity
    let high = -Infinity
    for (const { study, run } of this.#shown) {
      if (study.own || run === null) continue
      for (let i = Math.max(0, from); i < Math.min(to, run.values.length); i++) {
        for (const value of Object.values(run.values[i])) {
          low = Math.min(low, value)
          high = Math.max(high, value)
        }
      }
    }
    return [low, high]
  }

  stop(): void {
    for (const { undo } of this.#shown) undo()
  }
}
