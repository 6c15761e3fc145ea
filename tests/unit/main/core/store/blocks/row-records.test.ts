import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeBlock } from '../../../../../../src/main/core/store/blocks/encode.ts'
import { openBlock } from '../../../../../../src/main/core/store/blocks/open.ts'
import { scratch, type Scratch } from '../../../../../../src/service/codec.ts'
import { decode } from '../../../../../../src/service/codecs/decode.ts'
import type { RecordShape } from '../../../../../../src/service/codecs/reading.ts'
import { CODECS } from '../../../../../../src/service/codecs/table.ts'
import { numbersOf } from '../../../../../../src/service/codecs/template-shape.ts'
import { FEEDS } from '../../../../../../src/service/feeds.ts'
import { FEED_IDS, type FeedId } from '../../../../../../src/shared/base/units.ts'
import { fixedExamples } from '../../../../../kit/properties.ts'
import { anyNumber, anyTime, messageOf, plainNumber } from '../../../../service/feed-messages.ts'
import { messagesOf } from './messages.ts'

const decimal = fc.tuple(fc.nat(99_999), fc.nat({ max: 999 })).map(([a, b]) => `${a}.${String(b).padStart(3, '0')}`)
const javascript = fc
  .tuple(fc.nat(99_999), fc.integer({ min: 0, max: 9 }))
  .map(([n, places]) => String(n / 10 ** places))
const python = javascript.map((text) => (/^\d+$/.test(text) ? `${text}.0` : text.replace(/e-(\d)$/, 'e-0$1')))
const odd = fc.oneof(plainNumber, anyNumber, fc.constantFrom('0', '0.0', '-0.5', '1e15', '1E5', '12.500'))
/** Numbers of one style, with a few others where there are any. */
const numbersOfStyle = fc
  .tuple(fc.constantFrom(decimal, javascript, python), fc.constantFrom(0, 0, 1, 20))
  .map(([style, oddity]) => fc.oneof({ weight: 60, arbitrary: style }, { weight: oddity, arbitrary: odd }))

/** A message as documented, with every part. */
function plainText(feed: FeedId): string {
  const { code, fields } = FEEDS[feed]
  const { symbol, time, start, end, ...others } = fields
  const times = [time, start, end].flatMap((key) => (key === undefined ? [] : [`"${key}":1610462007425`]))
  const numbers = Object.values(others).map((key) => `"${key}":1.5`)
  return `{${[`"ev":"${code}"`, `"${symbol}":"ABC"`, ...numbers, ...times].join(',')}}`
}

/** Messages of a feed, most of them like an earlier one except for the numbers. */
const series = (feed: FeedId): fc.Arbitrary<string[]> => numbersOfStyle.chain((number) => seriesOf(feed, number))

