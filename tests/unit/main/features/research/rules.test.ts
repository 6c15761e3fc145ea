import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countAt, resetOf } from '../../../../../src/main/features/research/budget.ts'
import { paramsText, readQuestion } from '../../../../../src/main/features/research/question.ts'
import { LONGEST_WAIT_MS, MAX_TRIES, waitBefore } from '../../../../../src/main/features/research/retry.ts'
import { retryAfterMs } from '../../../../../src/main/base/retry-after.ts'
import { isStale } from '../../../../../src/main/features/research/ttl.ts'
import { ENDPOINTS, endpointOf, matchEndpoint, takesSymbol } from '../../../../../src/service/endpoints.ts'

const DAY = 86_400_000

describe('retries', () => {
  it('never waits less than it was asked to, nor longer than a pane would', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }),
        fc.option(fc.integer({ min: 0, max: 60_000 })),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (next, asked, chance) => {
          const wait = waitBefore(next, asked, chance)
          if (next > MAX_TRIES || (asked ?? 0) > LONGEST_WAIT_MS) expect(wait).toBeNull()
          else {
            expect(wait).toBeGreaterThanOrEqual(asked ?? 0)
            expect(wait).toBeLessThanOrEqual((asked ?? 0) + 400 * 2 ** (MAX_TRIES - 1))
          }
        },
      ),
    )
  })
  it.each([
    ['7', 7_000],
    ['Mon, 05 Jan 2026 12:00:10 GMT', 10_000],
    ['Mon, 05 Jan 2026 11:00:00 GMT', 0],
    ['soon', null],
    ['-1', null],
    [null, null],
  ])('reads Retry-After %s', (header, ms) => {
    expect(retryAfterMs(header, Date.UTC(2026, 0, 5, 12))).toBe(ms)
  })
})

describe('the daily count', () => {
  it('resets at 00:00 UTC, and not because a clock was set back', () => {
    const count = { dayMs: 5 * DAY, used: 7 }
    expect(countAt(count, 6 * DAY - 1)).toBe(count)
    expect(countAt(count, 6 * DAY)).toEqual({ dayMs: 6 * DAY, used: 0 })
    expect(countAt(count, 4 * DAY)).toBe(count)
    expect(resetOf(count)).toBe(6 * DAY)
  })
})

describe('questions', () => {
  it('makes a path of every endpoint that leads back to it, whatever the symbol', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ENDPOINTS),
        fc.string({ minLength: 1, unit: 'grapheme' }).filter((s) => s.trim() !== '' && !/^\.{1,2}$/.test(s.trim())),
        fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { maxKeys: 5 }),
        (endpoint, symbol, params) => {
          const { path, key } = readQuestion('demo', { endpoint: endpoint.id, symbol, params })
          const url = new URL(path, 'http://127.0.0.1')
          const found = matchEndpoint(url.pathname)
          // "/news/sentiment/X" and the like: a symbol may look like another endpoint's path, but not change the depth
          if (takesSymbol(endpoint)) expect(found?.symbol).toBe(symbol.trim())
          expect(Object.fromEntries(url.searchParams)).toEqual(Object.fromEntries(Object.entries(params)))
          expect(key).toEqual({
            source: 'demo',
            endpoint: endpoint.id,
            symbol: takesSymbol(endpoint) ? symbol.trim() : '',
            params: paramsText(params),
          })
        },
      ),
    )
  })
  it('knows no order of parameters', () => {
    expect(paramsText({ b: '1', a: 'x y' })).toBe(paramsText({ a: 'x y', b: '1' }))
  })
})

it('asks again for what is older than its group allows, or from the future', () => {
  const news = endpointOf('news')
  const income = endpointOf('income-statement')
  if (news === undefined || income === undefined) throw new Error('no such endpoint')
  expect(isStale(news, 0, 119_999)).toBe(false)
  expect(isStale(news, 0, 120_000)).toBe(true)
  expect(isStale(income, 0, 3_600_000)).toBe(false)
  expect(isStale(income, 10 * DAY, DAY)).toBe(true)
})
