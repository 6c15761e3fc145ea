/** Messages of any feed as a service might write them, right and wrong, for property tests. */
import fc from 'fast-check'
import { FEEDS } from '../../../src/service/feeds.ts'
import type { FeedId } from '../../../src/shared/base/units.ts'

export const plainNumber = fc.oneof(
  fc.double({ min: 1e-8, max: 1e7, noNaN: true }).map(String),
  fc.double({ min: 0.01, max: 1e5, noNaN: true }).map((n) => n.toFixed(5)),
  fc.tuple(fc.nat({ max: 999_999 }), fc.nat({ max: 99_999_999 })).map(([a, b]) => `${a}.${b}`),
)
export const anyNumber = fc.oneof(
  { weight: 6, arbitrary: plainNumber },
  fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: -30, max: 30 })).map(([m, e]) => `${m}e${e}`),
  fc
    .tuple(fc.integer({ min: 0, max: 99 }), fc.nat(), fc.integer({ min: 0, max: 25 }), fc.constantFrom('e', 'E', 'e+'))
    .map(([a, b, e, x]) => `${a}.${b}${x}${e}`),
  fc.double().map((n) => JSON.stringify(n)),
  fc.constantFrom('0', '-0', '0.0', '-1', '1e999', '1e-999', '01', '.5', '5.', '+1', '1e', 'null', '"7"', '""', '[]'),
)
export const anyTime = fc.oneof(
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
export const messageOf = (feed: FeedId): fc.Arbitrary<string> => {
  const { fields, code } = FEEDS[feed]
  const parts = Object.entries(fields) as [string, string][] // FieldMap holds texts only
  const members = parts.map(([part, key]) =>
    fc.tuple(
      fc.constant(key),
      part === 'symbol'
        ? symbol.map((s) => JSON.stringify(s))
        : ['time', 'start', 'end'].includes(part)
          ? anyTime
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
    .map(
      ([all, s]) =>
        `${s[0]}{${s[1]}` +
        all.map(([k, v]) => `${JSON.stringify(k)}${s[2]}:${s[3]}${v}`).join(`${s[4]},${s[5]}`) +
        `${s[1]}}${s[0]}`,
    )
}
