/** Income statements of several answers as one course over time. Pure. */
import { isList, isObject, own, type Value } from '../../../shared/adaptive/value.ts'
import { numberAt, textAt } from './pick.ts'

export interface Statement {
  readonly label: string
  readonly annual: boolean
  /** `period_ending`, for the order. */
  readonly ends: string
  readonly revenue: number
  readonly netIncome: number
  /** A fraction; NaN where unknown. */
  readonly netMargin: number
}

/** One statement a period, oldest first; of several answers about one period the first given (the newest) counts. */
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
  if (Number.isNaN(revenue) || ends === '') return null
  const quarter = textAt(data, 'quarter')
  const year = numberAt(data, 'fiscal_year')
  const annual = !/^q[1-4]/i.test(quarter)
  const text = Number.isNaN(year) ? ends : String(year)
  return {
    label: annual ? text : `${quarter} ${text}`,
    annual,
    ends,
    revenue,
    netIncome: numberAt(data, 'income_statement.net_income'),
    netMargin: numberAt(data, 'margins.net_margin'),
  }
}
