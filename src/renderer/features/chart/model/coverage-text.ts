/** What a chart says of how far its order-flow figures can be trusted, for screen readers. Pure. */
import type { ChartIndicator } from '../../../../shared/features/chart/chart-settings.ts'
import { t } from '../../../../shared/base/text.ts'
import { plainNote, sidesLabel, type SidesNote } from '../../../core/market/side-labels.ts'
import type { ReadSides, StudyLegend } from '../../../charts/model/chart.ts'
import { studySpec } from '../../../charts/model/study-spec.ts'
import { studyTitle, unplacedNote } from './chart-studies.ts'
import type { ShownChart } from './shown-chart.ts'

export interface ShownFlow {
  /** The sides of the footprint; null: there is none. */
  readonly footprint: SidesNote | null
  readonly indicators: readonly ChartIndicator[]
  /** The sides of the trades that delta, CVD and VWAP of trades are computed from. */
  readonly sides: SidesNote
  readonly studies: readonly StudyLegend[]
}

/** How far figures of a chart's order flow can be trusted, or why there are none. `read` null: not read yet. */
export function flowNote(
  { spread, isTimed, asset }: Pick<ShownChart, 'spread' | 'isTimed' | 'asset'>,
  read: ReadSides | null,
): SidesNote {
  if (spread !== null)
    return plainNote(spread.operator === '/' ? t('a ratio has no trades') : t('a difference has no trades'))
  if (!isTimed) return plainNote(t('needs time-based bars'))
  if (asset === 'forex') return plainNote(t('forex has no trades'))
  return read === null ? plainNote(t('reading trades…')) : sidesLabel(read)
}

export interface FootprintNote extends SidesNote {
  /** The bars that it is about, for a legend; empty: none are read. */
  readonly bars: string
}

/**
 * As `flowNote`, for a footprint, which reads more bars than those in view and says which. `time`: UTC ms as text;
 * `briefTime`: the same for a legend.
 */
export function footprintNote(
  shown: Parameters<typeof flowNote>[0],
  read: ReadSides | null,
  time: (ms: number) => string,
  briefTime: (ms: number) => string,
): FootprintNote {
  const note = flowNote(shown, read)
  if (read === null || read.range === null || !shown.isTimed || shown.spread !== null || shown.asset === 'forex')
    return { ...note, bars: '' }
  const { fromMs, toMs } = read.range
  const bars =
    toMs === null
      ? t('all bars from {from} on', { from: briefTime(fromMs) })
      : t('all bars from {from} to {to}', { from: briefTime(fromMs), to: briefTime(toMs) })
  const from = time(fromMs)
  const range =
    toMs === null
      ? t('Counted over all bars from {from} on, in view or not.', { from })
      : t('Counted over all bars from {from} to {to}, in view or not.', { from, to: time(toMs) })
  return { ...note, bars, text: `${note.text.replace(/([^.])$/, '$1.')} ${range}` }
}

/** One sentence or more for each figure, such as "Footprint: Sides inferred, 98.0 % explained by quotes."; empty: none. */
export function coverageText({ footprint, indicators, sides, studies }: ShownFlow): string {
  const figures: string[] = []
  const add = (figure: string, text: string): void => {
    const said = t('{figure}: {text}', { figure, text })
    figures.push(/[.…]$/.test(said) ? said : `${said}.`)
  }
  if (footprint !== null) add(t('Footprint'), footprint.text)
  const shown = indicators.filter((one) => !one.hidden)
  const [unplaced, placed] = [true, false].map((is) => shown.filter((one) => (unplacedNote(one) !== null) === is))
  const ofTrades = placed.filter((one) => studySpec(one)?.needsSides === true)
  const isSideless = (one: ChartIndicator) => sides.ofTrades !== undefined && studySpec(one)?.isSideless === true
  const [sideless, sided] = [true, false].map((is) => ofTrades.filter((one) => isSideless(one) === is))
  if (sided.length > 0) add(sided.map(studyTitle).join(', '), sides.text)
  if (sideless.length > 0 && sides.ofTrades) add(sideless.map(studyTitle).join(', '), sides.ofTrades.text)
  for (const one of placed) {
    const profile = studies.find(({ id }) => id === one.id)?.profile
    if (!profile) continue
    add(
      studyTitle(one),
      profile.sides === null
        ? t('from bars. The volume of each bar is spread evenly over its range.')
        : sidesLabel(profile.sides).text,
    )
  }
  for (const one of unplaced) add(studyTitle(one), unplacedNote(one)?.text ?? '')
  return figures.join(' ')
}
