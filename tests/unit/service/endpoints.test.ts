import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endpointOf, endpointPath, ENDPOINTS, matchEndpoint, takesSymbol } from '../../../src/service/endpoints.ts'

/** The paths of section 4.3, group by group. */
const DOCUMENT = {
  fundamentals: [
    '/fundamentals/{symbol}/income-statement',
    '/fundamentals/{symbol}/balance-sheet',
    '/fundamentals/{symbol}/cash-flow',
    '/fundamentals/{symbol}/ratios',
    '/fundamentals/{symbol}/ratios-ttm',
    '/fundamentals/{symbol}/efficiency-ratios',
    '/fundamentals/{symbol}/metrics',
    '/fundamentals/{symbol}/kpis',
    '/fundamentals/{symbol}/quality-score',
    '/fundamentals/{symbol}/growth',
    '/fundamentals/{symbol}/growth-trends',
    '/fundamentals/{symbol}/cagr',
    '/valuation/{symbol}/dcf',
    '/valuation/{symbol}/enterprise-value',
    '/valuation/{symbol}/multiples',
    '/reference/ticker/{symbol}/profile',
    '/reference/ticker/{symbol}/executives',
    '/reference/ticker/{symbol}/peers',
  ],
  earnings: [
    '/earnings/calendar',
    '/earnings/{symbol}/calendar',
    '/earnings/{symbol}/history',
    '/earnings/{symbol}/surprises',
    '/earnings/{symbol}/transcripts',
  ],
  technical: [
    '/technical/{symbol}/sma',
    '/technical/{symbol}/ema',
    '/technical/{symbol}/rsi',
    '/technical/{symbol}/macd',
    '/technical/{symbol}/bollinger-bands',
    '/technical/{symbol}/stochastic',
    '/technical/{symbol}/adx',
    '/technical/{symbol}/williams-r',
  ],
  commodities: [
    '/commodities/metals',
    '/commodities/energy',
    '/commodities/agriculture',
    '/commodities/{symbol}/historical',
  ],
  news: ['/news', '/news/{symbol}', '/news/sentiment/{symbol}', '/news/press-releases/{symbol}'],
} as const

describe('endpoints', () => {
  test("are the document's, in its order", () => {
    for (const [group, paths] of Object.entries(DOCUMENT)) {
      expect(ENDPOINTS.filter((e) => e.group === group).map((e) => e.path)).toEqual(paths)
    }
  })

  test('count 18, 5, 8, 4 and 4: 39', () => {
    const counts = Object.keys(DOCUMENT).map((group) => ENDPOINTS.filter((e) => e.group === group).length)
    expect(counts).toEqual([18, 5, 8, 4, 4])
    expect(ENDPOINTS).toHaveLength(39)
  })

  test('have one id, one path and one title each', () => {
    for (const key of ['id', 'path', 'title'] as const) {
      expect(new Set(ENDPOINTS.map((e) => e[key])).size).toBe(39)
    }
  })

  test('say what is known of the response, and no more', () => {
    expect(ENDPOINTS.filter((e) => e.response.known === 'whole').map((e) => e.id)).toEqual(['income-statement'])
    const part = ENDPOINTS.filter((e) => e.response.known === 'part')
    expect(part.map((e) => [e.id, e.response.known === 'part' && e.response.fields.map((f) => f.path)])).toEqual([
      ['metrics', ['data.valuation.pe_ratio', 'data.profitability.return_on_equity', 'data.leverage.debt_to_equity']],
    ])
    expect(ENDPOINTS.filter((e) => e.availability === 'live').every((e) => e.group === 'earnings')).toBe(true)
  })

  test('any symbol travels through the path and back', () => {
    const symbol = fc.string({ minLength: 1, unit: 'grapheme' }).filter((s) => s !== '.' && s !== '..')
    fc.assert(
      fc.property(fc.constantFrom(...ENDPOINTS), symbol, (endpoint, s) => {
        const found = matchEndpoint(endpointPath(endpoint, s))
        expect(found).toEqual({ endpoint, symbol: takesSymbol(endpoint) ? s : undefined })
      }),
    )
  })

  test('a path that wants a symbol is not made without one', () => {
    const news = endpointOf('/news/{symbol}')
    if (news === undefined) throw new Error('no such row')
    for (const symbol of [undefined, '', '.', '..', '\ud800']) {
      expect(() => endpointPath(news, symbol)).toThrow(RangeError)
    }
    expect(endpointPath(news, '$&/x')).toBe('/news/%24%26%2Fx')
  })

  test('other paths match nothing', () => {
    for (const path of [
      '/',
      '',
      '/new',
      '/news/',
      '/news/%E0%A4%A',
      '/fundamentals//metrics',
      '/fundamentals/A/metrics/',
    ]) {
      expect(matchEndpoint(path), path).toBeUndefined()
    }
    expect(endpointOf('nothing')).toBeUndefined()
  })
})
