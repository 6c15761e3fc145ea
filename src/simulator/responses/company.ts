/** Fundamentals: Apple's real ones, and similar made-up ones for any other company. */
import { fraction, hashText } from '../market/random.ts'
import { nameOf, profileOf } from '../market/symbols.ts'
import type { Reference, Row, Statement } from './reference.ts'

export interface Company {
  readonly symbol: string
  readonly name: string
  /** Size relative to Apple, which is 1. */
  readonly scale: number
  /** A constant in [0, 1) per topic. */
  readonly trait: (topic: string) => number
  readonly real: boolean
}

export function companyOf(symbol: string): Company {
  const trait = (topic: string) => fraction(hashText(`${symbol} ${topic}`, 5))
  const real = symbol === 'AAPL'
  return { symbol, name: nameOf('stocks', symbol), scale: real ? 1 : 10 ** (trait('scale') * 2.2 - 2), trait, real }
}

/** The income statements of a company, newest first. */
export function statementsOf(reference: Reference, company: Company, period: 'quarter' | 'year'): readonly Statement[] {
  const list = period === 'quarter' ? reference.quarters : reference.years
  if (company.real) return list
  const tilt = (company.trait('growth') - 0.4) * (period === 'quarter' ? 0.01 : 0.04)
  const margin = 0.7 + 0.5 * company.trait('margin')
  return list.map((s, i) => {
    const scale = company.scale * (1 + tilt) ** -i * (0.97 + 0.06 * company.trait(`${s.end} revenue`))
    const shares = Math.round(s.sharesBasic * company.scale * 4)
    const diluted = Math.round(shares * 1.006)
    const net = Math.round(s.net * scale * margin)
    return {
      end: s.end,
      revenue: Math.round(s.revenue * scale),
      gross: Math.round(s.gross * scale * margin),
      operating: Math.round(s.operating * scale * margin),
      net,
      basic: cents(net / shares),
      diluted: cents(net / diluted),
      sharesBasic: shares,
      sharesDiluted: diluted,
    }
  })
}

const cents = (n: number) => Math.round(n * 100) / 100

/** The fiscal year and quarter of a period in Apple's year, which starts after September. */
export function fiscalOf(end: string): { year: number; quarter: string } {
  const month = Number(end.slice(5, 7))
  const year = Number(end.slice(0, 4))
  // Quarters end on the last Saturday of a month, sometimes in the first days of the next.
  const ended = Number(end.slice(8)) < 8 ? month - 1 : month
  const index = Math.floor(((ended + 2) % 12) / 3)
  return { year: ended > 9 ? year + 1 : year, quarter: `Q${index + 1}` }
}

/** The documented `data` object of the income-statement endpoint for statement `i` of a list. */
export function incomeStatement(company: Company, list: readonly Statement[], i: number, annual: boolean): unknown {
  const s = list[i]
  if (s === undefined) return undefined
  const before = list.find(
    (x) => Math.abs(Date.parse(s.end) - Date.parse(x.end) - 364.5 * 86_400_000) < 15 * 86_400_000,
  )
  const { year, quarter } = fiscalOf(s.end)
  const growth = (now: number, then: number | undefined) => (then ? round4((now - then) / Math.abs(then)) : 0)
  return {
    symbol: company.symbol,
    company_name: company.name,
    fiscal_year: year,
    quarter: annual ? 'FY' : quarter,
    period_ending: s.end,
    currency: 'USD',
    income_statement: {
      revenue: s.revenue,
      gross_profit: s.gross,
      operating_income: s.operating,
      net_income: s.net,
      eps_basic: s.basic,
      eps_diluted: s.diluted,
      shares_outstanding_basic: s.sharesBasic,
      shares_outstanding_diluted: s.sharesDiluted,
    },
    margins: {
      gross_margin: round4(s.gross / s.revenue),
      operating_margin: round4(s.operating / s.revenue),
      net_margin: round4(s.net / s.revenue),
    },
    growth_rates: {
      revenue_growth_yoy: growth(s.revenue, before?.revenue),
      net_income_growth_yoy: growth(s.net, before?.net),
      eps_growth_yoy: growth(s.diluted, before?.diluted),
    },
  }
}

export const round4 = (n: number) => Math.round(n * 10_000) / 10_000

/** A vendor's rows with the service's key names, scaled to the company: amounts by size, ratios by a trait. */
export function scaledRows(rows: readonly Row[], company: Company): Row[] {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row)
        .filter(([key]) => !['cik', 'acceptedDate'].includes(key))
        .map(([key, value]) => [snake(key), scaled(key, value, company)]),
    ),
  )
}

function scaled(key: string, value: Row[string], company: Company): Row[string] {
  if (key === 'symbol') return company.symbol
  if (company.real || typeof value !== 'number') return value
  if (Math.abs(value) >= 1e6) return Math.round(value * company.scale)
  return round4(value * (0.75 + 0.5 * company.trait(key)))
}

/** Converts camelCase to snake_case. */
function snake(key: string): string {
  return key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
}

/** A number in a row; 0 if it isn't one. */
export function figure(row: Row | undefined, key: string): number {
  const value = row?.[key]
  return typeof value === 'number' ? value : 0
}

/** The approximate price of the company's stock in the demo market. */
export function priceOf(company: Company): number {
  return profileOf('stocks', company.symbol).base
}
