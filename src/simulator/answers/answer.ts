/** The answer of every REST endpoint, in one envelope: the one that the document shows for income statements. */
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
import type { Reference } from './reference.ts'
import { indicator } from './technical.ts'

export interface Asked {
  readonly endpoint: Endpoint
  /** Upper case; '' where the path has none. */
  readonly symbol: string
  readonly query: Query
  readonly nowMs: number
  readonly seed: number
}

/** The JSON value to answer with; undefined when there is no such record (404). */
export function answerOf(asked: Asked, reference: Reference): unknown {
  const data = dataOf(asked, reference)
  if (data === undefined) return undefined
  const now = new Date(asked.nowMs).toISOString()
  return {
    status: 'success',
    data,
    metadata: { timestamp: now, data_source: 'Tapedeck demo market', last_updated: now },
  }
}

function dataOf({ endpoint, symbol, query, nowMs, seed }: Asked, reference: Reference): unknown {
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
      return transcript(reference, symbol)
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
      return endpoint.group === 'technical'
        ? technical(endpoint, symbol, query, nowMs, seed, reference)
        : fundamentals(id, symbol, query, reference)
  }
}

function technical(
  { id }: Endpoint,
  symbol: string,
  query: Query,
  nowMs: number,
  seed: number,
  reference: Reference,
): unknown {
  const days = daysOf(reference, symbol, nowMs, 300, seed)
  const asked = Number(query.get('period') ?? NaN)
  const period = Number.isInteger(asked) && asked > 1 && asked <= 200 ? asked : id === 'rsi' ? 14 : 20
  const series = indicator(id, days, period)
  if (series === undefined) return undefined
  const names = Object.keys(series)
  const values = days.flatMap((day, i) => {
    const row = names.map((name) => [name, series[name]?.[i]] as const)
    return row.every(([, value]) => value === undefined) ? [] : [{ date: day.date, ...Object.fromEntries(row) }]
  })
  return { symbol, indicator: id, interval: '1D', period, values }
}
