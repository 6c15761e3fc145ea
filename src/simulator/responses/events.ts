/** Earnings, news and commodities of the demo service. Every text here is our own. */
import { DAY_MS, HOUR_MS } from '../../shared/base/durations.ts'
import { DEMO_SYMBOLS } from '../../service/demo-symbols.ts'
import { fraction, hashAt, hashText, wander } from '../market/random.ts'
import { companyOf, fiscalOf, round4, statementsOf, type Company } from './company.ts'
import type { Query } from './fundamentals.ts'
import type { Reference } from './reference.ts'

const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const stocks = DEMO_SYMBOLS.filter((s) => s.asset === 'stocks')

/** The next earnings date of a company: a weekday at the same time every quarter. */
function nextEarnings(company: Company, nowMs: number): number {
  const cycle = 91 * DAY_MS
  const offset = Math.floor(company.trait('earnings') * 91) * DAY_MS
  const next = Math.ceil((nowMs - offset) / cycle) * cycle + offset
  const weekday = new Date(next).getUTCDay()
  return next + (weekday === 6 ? 2 : weekday === 0 ? 1 : 0) * DAY_MS
}

function upcoming(reference: Reference, company: Company, nowMs: number): unknown {
  const last = statementsOf(reference, company, 'quarter')[0]
  const { year, quarter } = fiscalOf(isoDay(nowMs))
  return {
    symbol: company.symbol,
    company_name: company.name,
    date: isoDay(nextEarnings(company, nowMs)),
    time: company.trait('hour') < 0.5 ? 'before open' : 'after close',
    fiscal_year: year,
    quarter,
    eps_estimate: last === undefined ? null : round4(last.diluted * (0.95 + 0.12 * company.trait('estimate'))),
    revenue_estimate: last === undefined ? null : Math.round(last.revenue * (0.96 + 0.1 * company.trait('guess'))),
    eps_actual: null,
    revenue_actual: null,
  }
}

/** The upcoming reports of the whole market, nearest first. */
export function earningsCalendar(reference: Reference, nowMs: number): unknown {
  const list = stocks.map((s) => companyOf(s.symbol)).sort((a, b) => nextEarnings(a, nowMs) - nextEarnings(b, nowMs))
  return { earnings: list.map((company) => upcoming(reference, company, nowMs)) }
}

export function companyCalendar(reference: Reference, symbol: string, nowMs: number): unknown {
  return { symbol, earnings: [upcoming(reference, companyOf(symbol), nowMs)] }
}

/** Past results, actual against a made-up estimate, newest first. */
export function earningsHistory(reference: Reference, symbol: string, nowMs: number): unknown[] {
  const company = companyOf(symbol)
  return statementsOf(reference, company, 'quarter')
    .filter((s) => Date.parse(s.end) < nowMs)
    .slice(0, 20)
    .map((s) => {
      const known = company.real
        ? reference.earnings.find((e) => {
            const days = (Date.parse(String(e.date)) - Date.parse(s.end)) / DAY_MS
            return days > 0 && days < 60
          })
        : undefined
      const estimate =
        typeof known?.epsEstimated === 'number'
          ? known.epsEstimated
          : round4(s.diluted * (0.92 + 0.14 * company.trait(`${s.end} eps`)))
      const { year, quarter } = fiscalOf(s.end)
      return {
        date: isoDay(Date.parse(s.end) + 33 * DAY_MS),
        fiscal_year: year,
        quarter,
        eps_actual: s.diluted,
        eps_estimate: estimate,
        surprise: round4(s.diluted - estimate),
        surprise_percent: estimate === 0 ? null : round4(((s.diluted - estimate) / Math.abs(estimate)) * 100),
        result: s.diluted > estimate ? 'beat' : s.diluted < estimate ? 'miss' : 'met',
        revenue_actual: s.revenue,
      }
    })
}

