import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FeedId } from '../../../../../src/shared/base/units.ts'
import { KIND, scratch, type Scratch } from '../../../../../src/service/codec.ts'
import { createDigestFold, type FoldSave } from '../../../../../src/main/core/market/digest.ts'

const T0 = Date.UTC(2026, 0, 5, 12)
const trade = (symbol: string, price: number, eventMs: number): Scratch => ({
  ...scratch(),
  kind: KIND.trade,
  symbol,
  price,
  size: 1,
  eventMs,
})

describe('the digest', () => {
  it('is taken before the first record of a later minute, over everything before it', () => {
    const fold = createDigestFold()
    expect(fold.apply('crypto/XT', T0, trade('A', 1, T0))).toBeNull()
    const before = fold.now()
    expect(fold.apply('crypto/XT', T0 + 60_000, trade('A', 2, T0 + 60_000))).toEqual({ minuteMs: T0, sha256: before })
    expect(fold.now()).not.toBe(before)
  })

  it('is not taken when the clock is set back', () => {
    const fold = createDigestFold()
    fold.apply('crypto/XT', T0, trade('A', 1, T0))
    expect(fold.apply('crypto/XT', T0 - 120_000, trade('A', 2, T0))).toBeNull()
    expect(fold.apply('crypto/XT', T0 + 1, trade('A', 3, T0))).toBeNull()
  })

  it('does not depend on the order of symbols or the bits of a NaN', () => {
    const odd = new Float64Array(new BigUint64Array([0x7ff8000000000001n]).buffer)[0]
    const one = createDigestFold()
    one.apply('crypto/XT', T0, trade('A', 1, T0))
    one.apply('crypto/XT', T0, { ...trade('B', 2, T0), size: NaN })
    const other = createDigestFold()
    other.apply('crypto/XT', T0, { ...trade('B', 2, T0), size: odd })
    other.apply('crypto/XT', T0, trade('A', 1, T0))
    expect(other.now()).toBe(one.now())
  })

  it('depends on the records, not on their receive times within a minute, and is empty after a reset', () => {
    const record = fc.record({
      symbol: fc.constantFrom('A', 'B'),
      price: fc.double({ min: 0.01, max: 1e6, noNaN: true }),
      step: fc.nat(90_000),
    })
    fc.assert(
      fc.property(fc.array(record, { maxLength: 50 }), fc.nat(5), (records, jitter) => {
        const [one, other] = [createDigestFold(), createDigestFold()]
        const feed: FeedId = 'crypto/XT'
        for (const { symbol, price, step } of records) {
          one.apply(feed, T0, trade(symbol, price, T0 + step))
          other.apply(feed, T0 + jitter, trade(symbol, price, T0 + step))
        }
        expect(other.now()).toBe(one.now())
        other.reset()
        expect(other.now()).toBe(createDigestFold().now())
      }),
    )
  })

  it('hashes each feed and symbol in turn with the numbers that a save holds, also after new symbols and a restore', () => {
    const record = fc.record({
      feed: fc.constantFrom<FeedId>('crypto/XT', 'crypto/XQ', 'stocks/T'),
      symbol: fc.oneof(fc.constantFrom('A', 'B'), fc.string({ unit: 'binary', maxLength: 5 })),
      price: fc.double(),
      step: fc.nat(90_000),
    })
    fc.assert(
      fc.property(fc.array(record, { maxLength: 40 }), fc.boolean(), (records, restores) => {
        const fold = createDigestFold()
        for (const { feed, symbol, price, step } of records) {
          fold.apply(feed, T0 + step, trade(symbol, price, T0 + step))
          expect(fold.now()).toBe(hashOf(fold.save()))
        }
        if (!restores) return
        const other = createDigestFold()
        other.apply('crypto/XT', T0, trade('other', 1, T0))
        expect(other.now()).not.toBe(fold.now())
        other.restore(fold.save())
        expect(other.now()).toBe(hashOf(fold.save()))
      }),
    )
  })
})

/** The digest as defined: labels and big-endian numbers of all cells, sorted, each NaN the same. */
function hashOf({ cells }: FoldSave): string {
  const hash = createHash('sha256')
  const byFeed = Map.groupBy(cells, ({ feed }) => feed)
  for (const feed of [...byFeed.keys()].sort()) {
    const symbols = new Map(byFeed.get(feed)!.map(({ symbol, numbers }) => [symbol, numbers]))
    for (const symbol of [...symbols.keys()].sort()) {
      hash.update(`${feed} ${symbol}\n`)
      for (const number of symbols.get(symbol)!) {
        const bytes = new DataView(new ArrayBuffer(8))
        bytes.setFloat64(0, Number.isNaN(number) ? NaN : number)
        hash.update(new Uint8Array(bytes.buffer))
      }
    }
  }
  return hash.digest('hex')
}
