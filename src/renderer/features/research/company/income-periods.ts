/** Merges income statements of several responses into one history. Pure. */
import { fiscalPartOf } from '../../../../shared/features/research/types.ts'
import { isList, isObject, own, scalarText, type Value } from '../../../../shared/features/research/value.ts'
import { t } from '../../../../shared/base/text.ts'
import { numberAt, scalarAt, textAt } from './pick.ts'

export interface Statement {
  readonly label: string
  readonly annual: boolean
  /** `period_ending`, used for sorting. */
  readonly ends: string
  /** `fiscal_year`, else the year in `quarter`; NaN if unknown. */
  readonly year: number
  /** 1 to 4; 0: a full year, or unknown; NaN: another part of a year, such as a half. */
  readonly quarter: number
  readonly revenue: number
  readonly netIncome: number
  /** Margins are fractions; NaN if unknown. */
  readonly grossMargin: number
  readonly operatingMargin: number
  readonly netMargin: number
  /** The statement's raw data, with every value as received. */
  readonly data: Value
}

/** One statement per period, oldest first. Pass newest responses first: the first one for a period wins. */
export function periodsOf(answers: readonly Value[]): readonly Statement[] {
  const byPeriod = new Map<string, Statement>()
  for (const answer of answers) {
    const data = isObject(answer) ? own(answer, 'data') : undefined
    for (const one of isList(data) ? data : [data]) {
      const statement = statementOf(one)
      if (statement === null) continue
      const key = `${statement.ends} ${statement.annual}`
      if (!byPeriod.has(key)) byPeriod.set(key, statement)
    }
  }
  return [...byPeriod.values()].sort((a, b) => (a.ends < b.ends ? -1 : a.ends > b.ends ? 1 : 0))
}

function statementOf(data: Value | undefined): Statement | null {
  const revenue = numberAt(data, 'income_statement.revenue')
  const ends = textAt(data, 'period_ending')
  if (data === undefined || Number.isNaN(revenue) || ends === '') return null
  const named = scalarAt(data, 'quarter')
  const part = fiscalPartOf(named)
  const { quarter } = part
  const said = numberAt(data, 'fiscal_year')
  const year = Number.isNaN(said) ? part.year : said
  return {
    label: labelOf(quarter, year, scalarText(named), ends),
    annual: quarter === 0,
    ends,
    year,
    quarter,
    revenue,
    netIncome: numberAt(data, 'income_statement.net_income'),
    grossMargin: numberAt(data, 'margins.gross_margin'),
    operatingMargin: numberAt(data, 'margins.operating_margin'),
    netMargin: numberAt(data, 'margins.net_margin'),
    data,
  }
}

/** Label of a period. Parts that aren't quarters keep the service's name; without a year, uses the last day. */
function labelOf(quarter: number, year: number, named: string, ends: string): string {
  if (!Number.isNaN(quarter) && !Number.isNaN(year)) return periodLabel({ year, quarter })
  const when = Number.isNaN(year) ? ends : String(year)
  if (quarter === 0) return when
  return Number.isNaN(quarter) ? `${named} ${when}` : `Q${quarter} ${when}`
}

/** A fiscal period that can be requested; `quarter` 0: the full year. */
export interface Period {
  readonly year: number
  readonly quarter: number
}

export const periodLabel = ({ year, quarter }: Period): string =>
  quarter === 0 ? String(year) : t('Q{quarter} {year}', { quarter: String(quarter), year: String(year) })

/** Up to `count` missing periods, going back from the newest known one, newest first. Empty if no year is known. */
export function missingPeriods(known: readonly Statement[], annual: boolean, count: number): readonly Period[] {
  const dated = known.filter(({ year, quarter }) => Number.isInteger(year) && !Number.isNaN(quarter))
  const newest = Math.max(...dated.map(({ year, quarter }) => year * 4 + (quarter === 0 ? 4 : quarter)))
  if (!Number.isFinite(newest)) return []
  const has = new Set(dated.map(periodLabel))
  const found: Period[] = []
  for (let i = newest; found.length < count && i > newest - 400; i -= annual ? 4 : 1) {
    const quarter = ((i - 1) % 4) + 1
    const year = (i - quarter) / 4
    // A fiscal year in progress has no statement, so start with the last year whose fourth quarter has ended.
    const period = annual ? { year: quarter === 4 ? year : year - 1, quarter: 0 } : { year, quarter }
    if (!has.has(periodLabel(period))) found.push(period)
  }
  return found
}
