/** Reads news stories from responses of any shape by guessing what each column holds. Pure. */
import type { Reading, Table } from '../../../../shared/features/research/read.ts'
import { numberOf, timeOf } from '../../../../shared/features/research/types.ts'
import type { WatchSymbol } from '../../../../shared/core/settings/settings.ts'
import { scalarText } from '../../../../shared/features/research/value.ts'

export interface Story {
  /** Stable across responses. */
  readonly id: string
  readonly headline: string
  readonly text: string
  readonly publisher: string
  readonly symbols: string
  /** UTC ms; NaN if absent. */
  readonly atMs: number
  /** An http(s) link; '' if there is none. */
  readonly url: string
  /** Sentiment score as received, typically -1 to 1; NaN if absent. */
  readonly sentiment: number
  readonly sentimentWord: string
}

const NAMES = {
  headline: /^(headline|title|subject)$/i,
  text: /^(summary|text|description|body|content|snippet|abstract|teaser)$/i,
  publisher: /^(publisher|source|site|provider|author|publisher\.name|source\.name)$/i,
  symbols: /^(symbols?|tickers?|related)$/i,
  time: /^(published_?(at|date|on|utc)?|date(time)?|time(stamp)?|created_?at|updated_?at)$/i,
  url: /^(url|link|href|article_url)$/i,
  sentiment: /^(sentiment(_?score)?|score|polarity|sentiment\.score|overall_sentiment_score)$/i,
  word: /^(sentiment_?label|label|overall_sentiment_label|sentiment)$/i,
  id: /^(id|uuid|guid|news_?id)$/i,
} as const

/** The first table with a headline column; undefined if there is none. */
export function newsTable(reading: Reading): Table | undefined {
  return reading.tables.find((table) => table.columns.some(({ key }) => NAMES.headline.test(key)))
}

/** Stories of a table, newest first. Those without a time come last, in their original order. */
export function storiesOf(table: Table): readonly Story[] {
  const place = (name: RegExp): number => table.columns.findIndex(({ key }) => name.test(key))
  const at = Object.fromEntries(Object.entries(NAMES).map(([name, pattern]) => [name, place(pattern)])) as Record<
    keyof typeof NAMES,
    number
  > // one column index per name
  // Some services put the sentiment's label in the column that others use for its score.
  const scored = table.columns.findIndex(({ key, type }) => type === 'number' && NAMES.sentiment.test(key))
  const sentimentAt = scored >= 0 ? scored : at.sentiment
  const text = (row: number, column: number): string => (column < 0 ? '' : scalarText(table.cell(row, column)))
  const stories = Array.from({ length: table.rows }, (_, row): Story => {
    const headline = text(row, at.headline)
    const atMs = at.time < 0 ? NaN : timeOf(table.cell(row, at.time))
    const url = text(row, at.url)
    const word = text(row, at.word)
    return {
      id: text(row, at.id) || `${headline} ${Number.isNaN(atMs) ? '' : atMs}`,
      headline,
      text: text(row, at.text),
      publisher: text(row, at.publisher),
      symbols: text(row, at.symbols)
        .replace(/[["\]]/g, '')
        .replaceAll(',', ', '),
      atMs,
      url: /^https?:\/\//i.test(url) ? url : '',
      sentiment: sentimentAt < 0 ? NaN : numberOf(table.cell(row, sentimentAt)),
      sentimentWord: Number.isNaN(numberOf(word || null)) ? word : '',
    }
  })
  return stories.toSorted((a, b) => {
    if (Number.isNaN(a.atMs) || Number.isNaN(b.atMs)) return Number(Number.isNaN(a.atMs)) - Number(Number.isNaN(b.atMs))
    return b.atMs - a.atMs
  })
}

/** The first symbol of a story, with its market; null if there is none. */
export function storySymbol({ symbols }: Pick<Story, 'symbols'>): WatchSymbol | null {
  const [first = ''] = symbols.split(/[,;|\s]+/)
  const [, prefix = '', name = ''] = /^(?:([XC]):)?([A-Z0-9][A-Z0-9.\-/]{0,31})$/i.exec(first) ?? []
  if (name === '') return null
  const asset = { X: 'crypto', C: 'forex' } as const
  return { asset: prefix === 'X' || prefix === 'C' ? asset[prefix] : 'stocks', symbol: name }
}

/** Index of a marker's story: same instant, and a headline that starts with the marker's text; -1 if not found. */
export function placeOfStory(stories: readonly Story[], mark: { readonly ms: number; readonly text: string }): number {
  return stories.findIndex(({ atMs, headline }) => atMs === mark.ms && headline.startsWith(mark.text))
}

/** Direction of a sentiment, from its score or label; 0: neutral, null: unknown. */
export function moodOf({ sentiment, sentimentWord }: Pick<Story, 'sentiment' | 'sentimentWord'>): -1 | 0 | 1 | null {
  if (!Number.isNaN(sentiment)) return sentiment > 0.05 ? 1 : sentiment < -0.05 ? -1 : 0
  if (/positive|bullish/i.test(sentimentWord)) return 1
  if (/negative|bearish/i.test(sentimentWord)) return -1
  return sentimentWord === '' ? null : 0
}
