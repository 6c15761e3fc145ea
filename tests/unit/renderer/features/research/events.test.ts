// From a mark on a chart to its story or report; and whose marks a chart asks for.
import { describe, expect, it } from 'vitest'
import { rowOfDay } from '../../../../../src/renderer/features/research/response/cells.ts'
import { companySymbol } from '../../../../../src/renderer/core/symbols/company-symbol.ts'
import {
  newsTable,
  placeOfStory,
  storiesOf,
  storySymbol,
} from '../../../../../src/renderer/features/research/company/story.ts'
import { readResponse } from '../../../../../src/shared/features/research/read.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'

describe('the company of a chart', () => {
  const aapl = instrumentId('stocks', 'AAPL')
  const brk = instrumentId('stocks', 'BRKB')
  const quotes = { row: (of: string) => (of === brk ? { symbol: 'BRK.B' } : undefined) }
  const app = { quotes } as unknown as Parameters<typeof companySymbol>[0] // only what is asked here

  it('is of its own instrument, whatever the pane in front looks at', () => {
    expect(companySymbol(app, aapl)).toBe('AAPL')
    expect(companySymbol(app, brk)).toBe('BRK.B')
    expect(companySymbol(app, instrumentId('crypto', 'BTC-USD'))).toBeNull()
  })
})

describe('what a mark stands for', () => {
  const at = '2026-06-01T14:00:00Z'
  const ms = Date.parse(at)
  const long = 'A headline that goes on '.repeat(10)

  it('is the story of its instant that begins with its words', () => {
    const response = JSON.stringify([
      { headline: 'Another of the same instant', published_at: at },
      { headline: long, published_at: at },
      { headline: 'Earlier', published_at: '2026-06-01T13:00:00Z' },
    ])
    const table = newsTable(readResponse(response))
    const stories = table === undefined ? [] : storiesOf(table)
    expect(placeOfStory(stories, { ms, text: long.slice(0, 120) })).toBe(1)
    expect(placeOfStory(stories, { ms: ms + 1, text: 'Earlier' })).toBe(-1)
  })
  it('is the record of its day', () => {
    const [table] = readResponse(
      JSON.stringify([
        { quarter: 'Q3', date: '2026-09-01' },
        { quarter: 'Q2', date: '2026-06-01' },
      ]),
    ).tables
    expect(rowOfDay(table, '2026-06-01')).toBe(1)
    expect(rowOfDay(table, '2026-06-02')).toBe(-1)
  })
})

describe('the symbol that a story carries when it is dragged', () => {
  it.each([
    ['AAPL, MSFT', { asset: 'stocks', symbol: 'AAPL' }],
    ['BRK.B', { asset: 'stocks', symbol: 'BRK.B' }],
    ['X:BTCUSD', { asset: 'crypto', symbol: 'BTCUSD' }],
    ['C:EURUSD MSFT', { asset: 'forex', symbol: 'EURUSD' }],
    ['', null],
    ['–', null],
    ['<b>', null],
  ])('%j', (symbols, expected) => {
    expect(storySymbol({ symbols })).toEqual(expected)
  })
})
