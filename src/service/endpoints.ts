/**
 * The service's thirty-nine REST endpoints, one row each (docs/service.md#rest-endpoints). All are HTTP GET with
 * `Authorization: Bearer <API_KEY>`. Query parameters, status codes and error bodies are undocumented. Requests,
 * panes, the simulator's routes, the command line and the docs derive from this table.
 */

export const ENDPOINT_GROUPS = ['fundamentals', 'earnings', 'technical', 'commodities', 'news'] as const
/** The service's groups. `fundamentals` includes the valuation and reference paths. */
export type EndpointGroup = (typeof ENDPOINT_GROUPS)[number]

export type FieldType = 'text' | 'integer' | 'number' | 'fraction' | 'date' | 'instant'

/** A documented response field, by its path from the root. */
export interface ResponseField {
  readonly path: string
  readonly type: FieldType
}

/** What is documented about a response: all fields, only some, or nothing. */
export type ResponseFields =
  | { readonly known: 'whole'; readonly fields: readonly ResponseField[] }
  | { readonly known: 'part'; readonly fields: readonly ResponseField[] }
  | { readonly known: 'nothing' }

/**
 * Availability by the service's own description: `listed` if it only lists the endpoint, `live` if it says so,
 * `unsure` if it says both "coming soon" and available.
 */
export type Availability = 'listed' | 'live' | 'unsure'

export interface Endpoint {
  /** A stable name for settings, caches and the command line. */
  readonly id: EndpointId
  readonly group: EndpointGroup
  /** The documented path, with a literal `{symbol}`. */
  readonly path: string
  readonly title: string
  readonly response: ResponseFields
  readonly availability: Availability
}

const field = (type: FieldType, prefix: string, ...names: readonly string[]): ResponseField[] =>
  names.map((name) => ({ path: `${prefix}${name}`, type }))

const nothing: ResponseFields = { known: 'nothing' }
const incomeStatement: ResponseFields = {
  known: 'whole',
  fields: [
    ...field('text', '', 'status'),
    ...field('text', 'data.', 'symbol', 'company_name'),
    ...field('integer', 'data.', 'fiscal_year'),
    ...field('text', 'data.', 'quarter'),
    ...field('date', 'data.', 'period_ending'),
    ...field('text', 'data.', 'currency'),
    ...field('integer', 'data.income_statement.', 'revenue', 'gross_profit', 'operating_income', 'net_income'),
    ...field('number', 'data.income_statement.', 'eps_basic', 'eps_diluted'),
    ...field('integer', 'data.income_statement.', 'shares_outstanding_basic', 'shares_outstanding_diluted'),
    ...field('fraction', 'data.margins.', 'gross_margin', 'operating_margin', 'net_margin'),
    ...field('fraction', 'data.growth_rates.', 'revenue_growth_yoy', 'net_income_growth_yoy', 'eps_growth_yoy'),
    ...field('instant', 'metadata.', 'timestamp'),
    ...field('text', 'metadata.', 'data_source'),
    ...field('instant', 'metadata.', 'last_updated'),
  ],
}
const metrics: ResponseFields = {
  known: 'part',
  fields: [
    ...field('number', 'data.valuation.', 'pe_ratio'),
    ...field('number', 'data.profitability.', 'return_on_equity'),
    ...field('number', 'data.leverage.', 'debt_to_equity'),
  ],
}

