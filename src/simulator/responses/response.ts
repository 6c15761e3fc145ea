/** The response of every REST endpoint, in the envelope that is documented for income statements. */
import type { Endpoint } from '../../service/endpoints.ts'
import { daysOf } from './daily.ts'
import {
  commodities,
  commodityHistory,
  companyCalendar,
  earningsCalendar,
  earningsHistory,
  pressReleases,
  sentiment,
  stories,
  transcript,
} from './events.ts'
import { fundamentals, type Query } from './fundamentals.ts'
import type { Intraday } from './intraday.ts'
import type { Reference } from './reference.ts'
import { indicator, parametersOf } from './technical.ts'

export interface Asked {
  readonly endpoint: Endpoint
  /** Upper case; '' if the path has none. */
  readonly symbol: string
  readonly query: Query
  readonly nowMs: number
  readonly seed: number
  readonly intraday: Intraday
}

/** The JSON value of the response, or undefined if there is no such record (404). */
export function responseOf(asked: Asked, reference: Reference): unknown {
  const data = dataOf(asked, reference)
  if (data === undefined) return undefined
  const now = new Date(asked.nowMs).toISOString()
  return {
    status: 'success',
    data,
    metadata: { timestamp: now, data_source: 'Tapedeck demo market', last_updated: now },
  }
}

function dataOf(asked: Asked, reference: Reference): unknown {
  const { endpoint, symbol, query, nowMs, seed } = asked
  const { id } = endpoint
  switch (id) {
    case 'earnings-calendar':
      return earningsCalendar(reference, nowMs)
    case 'company-earnings-calendar':
      return companyCalendar(reference, symbol, nowMs)
    case 'earnings-history':
      return { symbol, history: earningsHistory(reference, symbol, nowMs) }
    case 'earnings-surprises':
      return { symbol, surprises: earningsHistory(reference, symbol, nowMs) }
    case 'earnings-transcripts':
      return transcript(reference, symbol, query)
    case 'metals':
    case 'energy':
    case 'agriculture':
      return commodities(id, nowMs, seed)
    case 'commodity-history':
      return commodityHistory(symbol, nowMs, seed)
    case 'news':
      return { articles: stories(undefined, nowMs, seed, 30) }
    case 'company-news':
      return { symbol, articles: stories(symbol, nowMs, seed, 20) }
    case 'news-sentiment':
      return sentiment(symbol, nowMs, seed)
    case 'press-releases':
      return pressReleases(symbol, nowMs)
    default:
      return endpoint.group === 'technical' ? technical(asked, reference) : fundamentals(id, symbol, query, reference)
  }
}

function technical({ endpoint: { id }, symbol, query, nowMs, seed, intraday }: Asked, reference: Reference): unknown {
  const interval = query.get('interval') ?? '1D'
  const daily = /^(1d|1day|daily)$/i.test(interval)
  const bars = daily
    ? daysOf(reference, symbol, nowMs, 300, seed, (ms) => intraday.priceAt(symbol, ms))
    : intraday.bars(symbol, interval, nowMs)
  if (bars === undefined) return undefined
  const parameters = parametersOf(id, query)
  const series = indicator(id, bars, parameters)
  if (series === undefined) return undefined
  const names = Object.keys(series)
  const values = bars.flatMap(({ time }, i) => {
    const row = names.map((name) => [name, series[name]?.[i]] as const)
    if (row.every(([, value]) => value === undefined)) return []
    return [{ [daily ? 'date' : 'timestamp']: time, ...Object.fromEntries(row) }]
  })
  return { symbol, indicator: id, interval: daily ? '1D' : interval, ...parameters, values }
}
