import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MarketRecord } from '../../../../src/shared/core/market/market.ts'
import { price, serviceSymbol, size, unixMs, type FeedId } from '../../../../src/shared/base/units.ts'
import { encode } from '../../../../src/service/codecs/encode.ts'
import { FEEDS } from '../../../../src/service/feeds.ts'
import { frameTexts, pythonFloat, writerOf } from '../../../../src/simulator/market/frames.ts'

const T = 1_780_000_000_123
const at = { eventMs: unixMs(T) }
const quote = { bid: price(1.1), ask: price(1.2), ...at }
const bar = {
  open: price(1),
  close: price(2),
  high: price(3),
  low: price(0.5),
  volume: size(7.25),
  startMs: unixMs(T),
  endMs: unixMs(T + 1),
}

function recordOf(feed: FeedId): MarketRecord {
  const base = { feed, symbol: serviceSymbol('A"B') }
  switch (FEEDS[feed].kind) {
    case 'trade':
      return { kind: 'trade', ...base, price: price(61_837.63), size: size(0.02), ...at }
    case 'quote':
      return {
        kind: 'quote',
        ...base,
        ...quote,
        ...(feed === 'stocks/Q' ? { bidSize: size(1), askSize: size(2) } : {}),
      }
    case 'bar':
      return { kind: 'bar', ...base, ...bar }
  }
}

describe('writers', () => {
  it.each(Object.keys(FEEDS) as FeedId[])('write %s as the document has it', (feed) => {
    const record = recordOf(feed)
    const {
      startMs: start,
      endMs: end,
      eventMs: time,
      ...values
    } = { startMs: NaN, endMs: NaN, eventMs: NaN, ...record }
    expect(writerOf(feed, 'javascript')('A"B', { ...values, start, end, time }, 2, 2)).toBe(encode(feed, record))
  })
  it('write as Python and with fixed decimals too', () => {
    const values = { price: 1, size: 2, time: T }
    expect(writerOf('crypto/XT', 'python')('X', values, 2, 3)).toBe(
      `{"ev": "XT", "pair": "X", "p": 1.0, "t": ${T}, "s": 2.0}`,
    )
    expect(writerOf('crypto/XT', 'fixed')('X', values, 2, 3)).toBe(`{"ev":"XT","pair":"X","p":1.00,"t":${T},"s":2.000}`)
  })
  it.each([
    [1, '1.0'],
    [0.00001, '1e-05'],
    [0.0001, '0.0001'],
    [1.5e-7, '1.5e-07'],
    [1234.5, '1234.5'],
  ])('Python writes %d as %s', (n, text) => {
    expect(pythonFloat(n)).toBe(text)
  })
})

describe('joined frames', () => {
  it('are those of the protocol, at every length of header', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: 'grapheme' }),
            fc.constantFrom(...[125, 126, 65_535, 65_536].map((n) => 'x'.repeat(n))),
          ),
          {
            maxLength: 6,
          },
        ),
        (texts) => {
          const bytes = frameTexts(texts)
          const read: string[] = []
          for (let i = 0; i < bytes.length;) {
            expect(bytes[i]).toBe(0x81)
            const short = bytes[i + 1]
            const [length, head] =
              short < 126
                ? [short, 2]
                : short === 126
                  ? [bytes.readUInt16BE(i + 2), 4]
                  : [Number(bytes.readBigUInt64BE(i + 2)), 10]
            read.push(bytes.toString('utf8', i + head, i + head + length))
            i += head + length
          }
          expect(read).toEqual(texts)
        },
      ),
      { numRuns: 50 },
    )
  })
})