/** A short made-up earnings call: the latest, or that of `fiscal_year` and `quarter`. Undefined: there was none. */
export function transcript(reference: Reference, symbol: string, query: Query): unknown {
  const company = companyOf(symbol)
  const [wantedYear, wantedQuarter] = [query.get('fiscal_year'), query.get('quarter')?.toUpperCase()]
  const s = statementsOf(reference, company, 'quarter').find(({ end }) => {
    const { year, quarter } = fiscalOf(end)
    return (wantedYear === null || String(year) === wantedYear) && [undefined, quarter].includes(wantedQuarter)
  })
  if (s === undefined) return undefined
  const { year, quarter } = fiscalOf(s.end)
  const billions = (s.revenue / 1e9).toFixed(1)
  return {
    symbol,
    fiscal_year: year,
    quarter,
    transcript: [
      {
        speaker: 'Operator',
        text: `Welcome to the ${quarter} ${year} call of ${company.name.replace(/\.$/, '')}. This call is made up for the demo market.`,
      },
      {
        speaker: 'Chief Executive Officer',
        text: `Revenue came to ${billions} billion dollars. Demand was steady across regions, and we shipped what we said we would.`,
      },
      {
        speaker: 'Chief Financial Officer',
        text: `Diluted earnings were ${s.diluted} dollars a share. We keep our plans for the year unchanged.`,
      },
      { speaker: 'Operator', text: 'We now take questions. There are none today.' },
    ],
  }
}

const HEADLINES = [
  'TICKER extends its range as buyers and sellers trade places',
  'HostBridge note: what the last hour of volume says about TICKER',
  'TICKER opens the week near the middle of its monthly band',
  'Supplier survey points to steady orders for TICKER',
  'Analysts split over the pace of growth at TICKER',
  'TICKER lays out its plan for the coming quarter',
  'Options market prices a quieter month for TICKER',
  'A closer look at the margins of TICKER',
  'TICKER widens a test of its new service',
  'Three questions for TICKER before its next report',
]
const PUBLISHERS = ['Demo Wire', 'Paper Tape Daily', 'The Loopback Times']

interface Story {
  readonly id: string
  readonly symbol: string
  readonly headline: string
  readonly summary: string
  readonly publisher: string
  readonly published_at: string
  readonly url: string
  readonly sentiment: number
}

/** News about a symbol (undefined: the market), newest first. There is a new story about every quarter of an hour. */
export function stories(symbol: string | undefined, nowMs: number, seed: number, count: number): Story[] {
  const own = hashText(symbol ?? 'market', seed)
  const spacing = symbol === undefined ? 17 * 60_000 : 19 * 60_000
  const publishedAt = (n: number) => n * spacing + Math.floor(fraction(hashAt(hashAt(own, n, 31), 1)) * spacing * 0.5)
  let newest = Math.floor(nowMs / spacing)
  if (publishedAt(newest) > nowMs) newest--
  return Array.from({ length: count }, (_, i) => {
    const h = hashAt(own, newest - i, 31)
    const about = symbol ?? stocks[h % stocks.length]?.symbol ?? 'SPY'
    const template = HEADLINES[(h >>> 8) % HEADLINES.length] ?? ''
    const published = publishedAt(newest - i)
    return {
      id: `demo-${h.toString(16)}`,
      symbol: about,
      headline: template.replace('TICKER', about),
      summary: `A made-up story of the demo market about ${about}. Nothing of it happened.`,
      publisher: PUBLISHERS[(h >>> 16) % PUBLISHERS.length] ?? '',
      published_at: new Date(published).toISOString(),
      url: `https://example.com/demo/${h.toString(16)}`,
      sentiment: round4(2 * fraction(hashAt(h, 2)) - 1),
    }
  })
}

export function sentiment(symbol: string, nowMs: number, seed: number): unknown {
  const list = stories(symbol, nowMs, seed, 20)
  const score = round4(list.reduce((sum, s) => sum + s.sentiment, 0) / list.length)
  const part = (of: (x: number) => boolean) => list.filter((s) => of(s.sentiment)).length
  return {
    symbol,
    score,
    label: score > 0.15 ? 'positive' : score < -0.15 ? 'negative' : 'neutral',
    articles: {
      positive: part((x) => x > 0.2),
      neutral: part((x) => Math.abs(x) <= 0.2),
      negative: part((x) => x < -0.2),
    },
  }
}

