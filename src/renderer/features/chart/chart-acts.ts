/** What the commands and the menu of a chart do. */
import type { Span } from '../../../shared/base/spans.ts'
import { t } from '../../../shared/base/text.ts'
import { sessionState } from '../../../shared/core/market/calendar.ts'
import { nextGroup, rowOfPrice, type PriceRows } from '../../../shared/core/market/flow/cells.ts'
import type { AssetClass } from '../../../shared/base/units.ts'
import { MAX_INDICATORS } from '../../../shared/features/chart/chart-settings.ts'
import type { Drawing } from '../../../shared/features/drawings/types.ts'
import type { ChartPort, ProfileCells } from '../../charts/model/chart.ts'
import type { ChartActs } from './chart-commands.ts'
import type { ShownTrades } from './model/chart-props.ts'
import { placeStudy, toggleStudies } from './model/chart-studies.ts'

/** The pane of a chart. Its getters are read when an act runs. */
export interface ActsPane extends Pick<ChartActs, 'open' | 'picture' | 'table' | 'settings' | 'set'> {
  readonly chart: ChartPort | null
  /** The trades of its bars can be read. */
  readonly hasFlow: boolean
  /** The rows of the footprint; null: there is none. */
  readonly rows: PriceRows | null
  /** Where an anchor is placed unless it is chosen, UTC ms; null: there are no bars. */
  readonly anchorMs: () => number | null
  readonly tell: (text: string) => void
  /** The marked range with the whole of its last bar, UTC ms; null: none. */
  readonly marked: () => Span | null
  /** Lets the user choose a range of bars on the chart. `done` gets it with the whole of its last bar, UTC ms. */
  readonly choose: (done: (span: Span) => void) => void
  /** Opens the review of [fromMs, toMs), UTC ms. */
  readonly review: (span: Span) => void
}

export function chartActs(pane: ActsPane): ChartActs {
  const acts: ChartActs = {
    open: (box) => pane.open(box),
    fit: () => pane.chart?.fit(),
    picture: (to) => pane.picture(to),
    table: () => pane.table(),
    group(direction) {
      const { rows, settings } = pane
      if (rows === null) pane.tell(t('Choose the style Footprint first.'))
      else pane.set({ footprint: { ...settings.footprint, group: nextGroup(rows.group, direction) } })
    },
    toggle: (kinds) => pane.set({ indicators: [...toggleStudies(pane.settings.indicators, kinds)] }),
    anchor(kind, span = null) {
      if (!pane.hasFlow) return pane.tell(t('An anchor needs the trades of one symbol, in time-based bars.'))
      const fromMs = span?.fromMs ?? pane.anchorMs()
      if (fromMs === null) return pane.tell(t('The chart has no bars to anchor at yet.'))
      pane.set({ indicators: [...placeStudy(pane.settings.indicators, kind, { fromMs, toMs: span?.toMs ?? 0 })] })
    },
    profileRange() {
      if (!pane.hasFlow) return pane.tell(t('A volume profile needs the trades of one symbol, in time-based bars.'))
      const { indicators } = pane.settings
      const isFull = placeStudy(indicators, 'volume-profile', { fromMs: 1, toMs: 2 }) === indicators
      if (isFull) return pane.tell(t('A chart can have up to {most} indicators.', { most: MAX_INDICATORS }))
      const profile = (span: Span) => acts.anchor('volume-profile', span)
      const marked = pane.marked()
      if (marked === null) pane.choose(profile)
      else profile(marked)
    },
    review() {
      const span = pane.marked() ?? (pane.chart && viewSpan(pane.chart))
      if (span === null) pane.tell(t('The chart has no bars to review yet.'))
      else pane.review(span)
    },
    get settings() {
      return pane.settings
    },
    set: (patch) => pane.set(patch),
  }
  return acts
}

/** A marked range with the whole of its last bar, UTC ms. */
export function wholeSpan(chart: Pick<ChartPort, 'barsBetween'>, marked: Span): Span {
  const [fromMs, toMs] = [Math.min(marked.fromMs, marked.toMs), Math.max(marked.fromMs, marked.toMs)]
  return { fromMs, toMs: chart.barsBetween(fromMs, toMs).at(-1)?.endMs ?? toMs }
}

/** The time of the bars in view; null: there are none. */
export function viewSpan(chart: Pick<ChartPort, 'visibleBars'>): Span | null {
  const bars = chart.visibleBars()
  const [first, last] = [bars.at(0), bars.at(-1)]
  return first && last ? { fromMs: first.startMs, toMs: last.endMs } : null
}

/** The trades of a volume profile in the row of a price. */
export function profileRow(chart: Pick<ChartPort, 'visibleBars'>, profile: ProfileCells, price: number): ShownTrades {
  const cell = { ...profile.rows, row: rowOfPrice(price, profile.rows) }
  return { span: profile.span(chart.visibleBars()), cell }
}

/** The hours for an alert on a drawing: those that have bars, because some sources trade when the calendar says closed. */
export function alertHours(
  chart: Pick<ChartPort, 'barsBetween'>,
  asset: AssetClass,
  { points }: Pick<Drawing, 'points'>,
): 'all' | 'open' {
  const bars = chart.barsBetween(Math.min(...points.map(({ ms }) => ms)), Infinity)
  return bars.some(({ startMs, endMs }) => sessionState(asset, (startMs + endMs) / 2) === 'closed') ? 'all' : 'open'
}
