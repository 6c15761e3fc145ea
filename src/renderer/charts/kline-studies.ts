/** The indicators of one chart over the drawing library: their panes, their values, and their legends. */
import type { AxisTick, Chart } from 'klinecharts'
import type { DayOf } from '../../shared/core/market/indicators/indicators.ts'
import type { AssetClass } from '../../shared/base/units.ts'
import type { TagPrice } from './kline-tags.ts'
import { CHIP_HEIGHT, isCovered, stackChips, type TagSpan } from './paint/axis-tags.ts'
import { textPx } from './paint/canvas-text.ts'
import { provideStudy, studyColour, studyDash, type StudyContext } from './paint/paint-studies.ts'
import { profileOf, profileLegend } from './model/profile.ts'
import type { Row } from './model/series.ts'
import type { AxisTag, ChartStudy, ChartTheme, ProfileCells, StudyLegend } from './model/chart.ts'
import type { RowRange } from './model/rows-on-screen.ts'
import { levelTicks } from './model/scale.ts'
import { FormulaRun } from './formula/formula-run.ts'
import { IndicatorRun, type FlowOf, type StudyRun } from './model/study-run.ts'
import { formulaText, signText, studySpec, type StudySpec } from './model/study-spec.ts'
import { INDICATORS } from '../../shared/core/market/indicators/table.ts'

interface Options {
  readonly theme: () => ChartTheme
  /** Rows on screen. */
  readonly shown: () => RowRange
  readonly asset: () => AssetClass
  readonly dayOf: DayOf
  /** Where the main session began; NaN outside of it. */
  readonly openOf: DayOf
  readonly failed: (thrown: unknown) => void
  /** Values of a formula arrived. */
  readonly changed: () => void
}

interface Shown {
  readonly id: string
  study: ChartStudy
  readonly run: StudyRun | null
  readonly undo: () => void
}

const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 })
/** The panes below the prices together get at most this share of the chart. */
const MAX_SHARE = 0.55
/** Lowest height of a pane, px at the default text size. */
const MIN_PANE = 44
const USUAL_PANE = 92
const VOLUME_PANE = 76
/** The volume pane gets at most this share of a low chart. */
const MAX_VOLUME = 0.28

/** The parts of a study whose change requires recomputing it. Other changes only repaint. */
const computed = ({ kind, values, price, own, formula }: ChartStudy): string =>
  JSON.stringify([kind, values, price, own, formula?.text])

export class Studies {
  readonly #chart: Chart
  readonly #options: Options
  #shown: Shown[] = []
  #count = 0
  #decimals = 2
  #volume = false
  #flowOf: FlowOf | null = null
  /** By the indicator's id. */
  readonly #profiles = new Map<string, ProfileCells>()
  #flows = 0
  /** Where the labels of each pane's axis are. */
  readonly #placed = new Map<string, readonly TagSpan[]>()

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

  /** Sets the volume by side of bars; those from `fromMs` (UTC ms) on have changed. */
  setFlow(flowOf: FlowOf | null, fromMs: number): void {
    this.#flowOf = flowOf
    for (const { id, run } of this.#shown) {
      if (run?.needsSides !== true) continue
      run.setFlow(flowOf, fromMs)
      this.#recompute(id)
    }
  }

  setProfile(id: string, cells: ProfileCells | null): void {
    if (cells === null) this.#profiles.delete(id)
    else this.#profiles.set(id, cells)
  }

