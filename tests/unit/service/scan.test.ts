import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scratch } from '../../../src/service/codec.ts'
import { CODECS } from '../../../src/service/codecs/table.ts'
import { recordOf } from '../../../src/service/codecs/decode.ts'
import { encode } from '../../../src/service/codecs/encode.ts'
import { FEEDS } from '../../../src/service/feeds.ts'
import { internedAt, internPlace } from '../../../src/service/intern.ts'
import { FEED_IDS, serviceSymbol, type FeedId } from '../../../src/shared/base/units.ts'
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

const plainNumber = fc.oneof(
  fc.double({ min: 1e-8, max: 1e7, noNaN: true }).map(String),
  fc.double({ min: 0.01, max: 1e5, noNaN: true }).map((n) => n.toFixed(5)),
  fc.tuple(fc.nat({ max: 999_999 }), fc.nat({ max: 99_999_999 })).map(([a, b]) => `${a}.${b}`),
)
const anyNumber = fc.oneof(
  { weight: 6, arbitrary: plainNumber },
  fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: -30, max: 30 })).map(([m, e]) => `${m}e${e}`),
  fc
    .tuple(fc.integer({ min: 0, max: 99 }), fc.nat(), fc.integer({ min: 0, max: 25 }), fc.constantFrom('e', 'E', 'e+'))
    .map(([a, b, e, x]) => `${a}.${b}${x}${e}`),
  fc.double().map((n) => JSON.stringify(n)),
  fc.constantFrom('0', '-0', '0.0', '-1', '1e999', '1e-999', '01', '.5', '5.', '+1', '1e', 'null', '"7"', '""', '[]'),
)
const time = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 946_684_800_000, max: 4_102_444_799_998 }).map(String) },
  fc.constantFrom('1.610462007425e12', '1610462007425.0', '1610462007425.5', '99', '1e300', '"1610462007425"', 'null'),
)
const symbol = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('BTC-USD', 'X:BTC-USD', 'EUR/USD', 'BRK.B', 'A') },
  fc.string({ maxLength: 70, unit: 'binary' }),
)
const extra = fc.tuple(
  fc.oneof(
    fc.constantFrom('vw', 'z', 'x', 'i', 'q', 'r', '', 'pairs', 'types', '__proto__', 'type', 'code'),
    fc.string(),
  ),
  fc.oneof(anyNumber, fc.constantFrom('true', 'false', '[1, 2]', '[ ]', '[0]', '[1.5]', '{}', '[[1]]'), fc.json()),
)
const space = fc.constantFrom('', '', '', ' ', ' ', '\n', '\t ', '\r\n')

/** A message of a feed with keys in any order, any spacing and styles of numbers, some of it wrong. */
const message = fc.constantFrom(...FEED_IDS).chain((feed) => {
  const { fields, code } = FEEDS[feed]
  const parts = Object.entries(fields) as [string, string][] // FieldMap holds texts only
  const members = parts.map(([part, key]) =>
    fc.tuple(
      fc.constant(key),
      part === 'symbol'
        ? symbol.map((s) => JSON.stringify(s))
        : ['time', 'start', 'end'].includes(part)
          ? time
          : fc.oneof({ weight: 19, arbitrary: plainNumber }, anyNumber),
    ),
  )
  const ev = fc.oneof({ weight: 9, arbitrary: fc.constant(code) }, fc.constantFrom('', 'X', `${code}S`))
  return fc
    .tuple(
      fc.tuple(
        ...members,
        fc.tuple(
          fc.constant('ev'),
          ev.map((s) => JSON.stringify(s)),
        ),
      ),
      fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(extra, { maxLength: 4 })),
      fc.oneof({ weight: 9, arbitrary: fc.constant(-1) }, fc.nat({ max: parts.length })),
    )
    .chain(([own, extras, repeated]) => {
      const all = [...own, ...extras, ...(repeated < 0 ? [] : [own[repeated]])]
      return fc.tuple(
        fc.oneof(
          { weight: 9, arbitrary: fc.shuffledSubarray(all, { minLength: all.length }) },
          fc.shuffledSubarray(all, { minLength: all.length - 2 }),
        ),
        fc.array(space, { minLength: 6, maxLength: 6 }),
      )
    })
    .map(([all, s]) => ({
      feed,
      text:
        `${s[0]}{${s[1]}` +
        all.map(([k, v]) => `${JSON.stringify(k)}${s[2]}:${s[3]}${v}`).join(`${s[4]},${s[5]}`) +
        `${s[1]}}${s[0]}`,
    }))
})

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
