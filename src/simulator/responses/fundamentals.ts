/** Undocumented responses of the fundamentals group, of plausible shape and from the same statements. */
import { DEMO_SYMBOLS } from '../../service/demo-symbols.ts'
import type { EndpointId } from '../../service/endpoints.ts'
import {
  companyOf,
  figure,
  incomeStatement,
  priceOf,
  round4,
  scaledRows,
  statementsOf,
  type Company,
} from './company.ts'
import type { Reference, Row } from './reference.ts'

/** The query parameters that the demo service reads: `period`, `limit`, `fiscal_year`, `quarter`. */
export type Query = Pick<URLSearchParams, 'get'>

const isAnnual = (query: Query) => /^(annual|year|fy)/i.test(query.get('period') ?? '')
const limitOf = (query: Query, fallback: number) => {
  const n = Number(query.get('limit') ?? fallback)
  return Number.isInteger(n) && n > 0 ? Math.min(n, 200) : fallback
}

/** The response's `data`, or undefined if the endpoint is in another group or has no such record. */
export function fundamentals(id: EndpointId, symbol: string, query: Query, reference: Reference): unknown {
  const company = companyOf(symbol)
  const annual = isAnnual(query)
  const list = statementsOf(reference, company, annual ? 'year' : 'quarter')
  const years = statementsOf(reference, company, 'year')
  const [ratios] = scaledRows(reference.ratios, company)
  const [metrics] = scaledRows(reference.metrics, company)
  const rows = (all: readonly Row[]) => scaledRows(all, company).slice(0, limitOf(query, 8))
  const price = priceOf(company)
  switch (id) {
    case 'income-statement': {
      const year = query.get('fiscal_year') ?? query.get('year')
      const quarter = query.get('quarter')?.toUpperCase()
      for (let i = 0; i < list.length; i++) {
        const data = incomeStatement(company, list, i, annual) as { fiscal_year: number; quarter: string } // i < length
        if ((year === null || String(data.fiscal_year) === year) && (quarter === undefined || data.quarter === quarter))
          return data
      }
      return undefined
    }
    case 'balance-sheet':
      return { symbol, currency: 'USD', statements: rows(annual ? reference.balance : reference.balanceQuarters) }
    case 'cash-flow':
      return { symbol, currency: 'USD', statements: rows(annual ? reference.cash : reference.cashQuarters) }
    case 'ratios':
      return { symbol, ratios: rows(reference.ratios) }
    case 'ratios-ttm':
      return { symbol, ...rows(reference.ratiosTtm)[0] }
    case 'efficiency-ratios':
      return { symbol, ...pick(ratios, /turnover|days|cycle/) }
    case 'metrics':
      return {
        symbol,
        period_ending: years[0]?.end,
        valuation: {
          pe_ratio: round4(price / annualEps(company, reference)),
          price_to_book: figure(ratios, 'price_to_book_ratio'),
          price_to_sales: figure(ratios, 'price_to_sales_ratio'),
          ev_to_ebitda: figure(metrics, 'ev_to_ebitda'),
        },
        profitability: {
          return_on_equity: figure(metrics, 'return_on_equity'),
          return_on_assets: figure(metrics, 'return_on_assets'),
          return_on_invested_capital: figure(metrics, 'return_on_invested_capital'),
        },
        leverage: {
          debt_to_equity: figure(ratios, 'debt_to_equity_ratio'),
          net_debt_to_ebitda: figure(metrics, 'net_debt_to_ebitda'),
        },
        liquidity: { current_ratio: figure(ratios, 'current_ratio'), quick_ratio: figure(ratios, 'quick_ratio') },
      }
    case 'kpis':
      return {
        symbol,
        period_ending: list[0]?.end,
        revenue: list[0]?.revenue,
        net_income: list[0]?.net,
        eps_diluted: list[0]?.diluted,
        free_cash_flow: figure(scaledRows(reference.cash, company)[0], 'free_cash_flow'),
        income_quality: figure(metrics, 'income_quality'),
      }
    case 'quality-score': {
      const parts = ['profitability', 'growth', 'balance', 'cash', 'stability'].map((part) => [
        part,
        Math.round(35 + 60 * company.trait(`quality ${part}`)),
      ])
      const scores = Object.fromEntries(parts) as Record<string, number> // built from pairs of text and number
      const all = Object.values(scores)
      return { symbol, score: Math.round(all.reduce((a, b) => a + b, 0) / all.length), components: scores }
    }
    case 'growth':
      return { symbol, growth: rows(reference.growth) }
    case 'growth-trends':
      return {
        symbol,
        trends: years.slice(0, 10).map((s, i) => ({
          fiscal_year: Number(s.end.slice(0, 4)),
          revenue_growth: rate(s.revenue, years[i + 1]?.revenue),
          net_income_growth: rate(s.net, years[i + 1]?.net),
          eps_growth: rate(s.diluted, years[i + 1]?.diluted),
        })),
      }
    case 'cagr':
      return {
        symbol,
        ...Object.fromEntries(
          [3, 5, 10].map((n) => [
            `${n}_years`,
            {
              revenue: compound(years[0]?.revenue, years[n]?.revenue, n),
              net_income: compound(years[0]?.net, years[n]?.net, n),
            },
          ]),
        ),
      }
    case 'dcf': {
      const fair = round4(price * (0.7 + 0.6 * company.trait('dcf')))
      return {
        symbol,
        price,
        fair_value: fair,
        upside: round4(fair / price - 1),
        assumptions: { discount_rate: 0.085, terminal_growth: 0.025, years: 10 },
      }
    }
    case 'enterprise-value':
      return { symbol, enterprise_values: rows(reference.enterpriseValues) }
    case 'multiples':
      return { symbol, ...pick(ratios, /^price_to|^enterprise/), ...pick(metrics, /^ev_to/) }
    case 'profile':
      return profile(company, reference, price)
    case 'executives':
      return { symbol, executives: executives(company, reference) }
    case 'peers':
      return { symbol, peers: peersOf(symbol) }
    default:
      return undefined
  }
}