  #recompute(id: string): void {
    // The library computes an indicator again if its parameters differ.
    this.#chart.overrideIndicator({ name: 'td-study', id, calcParams: [++this.#flows] })
  }

  #runOf(study: ChartStudy, spec: StudySpec, id: string): StudyRun {
    const { kind, values, price, formula } = study
    const { asset, dayOf, openOf } = this.#options
    if (kind !== 'formula' && kind !== 'volume-profile')
      return new IndicatorRun(INDICATORS[kind], values, price, dayOf, openOf)
    const changed = (): void => {
      this.#recompute(id)
      this.#options.changed()
    }
    return new FormulaRun(spec, { text: formula?.text ?? '', given: values, asset, changed })
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
    const row = studySpec(study)
    const run = row && this.#runOf(study, row, id)
    run?.setFlow(this.#flowOf, -Infinity)
    const shown: Shown = { id, study, run, undo: () => undo() }
    const context: StudyContext = {
      get study() {
        return shown.study
      },
      run,
      profile: () => this.#profiles.get(shown.study.id) ?? null,
      theme: this.#options.theme,
      shown: this.#options.shown,
      asset: this.#options.asset,
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
        precision:
          row === null || row.unit === 'index' || row.needsSides
            ? 2
            : row.unit === 'volume'
              ? 0
              : study.kind === 'formula' && study.own
                ? Math.max(4, this.#decimals)
                : this.#decimals,
        shouldFormatBigNumber: row?.unit === 'volume' || (study.kind === 'formula' && study.own),
        zLevel: study.kind === 'volume-profile' ? -1 : 1,
        // A band of a whole day would press the line between its bounds flat.
        ...(row?.drawn?.bounds && row.drawn.columns === undefined ? { figures: [{ key: '0', type: 'line' }] } : {}),
        ...(row?.drawn?.swings
          ? { figures: run?.shown.map((output) => ({ key: String(output), type: 'line' })) ?? [] }
          : {}),
        ...(study.own && least !== undefined ? { minValue: least } : {}),
        ...(study.own && most !== undefined ? { maxValue: most } : {}),
      },
      true,
    )
    // Without a value, the library would invent numbers for the axis.
    if (study.own && run !== null)
      this.#chart.overrideYAxis({
        paneId: id,
        createTicks: ({ defaultTicks, range, bounding }) => {
          const ticks = levelTicks(run.drawn.levels ?? [], range, bounding.height) ?? defaultTicks
          return this.#isTold(run) ? ticks.map((tick) => this.#beside(id, tick)) : []
        },
      })
    return shown
  }

  /** Whether a study has a value for a row in view. */
  #isTold({ values }: StudyRun): boolean {
    const { from, to } = this.#options.shown()
    for (let i = to - 1; i >= from; i--) for (const _ in values[i]) return true
    return false
  }

  #remove({ id, undo, run }: Shown): void {
    undo()
    run?.end?.()
    this.#placed.delete(id)
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

  legends(index: number): readonly StudyLegend[] {
    const theme = this.#options.theme()
    return this.#shown.map(({ id, study, run }) => {
      const row = studySpec(study)
      const shifts = (run && row?.drawn?.shifts?.(run.parameters)) ?? []
      return {
        id: study.id,
        values: (row?.outputs ?? []).map((_, output) => run?.values[index - (shifts[output] ?? 0)]?.[output] ?? null),
        colours: (row?.outputs ?? ['']).map((_, output) => studyColour(study, output, theme)),
        dashes: (row?.outputs ?? ['']).map((_, output) => studyDash(study, output)),
        ...(study.kind === 'volume-profile' ? { profile: this.#profileLegend(study) } : {}),
        top: study.own ? (this.#chart.getSize(id, 'root')?.top ?? null) : null,
        problem: run?.problem ?? null,
      }
    })
  }

  /** The last values as labels next to an axis; none at row -1. `own`: of the indicators in panes of their own. */
  tags(index: number, own: boolean): readonly TagPrice[] {
    if (index < 0) return []
    const theme = this.#options.theme()
    return this.#shown.flatMap(({ study, run }) => {
      if (run === null || study.own !== own) return []
      const { bands, bounds, columns } = run.drawn
      return run.shown.flatMap((output) => {
        if (bounds?.includes(output) === true || bands?.includes(output) === true) return []
        const price = run.valueAt(index, output)
        const color = output === columns ? theme.dim : studyColour(study, output, theme)
        return price === null ? [] : [{ key: `${study.id} ${output}`, of: 'study' as const, colour: color, price }]
      })
    })
  }

  /** A tick of an axis whose text is hidden while a label covers it. */
  #beside(id: string, tick: AxisTick): AxisTick {
    const isHidden = (): boolean => isCovered(tick.coord, this.#placed.get(id) ?? [], this.#options.theme().textScale)
    // A getter, read with each painting: ticks are created only when the range changes.
    return Object.defineProperty({ ...tick }, 'text', {
      get: () => (isHidden() ? '' : signText(tick.text)),
      enumerable: true,
    })
  }

  /** The labels of panes below the prices, from top to bottom; y from the top of the price pane. */
  placedTags(index: number): readonly AxisTag[] {
    const top = this.#chart.getSize('candle_pane', 'main')?.top ?? 0
    const size = textPx(CHIP_HEIGHT, this.#options.theme().textScale)
    const tags = this.tags(index, true)
    return this.#shown.flatMap(({ id, study, run }) => {
      const axis = this.#chart.getYAxes({ paneId: id })[0]
      const pane = this.#chart.getSize(id, 'main')
      if (!study.own || run === null || axis === undefined || !pane) return []
      const wanted = tags.flatMap((chip) =>
        chip.key.startsWith(`${study.id} `) ? [{ chip, y: axis.convertToPixel(chip.price) }] : [],
      )
      const placed = stackChips(wanted, 0, pane.height, null, size)
      this.#placed.set(
        id,
        placed.map(({ y }) => ({ from: y - size / 2, to: y + size / 2 })),
      )
      return placed.map(({ chip, y }) => ({
        ...chip,
        y: pane.top - top + y,
        text: this.#valueText(study, chip.price),
      }))
    })
  }

  #valueText(study: ChartStudy, value: number): string {
    if (study.kind === 'formula' && study.own) return signText(formulaText(value))
    const unit = studySpec(study)?.unit ?? 'price'
    if (unit === 'volume') return signText(COMPACT.format(value))
    const decimals = unit === 'price' ? this.#decimals : 2
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
    return signText(value.toLocaleString('en-US', digits))
  }

  #profileLegend(study: ChartStudy): StudyLegend['profile'] {
    const rows = this.#chart.getDataList() as Row[] // every row comes from series.ts
    const trades = this.#profiles.get(study.id) ?? null
    const { shown, asset } = this.#options
    return profileLegend(profileOf(rows, shown(), study, trades, asset()), trades)
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
        for (const output of run.shown) {
          const value = run.values[i][output] ?? NaN
          if (Number.isNaN(value)) continue
          low = Math.min(low, value)
          high = Math.max(high, value)
        }
      }
    }
    return [low, high]
  }

  stop(): void {
    for (const { undo, run } of this.#shown) {
      undo()
      run?.end?.()
    }
  }
}