const seriesOf = (feed: FeedId, number: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
  fc
    .tuple(
      fc.array(fc.oneof(fc.constant(plainText(feed)), messageOf(feed)), { minLength: 1, maxLength: 3 }),
      fc.array(
        fc.tuple(
          fc.nat(2),
          fc.array(number, { minLength: 8, maxLength: 8 }),
          fc.array(anyTime, { minLength: 3, maxLength: 3 }),
        ),
        { maxLength: 12 },
      ),
    )
    .map(([texts, others]) => [
      ...texts,
      ...others.map(([of, numbers, times]) => {
        const [nextNumber, nextTime] = [numbers.values(), times.values()]
        return texts[of % texts.length].replace(
          /\d[\d.eE+-]*/g,
          (old) => (/^\d{13}$/.test(old) ? nextTime : nextNumber).next().value ?? old,
        )
      }),
    ])

/** Where the records of `count` rows are written, and what was written at a place; null where the text is needed. */
function target(feed: FeedId, count: number) {
  const stride = numbersOf(feed)
  const shapes: RecordShape[] = []
  const out = {
    shape: new Uint16Array(count),
    decimals: new Uint8Array(count).fill(99),
    numbers: new Float64Array(count * stride),
    stride,
    numberOf: (shape: RecordShape) => (shapes.includes(shape) ? shapes.indexOf(shape) + 1 : shapes.push(shape)),
  }
  const at = (place: number): Scratch | null => {
    if (out.shape[place] === 0) return null
    const record = scratch()
    CODECS[feed].fill(shapes[out.shape[place] - 1], out.numbers, place * stride, out.decimals[place], record)
    return record
  }
  return { out, at }
}

/** What the block's numbers say about each row; null where the text is needed. */
function recordsOf(feed: FeedId, texts: readonly string[]): (Scratch | null)[] {
  const { records } = openBlock(encodeBlock(feed, messagesOf(texts)))
  const { out, at } = target(feed, 2)
  return texts.map((_, row) => {
    records.writeAll(row, row + 1, Uint32Array.of(1), out)
    return at(1)
  })
}

/** Compares rows written together with rows written one by one, to places in the opposite order. */
function compareAll(feed: FeedId, texts: readonly string[], from: number, to: number): void {
  const { records } = openBlock(encodeBlock(feed, messagesOf(texts)))
  const { out, at } = target(feed, texts.length)
  const placeOf = (row: number): number => to - 1 - row
  records.writeAll(
    from,
    to,
    Uint32Array.from({ length: to - from }, (_, i) => placeOf(from + i)),
    out,
  )
  const written = Array.from({ length: to - from }, (_, i) => at(placeOf(from + i)))
  const single = recordsOf(feed, texts).slice(from, to)
  // Comparing first is a lot faster.
  if (!isDeepStrictEqual(written, single)) expect(written).toEqual(single)
}

/** Compares those records with what the decoder reads. Returns how many there are. */
function compare(feed: FeedId, texts: readonly string[]): number {
  const records = recordsOf(feed, texts)
  records.forEach((record, row) => {
    if (record === null) return
    const bytes = new TextEncoder().encode(texts[row])
    const decoded = scratch()
    expect(decode(feed, bytes, 0, bytes.length, decoded)).toBe('market')
    // The slow path doesn't look its symbols up.
    const symbolPlace = decoded.symbolPlace < 0 ? record.symbolPlace : decoded.symbolPlace
    expect(record).toEqual({ ...decoded, symbolPlace })
  })
  return records.filter((record) => record !== null).length
}

test('many records at once are what they are one by one', () => {
  const feedAndTexts = fc.constantFrom(...FEED_IDS).chain((feed) => series(feed).map((texts) => ({ feed, texts })))
  fc.assert(
    fc.property(feedAndTexts, fc.nat(14), fc.nat(14), ({ feed, texts }, a, b) => {
      const from = Math.min(a, b, texts.length)
      compareAll(feed, texts, from, Math.min(texts.length, Math.max(a, b)))
    }),
    { numRuns: 800 },
  )
})

test('a record from numbers is what the decoder reads from the text', () => {
  let compared = 0
  const feedAndTexts = fc.constantFrom(...FEED_IDS).chain((feed) => series(feed).map((texts) => ({ feed, texts })))
  fc.assert(
    fc.property(feedAndTexts, ({ feed, texts }) => {
      compared += compare(feed, texts)
    }),
    { numRuns: 800, examples: fixedExamples(200, feedAndTexts) },
  )
  // The property would hold if every text were needed. The fixed examples alone have that many.
  expect(compared).toBeGreaterThan(200)
})

const trade = (price: string, size = '1', time = '1610462007425'): string =>
  `{"ev":"XT","pair":"BTC-USD","p":${price},"t":${time},"s":${size}}`

test.each<[string, readonly string[]]>([
  ['fixed', ['61837.10', '61837.00', '0.01']],
  ['javascript', ['61837.1', '61837', '100', '0.5', '1e-7', '1.5e-7']],
  ['python', ['61837.1', '61837.0', '100.0', '0.5', '1e-05', '1.5e-05']],
])('numbers of style %s have the decimals of their literals', (_, prices) => {
  const many = Array.from({ length: 8 }, () => prices).flat()
  expect(
    compare(
      'crypto/XT',
      many.map((price) => trade(price)),
    ),
  ).toBe(many.length)
})

test.each([
  ['a price of zero', trade('0')],
  ['a negative price', trade('-1')],
  ['a negative size', trade('1', '-1')],
  ['a time out of range', trade('1', '1', '99')],
  ['more digits than a double has', trade('0.30000000000000004')],
  ['a number in an odd form', trade('1E2')],
  ['a text without numbers', '{"ev":"XT"}'],
  ['a list of numbers', `{"ev":"XT","pair":"A","p":1,"t":1610462007425,"s":1,"c":[1.5]}`],
  ['an acknowledgement', '{"type":"subscribed","tickers":["1"]}'],
])('the decoder is asked about %s', (_, text) => {
  expect(recordsOf('crypto/XT', [text, trade('1'), trade('2')]).map((record) => record !== null)).toEqual([
    false,
    true,
    true,
  ])
})
