import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scratch } from '../../../src/service/codec.ts'
import { CODECS } from '../../../src/service/codecs/table.ts'
import { recordOf } from '../../../src/service/codecs/decode.ts'
import { encode } from '../../../src/service/codecs/encode.ts'
import { FEEDS } from '../../../src/service/feeds.ts'
import { internedAt, internPlace } from '../../../src/service/intern.ts'
import { FEED_IDS, serviceSymbol, type FeedId } from '../../../src/shared/base/units.ts'
import { anyNumber, messageOf } from './feed-messages.ts'
import { FIXTURES } from './fixtures.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Scans and, where the scanner answers, holds it against the strict path. */
function compare(feed: FeedId, text: string): boolean {
  const out = scratch()
  const bytes = bytesOf(text)
  if (!CODECS[feed].scan(bytes, 0, bytes.length, out)) return false
  expect(recordOf(feed, out)).toStrictEqual(CODECS[feed].parse(text))
  return true
}

/** A feed and a message of it. */
const message = fc.constantFrom(...FEED_IDS).chain((feed) => messageOf(feed).map((text) => ({ feed, text })))

describe('the scanner', () => {
  test('equals the strict path wherever it answers', () => {
    let answered = 0
    fc.assert(
      fc.property(message, ({ feed, text }) => {
        if (compare(feed, text)) answered++
      }),
      { numRuns: 20_000 },
    )
    // The property would hold for a scanner that always declines.
    expect(answered).toBeGreaterThan(2_500)
  })

  test('rounds every number it takes as JSON.parse does', () => {
    let answered = 0
    fc.assert(
      fc.property(anyNumber, (literal) => {
        if (compare('crypto/XT', `{"ev":"XT","pair":"A","p":${literal},"t":1610462007425,"s":1}`)) answered++
      }),
      { numRuns: 20_000 },
    )
    expect(answered).toBeGreaterThan(5_000)
  })

  test('takes every well-formed documented and likely fixture', () => {
    const taken = FIXTURES.filter(({ feed, text }) => compare(feed, text))
    expect(taken.filter((c) => c.name === 'massive-example')).toHaveLength(11)
    expect(taken.filter((c) => c.name === 'documented')).toHaveLength(6)
  })

  test('learns decimals from the literal', () => {
    const decimals = (p: string): number => {
      const out = scratch()
      const bytes = bytesOf(`{"ev":"XT","pair":"A","p":${p},"t":1610462007425,"s":0.123456}`)
      expect(CODECS['crypto/XT'].scan(bytes, 0, bytes.length, out)).toBe(true)
      return out.decimals
    }
    expect(['1', '1.10000', '1e-05', '1.5e3', '1.25e1', '120'].map(decimals)).toEqual([0, 5, 5, 0, 1, 0])
  })

  test.each(['"type":"XT"', '"p":2', '"x":{"a":1}', '"x":"\\n"', '"x":"é"', '"x":[[1]]'])('declines %s', (member) => {
    const bytes = bytesOf(`{"ev":"XT","pair":"A","p":1,"t":1610462007425,"s":1,${member}}`)
    expect(CODECS['crypto/XT'].scan(bytes, 0, bytes.length, scratch())).toBe(false)
  })
})

describe('interning', () => {
  test('gives the bytes back whatever the hash, also when the table is crowded', () => {
    for (let n = 0; n < 50_000; n++) {
      const text = `S${n % 20_000}`
      const bytes = bytesOf(text)
      expect(internedAt(internPlace(bytes, 0, bytes.length, n % 7))).toBe(text)
    }
  })
})

describe('encoding', () => {
  const num = fc.double({ min: 1e-9, max: 1e12, noNaN: true })
  const ms = fc.integer({ min: 946_684_800_000, max: 4_102_444_799_998 })

  test('a record survives encoding and decoding, on every feed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FEED_IDS),
        fc.constantFrom('BTC-USD', 'EUR/USD', 'a"b\\c', 'é'),
        fc.array(num, { minLength: 5, maxLength: 5 }),
        ms,
        (feed, name, [a, b, c, d, e], t) => {
          const { kind, fields, code } = FEEDS[feed]
          const values: Record<string, number> = { bid: a, ask: b, price: a, size: e, bidSize: d, askSize: e }
          Object.assign(values, { open: a, high: b, low: c, close: d, volume: e, time: t, start: t, end: t + 1 })
          const members: [string, unknown][] = [
            ['ev', code],
            [fields.symbol, name],
            ...(Object.entries(fields) as [string, string][]) // FieldMap holds texts only
              .filter(([part]) => part !== 'symbol')
              .map(([part, key]): [string, number] => [key, values[part]]),
          ]
          const source = Object.fromEntries(members)
          const record = CODECS[feed].parse(JSON.stringify(source))
          if (record === undefined) throw new Error('the strict path declined its own shape')
          expect(record.kind).toBe(kind)
          const text = encode(feed, record)
          expect(JSON.parse(text)).toEqual(source)
          expect(CODECS[feed].parse(text)).toStrictEqual(record)
        },
      ),
    )
  })

  test.each([
    ['crypto/XT', '{"ev":"XT","pair":"BTC-USD","p":33021.9,"t":1610462007425,"s":2}'],
    ['crypto/XQ', '{"ev":"XQ","pair":"BTC-USD","bp":33052.79,"ap":33073.19,"t":1610462411115}'],
    ['crypto/XA', '{"ev":"XA","pair":"BTC-USD","o":2,"c":3,"h":4,"l":1,"v":951,"s":1610463240000,"e":1610463300000}'],
    ['forex/C', '{"ev":"C","p":"EUR/USD","a":1.10012,"b":1.1001,"t":1536036818784}'],
    ['stocks/T', '{"ev":"T","sym":"MSFT","p":114.125,"s":100,"t":1536036818784}'],
    ['stocks/Q', '{"ev":"Q","sym":"MSFT","bp":114.125,"ap":114.128,"bs":100,"as":160,"t":1536036818784}'],
  ] as const)('%s keeps the key order of the document', (feed, text) => {
    const record = CODECS[feed].parse(text)
    expect(record && encode(feed, record)).toBe(text)
  })

  test('refuses a record of another kind', () => {
    const record = { kind: 'unknown', feed: 'crypto/XT', why: '', symbol: serviceSymbol('A') } as const
    expect(() => encode('crypto/XT', record)).toThrow(TypeError)
  })
})
