/** The five feeds whose messages the document doesn't show: every time format, under guessed and other keys. */
import { describe, expect, test } from 'vitest'
import { KIND, scratch, type Scratch } from '../../../src/service/codec.ts'
import { decode } from '../../../src/service/codecs/decode.ts'
import { decodeStored, UNDATED_WHEN_RECORDED } from '../../../src/service/codecs/decode-stored.ts'
import { FEEDS } from '../../../src/service/feeds.ts'
import { FLAG } from '../../../src/shared/core/recording/session.ts'
import { FEED_IDS, type FeedId } from '../../../src/shared/base/units.ts'

const AT = 1_610_462_007_425
const UNITS = [
  ['ms', '1610462007425', '1610462067425'],
  ['s', '1610462007.425', '1610462067.425'],
  ['whole s', '1610462007', '1610462067'],
  ['µs', '1610462007425000', '1610462067425000'],
  ['ns', '1610462007425000000', '1610462067425000000'],
  ['ms as text', '"1610462007425"', '"1610462067425"'],
  ['ISO', '"2021-01-12T14:33:27.425Z"', '"2021-01-12T14:34:27.425Z"'],
] as const

/** A message of a feed; `start` and `end` are JSON literals. */
type Write = (start: string, end: string) => string
const LIKELY: readonly (readonly [FeedId, keys: 'guessed' | 'other', Write])[] = [
  ['stocks/T', 'guessed', (t) => `{"ev":"T","sym":"A","p":1.50,"s":3,"t":${t}}`],
  ['stocks/T', 'other', (t) => `{"symbol":"A","price":1.50,"size":3,"timestamp":${t}}`],
  ['stocks/Q', 'guessed', (t) => `{"ev":"Q","sym":"A","bp":1.50,"ap":1.51,"bs":3,"as":4,"t":${t}}`],
  ['stocks/Q', 'other', (t) => `{"symbol":"A","bid":1.50,"ask":1.51,"bid_size":3,"ask_size":4,"time":${t}}`],
  ...(['stocks/A', 'stocks/AM', 'forex/CAS'] as const).flatMap(
    (feed): readonly (readonly [FeedId, 'guessed' | 'other', Write])[] => {
      const { code, fields } = FEEDS[feed]
      const prices = '"o":1.50,"h":1.60,"l":1.40,"c":1.55,"v":9'
      return [
        [feed, 'guessed', (s, e) => `{"ev":"${code}","${fields.symbol}":"A",${prices},"s":${s},"e":${e}}`],
        [
          feed,
          'other',
          (s, e) =>
            `{"symbol":"A","open":1.50,"high":1.60,"low":1.40,"close":1.55,"volume":9,"start_time":${s},"end_time":${e}}`,
        ],
      ]
    },
  ),
]
const ROWS = LIKELY.flatMap(([feed, keys, write]) =>
  UNITS.map(([unit, start, end]) => ({ feed, keys, unit, text: write(start, end) })),
)

function read(feed: FeedId, text: string, flags?: number): Scratch {
  const out = scratch()
  const bytes = new TextEncoder().encode(text)
  const found =
    flags === undefined
      ? decode(feed, bytes, 0, bytes.length, out)
      : decodeStored(feed, flags, bytes, 0, bytes.length, out)
  expect(found).toBe('market')
  return out
}

test('the table covers each feed with a guessed shape', () => {
  const likely = FEED_IDS.filter((id) => FEEDS[id].shape === 'likely')
  expect(new Set(LIKELY.map(([feed]) => feed))).toEqual(new Set(likely))
})

describe.each(ROWS)('$feed with $keys keys, time in $unit', ({ feed, keys, unit, text }) => {
  const whole = unit === 'whole s' ? 425 : 0

  test('is a dated record that names how its time was read', () => {
    const out = read(feed, text)
    const { kind } = FEEDS[feed]
    expect(out).toMatchObject({ kind: KIND[kind], symbol: 'A', eventMs: AT - whole, why: '', decimals: 2 })
    if (kind === 'trade') expect(out).toMatchObject({ price: 1.5, size: 3 })
    if (kind === 'quote') expect(out).toMatchObject({ bid: 1.5, ask: 1.51, bidSize: 3, askSize: 4 })
    if (kind === 'bar') {
      const minute = { startMs: AT - whole, endMs: AT - whole + 60_000 }
      expect(out).toMatchObject({ open: 1.5, high: 1.6, low: 1.4, close: 1.55, volume: 9, ...minute })
    }
    const named = unit.replace('whole ', '').replace(' as text', '')
    if (unit === 'ms' && keys === 'guessed') expect(out.mapping).toMatch(/^likely /)
    else expect(out.mapping).toMatch(new RegExp(`^tolerant .*\\(${named}\\)`))
  })

  test('stays undated where it was recorded as undated', () => {
    const out = read(feed, text, FLAG.undated)
    const { kind } = FEEDS[feed]
    expect(out).toMatchObject({
      kind: kind === 'bar' ? KIND.unknown : KIND[kind],
      symbol: 'A',
      eventMs: NaN,
      startMs: NaN,
      endMs: NaN,
      why: UNDATED_WHEN_RECORDED,
    })
    if (kind === 'bar') expect(out.open).toBeNaN()
    if (kind === 'trade') expect(out.price).toBe(1.5)
    expect(read(feed, text, 0)).toEqual(read(feed, text))
  })
})

test.each(['7', '-1', '4102444800000', '1e30', '1e999'])('%s under a guessed key is no time', (literal) => {
  const trade = read('stocks/T', `{"ev":"T","sym":"A","p":1.50,"s":3,"t":${literal}}`)
  expect(trade).toMatchObject({ kind: KIND.trade, price: 1.5, eventMs: NaN, why: 'event time out of range' })
  const bar = read('stocks/AM', `{"ev":"AM","sym":"A","o":1,"h":1,"l":1,"c":1,"v":9,"s":${literal}}`)
  expect(bar).toMatchObject({ kind: KIND.unknown, symbol: 'A', startMs: NaN, why: 'event time out of range' })
})

test.each([
  ['crypto/XT', '{"ev":"XT","pair":"A-B","p":1.5,"s":3,"t":1610462007}'],
  ['crypto/XQ', '{"ev":"XQ","pair":"A-B","bp":1.5,"ap":1.6,"t":1610462007}'],
  ['forex/C', '{"ev":"C","p":"A/B","a":1.6,"b":1.5,"t":1610462007}'],
  ['crypto/XA', '{"ev":"XA","pair":"A-B","o":1,"h":1,"l":1,"c":1,"v":1,"s":1610462007,"e":1610462067}'],
] as const)('%s promises milliseconds: seconds are out of range and say so', (feed, text) => {
  expect(read(feed, text)).toMatchObject({ mapping: '', eventMs: NaN, why: 'event time out of range' })
})