const rows = {
  'income-statement': ['fundamentals', '/fundamentals/{symbol}/income-statement', 'Income statement', incomeStatement],
  'balance-sheet': ['fundamentals', '/fundamentals/{symbol}/balance-sheet', 'Balance sheet'],
  'cash-flow': ['fundamentals', '/fundamentals/{symbol}/cash-flow', 'Cash flow'],
  ratios: ['fundamentals', '/fundamentals/{symbol}/ratios', 'Ratios'],
  'ratios-ttm': ['fundamentals', '/fundamentals/{symbol}/ratios-ttm', 'Ratios, trailing twelve months'],
  'efficiency-ratios': ['fundamentals', '/fundamentals/{symbol}/efficiency-ratios', 'Efficiency ratios'],
  metrics: ['fundamentals', '/fundamentals/{symbol}/metrics', 'Key metrics', metrics],
  kpis: ['fundamentals', '/fundamentals/{symbol}/kpis', 'Key performance indicators'],
  'quality-score': ['fundamentals', '/fundamentals/{symbol}/quality-score', 'Quality score'],
  growth: ['fundamentals', '/fundamentals/{symbol}/growth', 'Growth'],
  'growth-trends': ['fundamentals', '/fundamentals/{symbol}/growth-trends', 'Growth trends'],
  cagr: ['fundamentals', '/fundamentals/{symbol}/cagr', 'Compound annual growth'],
  dcf: ['fundamentals', '/valuation/{symbol}/dcf', 'Discounted cash flow'],
  'enterprise-value': ['fundamentals', '/valuation/{symbol}/enterprise-value', 'Enterprise value'],
  multiples: ['fundamentals', '/valuation/{symbol}/multiples', 'Valuation multiples'],
  profile: ['fundamentals', '/reference/ticker/{symbol}/profile', 'Company profile'],
  executives: ['fundamentals', '/reference/ticker/{symbol}/executives', 'Executives'],
  peers: ['fundamentals', '/reference/ticker/{symbol}/peers', 'Peers'],
  'earnings-calendar': ['earnings', '/earnings/calendar', 'Earnings calendar, whole market'],
  'company-earnings-calendar': ['earnings', '/earnings/{symbol}/calendar', 'Company earnings calendar'],
  'earnings-history': ['earnings', '/earnings/{symbol}/history', 'Earnings history, actual and estimate'],
  'earnings-surprises': ['earnings', '/earnings/{symbol}/surprises', 'Earnings surprises'],
  'earnings-transcripts': ['earnings', '/earnings/{symbol}/transcripts', 'Earnings call transcripts'],
  sma: ['technical', '/technical/{symbol}/sma', 'Simple moving average'],
  ema: ['technical', '/technical/{symbol}/ema', 'Exponential moving average'],
  rsi: ['technical', '/technical/{symbol}/rsi', 'Relative strength index'],
  macd: ['technical', '/technical/{symbol}/macd', 'MACD'],
  'bollinger-bands': ['technical', '/technical/{symbol}/bollinger-bands', 'Bollinger bands'],
  stochastic: ['technical', '/technical/{symbol}/stochastic', 'Stochastic oscillator (%K, %D)'],
  adx: ['technical', '/technical/{symbol}/adx', 'Average directional index'],
  'williams-r': ['technical', '/technical/{symbol}/williams-r', 'Williams %R'],
  metals: ['commodities', '/commodities/metals', 'Precious metals'],
  energy: ['commodities', '/commodities/energy', 'Energy'],
  agriculture: ['commodities', '/commodities/agriculture', 'Agriculture'],
  'commodity-history': ['commodities', '/commodities/{symbol}/historical', 'Historical commodity prices'],
  news: ['news', '/news', 'Market news'],
  'company-news': ['news', '/news/{symbol}', 'Company news'],
  'news-sentiment': ['news', '/news/sentiment/{symbol}', 'News sentiment'],
  'press-releases': ['news', '/news/press-releases/{symbol}', 'Press releases'],
} as const satisfies Record<string, readonly [EndpointGroup, string, string, ResponseFields?]>

export type EndpointId = keyof typeof rows

const AVAILABILITY: Readonly<Record<EndpointGroup, Availability>> = {
  fundamentals: 'listed',
  earnings: 'live',
  technical: 'unsure',
  commodities: 'unsure',
  news: 'unsure',
}

/** Every endpoint in documented order. */
export const ENDPOINTS: readonly Endpoint[] = (
  Object.entries(rows) as [EndpointId, readonly [EndpointGroup, string, string, ResponseFields?]][]
) // keys of a literal object
  .map(([id, [group, path, title, response = nothing]]) => ({
    id,
    group,
    path,
    title,
    response,
    availability: AVAILABILITY[group],
  }))

/** Finds an endpoint by id or by documented path with a literal `{symbol}`. */
export function endpointOf(idOrPath: string): Endpoint | undefined {
  return ENDPOINTS.find((endpoint) => endpoint.id === idOrPath || endpoint.path === idOrPath)
}

/** Whether the path contains a symbol. */
export function takesSymbol(endpoint: Endpoint): boolean {
  return endpoint.path.includes('{symbol}')
}

/**
 * The request path of an endpoint, with the symbol percent-encoded as one segment.
 * @throws RangeError if the path needs a symbol and the given one is missing or can't be a path segment
 */
export function endpointPath(endpoint: Endpoint, symbol?: string): string {
  if (!takesSymbol(endpoint)) return endpoint.path
  // URL parsers remove "." and ".." segments.
  if (symbol === undefined || symbol === '' || symbol === '.' || symbol === '..' || !symbol.isWellFormed()) {
    throw new RangeError(`${endpoint.path} wants a symbol`)
  }
  return endpoint.path.replace('{symbol}', () => encodeURIComponent(symbol))
}

/** The endpoint and decoded symbol of a request path without query, or undefined if no row matches. */
export function matchEndpoint(pathname: string): { endpoint: Endpoint; symbol: string | undefined } | undefined {
  const given = pathname.split('/')
  for (const endpoint of ENDPOINTS) {
    const wanted = endpoint.path.split('/')
    const at = wanted.indexOf('{symbol}')
    if (wanted.length !== given.length || !wanted.every((part, i) => i === at || part === given[i])) continue
    if (at < 0) return { endpoint, symbol: undefined }
    try {
      const symbol = decodeURIComponent(given[at])
      if (symbol !== '') return { endpoint, symbol }
    } catch {
      // A malformed escape isn't a symbol.
    }
  }
  return undefined
}
