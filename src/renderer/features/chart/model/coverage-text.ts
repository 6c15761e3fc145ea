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
  /** The sides that delta, CVD and VWAP of trades are computed from. */
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
  const sided = placed.filter((one) => studySpec(one)?.needsSides === true)
  if (sided.length > 0) add(sided.map(studyTitle).join(', '), sides.text)
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