function annualEps(company: Company, reference: Reference): number {
  const four = statementsOf(reference, company, 'quarter').slice(0, 4)
  return Math.max(
    0.01,
    four.reduce((sum, s) => sum + s.diluted, 0),
  )
}

function pick(row: Row | undefined, keys: RegExp): Row {
  return Object.fromEntries(Object.entries(row ?? {}).filter(([key]) => keys.test(key)))
}

const rate = (now: number, then: number | undefined) => (then ? round4((now - then) / Math.abs(then)) : null)

function compound(now: number | undefined, then: number | undefined, years: number): number | null {
  return now !== undefined && then !== undefined && now > 0 && then > 0 ? round4((now / then) ** (1 / years) - 1) : null
}

function peersOf(symbol: string): string[] {
  const stocks = DEMO_SYMBOLS.filter((s) => s.asset === 'stocks' && s.symbol !== symbol).map((s) => s.symbol)
  const start = companyOf(symbol).trait('peers') * stocks.length
  return Array.from({ length: 5 }, (_, i) => stocks[Math.floor(start + i * 3) % stocks.length]).filter(
    (peer) => peer !== undefined,
  )
}

const SECTORS = ['Technology', 'Industrials', 'Health Care', 'Financials', 'Consumer Staples', 'Energy', 'Utilities']

function profile(company: Company, reference: Reference, price: number): unknown {
  const sector = SECTORS[Math.floor(company.trait('sector') * SECTORS.length)]
  const description = `${company.name} as the demo service describes it: a listed company with made-up figures.`
  if (!company.real) {
    return {
      symbol: company.symbol,
      company_name: company.name,
      price,
      currency: 'USD',
      country: 'US',
      sector,
      description,
    }
  }
  const [row] = scaledRows([reference.profile], company)
  return {
    ...row,
    price,
    company_name: company.name,
    description: 'Designs phones, computers, tablets and watches, and sells services around them.',
  }
}

const FIRST = ['Alex', 'Robin', 'Sam', 'Kim', 'Jordan', 'Casey', 'Noor', 'Dana']
const LAST = ['Rivera', 'Okafor', 'Lindqvist', 'Tanaka', 'Novak', 'Haddad', 'Moreau', 'Silva']
const TITLES = ['Chief Executive Officer', 'Chief Financial Officer', 'Chief Operating Officer', 'General Counsel']

function executives(company: Company, reference: Reference): unknown {
  return TITLES.map((title, i) => ({
    name:
      company.real && i === 0
        ? reference.profile.ceo
        : `${FIRST[Math.floor(company.trait(`first ${i}`) * 8)]} ${LAST[Math.floor(company.trait(`last ${i}`) * 8)]}`,
    title,
    since: 2012 + Math.floor(company.trait(`since ${i}`) * 12),
  }))
}