export function pressReleases(symbol: string, nowMs: number): unknown {
  const { name } = companyOf(symbol)
  const texts = ['declares a quarterly dividend', 'names the date of its next report', 'opens a new engineering office']
  return {
    symbol,
    releases: texts.map((text, i) => ({
      title: `${name} ${text}`,
      published_at: new Date(Math.floor(nowMs / DAY_MS) * DAY_MS - (3 + 12 * i) * DAY_MS + 13 * HOUR_MS).toISOString(),
      text: 'A made-up press release of the demo service.',
    })),
  }
}

/** Symbol, name, unit, price. */
const COMMODITIES = {
  metals: [
    ['XAU', 'Gold', 'USD/oz', 2431.2],
    ['XAG', 'Silver', 'USD/oz', 27.9],
    ['XPT', 'Platinum', 'USD/oz', 928.4],
    ['XPD', 'Palladium', 'USD/oz', 902.1],
    ['HG', 'Copper', 'USD/lb', 4.02],
  ],
  energy: [
    ['CL', 'Crude oil WTI', 'USD/bbl', 76.8],
    ['BZ', 'Crude oil Brent', 'USD/bbl', 79.6],
    ['NG', 'Natural gas', 'USD/MMBtu', 2.14],
    ['RB', 'Gasoline', 'USD/gal', 2.38],
    ['HO', 'Heating oil', 'USD/gal', 2.33],
  ],
  agriculture: [
    ['ZW', 'Wheat', 'USc/bu', 542.5],
    ['ZC', 'Corn', 'USc/bu', 394.2],
    ['ZS', 'Soybeans', 'USc/bu', 1012.4],
    ['KC', 'Coffee', 'USc/lb', 241.3],
    ['SB', 'Sugar', 'USc/lb', 18.4],
    ['CT', 'Cotton', 'USc/lb', 68.1],
  ],
} as const

const PERIODS = [20 * DAY_MS, 4 * DAY_MS, DAY_MS, 6 * HOUR_MS, HOUR_MS]

function commodityAt(symbol: string, base: number, ms: number, seed: number): number {
  return Number((base * Math.exp(wander(hashText(symbol, seed), ms, 0.014, PERIODS))).toFixed(base < 10 ? 4 : 2))
}

export function commodities(group: keyof typeof COMMODITIES, nowMs: number, seed: number): unknown {
  return {
    commodities: COMMODITIES[group].map(([symbol, name, unit, base]) => {
      const price = commodityAt(symbol, base, nowMs, seed)
      const before = commodityAt(symbol, base, nowMs - DAY_MS, seed)
      return {
        symbol,
        name,
        unit,
        price,
        change: round4(price - before),
        change_percent: round4((price / before - 1) * 100),
        updated_at: new Date(nowMs).toISOString(),
      }
    }),
  }
}

/** A year of daily prices of a commodity, oldest first, or undefined if it isn't known. */
export function commodityHistory(symbol: string, nowMs: number, seed: number): unknown {
  const row = Object.values(COMMODITIES)
    .flat()
    .find(([known]) => known === symbol)
  if (row === undefined) return undefined
  const [, name, unit, base] = row
  const today = Math.floor(nowMs / DAY_MS)
  return {
    symbol,
    name,
    unit,
    prices: Array.from({ length: 365 }, (_, i) => {
      const at = (today - 364 + i) * DAY_MS
      const prices = [0, 6, 12, 18].map((h) => commodityAt(symbol, base, at + h * HOUR_MS, seed))
      return {
        date: isoDay(at),
        open: prices[0],
        high: Math.max(...prices),
        low: Math.min(...prices),
        close: prices[3],
      }
    }),
  }
}
