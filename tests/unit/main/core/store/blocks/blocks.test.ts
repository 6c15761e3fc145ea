import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32 } from 'node:zlib'
import { encodeBlock, encodeInSteps } from '../../../../../../src/main/core/store/blocks/encode.ts'
import { ArrayScratch, type OpenBlock } from '../../../../../../src/main/core/store/blocks/open-block.ts'
import { openBlock } from '../../../../../../src/main/core/store/blocks/open.ts'
import { proveInSteps } from '../../../../../../src/main/core/store/blocks/prove.ts'
import { blockTicks } from '../../../../../../src/main/core/store/blocks/ticks.ts'
import type { MessageColumns } from '../../../../../../src/main/core/store/types/messages.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { sessionId } from '../../../../../../src/shared/base/units.ts'
import { messagesOf, type Stamps } from './messages.ts'
import { quoteText, tradeText } from '../../../../../kit/market.ts'

const decoder = new TextDecoder()
const text = (block: OpenBlock, row: number): string => decoder.decode(block.raw(row))
const written = (block: OpenBlock, key: string, row: number): string => {
  const writer = block.writer(key)
  const out = new Uint8Array(writer.maxBytes + 3)
  return decoder.decode(out.subarray(3, writer.write(row, out, 3)))
}

function proveBlock(...of: Parameters<typeof proveInSteps>): void {
  for (const _ of proveInSteps(...of));
}

/** Seals without the proof, so that this test does its own comparison. */
function roundTrip(messages: MessageColumns, eventMs?: Float64Array): OpenBlock {
  const block = encodeBlock('crypto/XT', messages, { prove: false, eventMs })
  proveBlock(block, messages, eventMs)
  return openBlock(block)
}

describe('number styles', () => {
  const styles: Record<string, readonly string[]> = {
    javascript: ['1', '0.5', '61837.63', '0', '1e-7', '1.5e-7', '0.000001', '-3', '-0.25', '1000000'],
    python: ['1.0', '0.5', '61837.63', '0.0', '1e-05', '1.5e-05', '0.0001', '-3.0', '-0.25', '1000000.0'],
    'fixed decimals': ['1.00000000', '0.50000000', '61837.63000000', '0.00000000', '-3.00000000'],
    mixed: ['1', '1.0', '1.00', '1e-7', '1e-05', '2.50', '7'],
    odd: [
      '-0',
      '-0.0',
      '1E5',
      '1e5',
      '1e+21',
      '01',
      '1723161254036059768',
      '0.30000000000000004',
      '1.',
      '9007199254740993',
    ],
    infinite: ['1e999', '-1e999', '1e-400', '0.0000000000000000000000000001'],
  }
  for (const [name, literals] of Object.entries(styles)) {
    test(name, () => {
      const many = Array.from({ length: 5 }, () => literals).flat()
      const frames = many.map((p, i) => tradeText('BTC-USD', p, 1, 1.7e12 + i))
      const block = roundTrip(messagesOf(frames))
      expect(block.keys).toEqual(['p', 't', 's'])
      many.forEach((p, i) => {
        expect(text(block, i)).toBe(frames[i])
        expect(block.literal('p', i)).toBe(p)
        expect(written(block, 'p', i)).toBe(p)
        expect(block.column('p')[i]).toBe(Number(p))
      })
    })
  }

  test.each([
    [
      'python',
      (n: number) =>
        n < 1e-4 ? n.toExponential().replace(/e-(\d)$/, 'e-0$1') : Number.isInteger(n) ? `${n}.0` : `${n}`,
      ': ',
    ],
    ['javascript', String, ':'],
  ] as const)('%s messages are one template, not text', (_, write, colon) => {
    const frames = Array.from({ length: 2000 }, (_, i) => {
      const price = write(61837 + ((i * 7919) % 100) / 100)
      return `{"ev"${colon}"XT"${colon[1] ?? ''},"pair"${colon}"BTC-USD","p"${colon}${price},"t"${colon}${1.7e12 + i * 3},"s"${colon}${write(((i * 31) % 50) / 1e6 + 1e-8)}}`
    })
    const size = encodeBlock('crypto/XT', messagesOf(frames)).length / frames.length
    expect(size).toBeLessThan(8)
  })
})

const noise = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.json().map((s) => new TextEncoder().encode(s)),
  fc.string({ unit: 'binary', maxLength: 40 }).map((s) => new TextEncoder().encode(s)),
  fc
    .tuple(fc.double(), fc.integer(), fc.constantFrom('XT', 'XQ'), fc.string())
    .map(([p, t, ev, x]) =>
      new TextEncoder().encode(`{"ev":"${ev}","pair":"B","p":${p},"t":${t},"x":${JSON.stringify(x)}}`),
    ),
  fc
    .tuple(fc.integer({ min: 0, max: 1e9 }), fc.nat(12))
    .map(([n, d]) => new TextEncoder().encode(`{"p":"${(n / 1e4).toFixed(d)}","c":[1,${n}],"d":{"p":${n}}}`)),
  fc
    .constantFrom('', '{', '"', '-', '{"p":', '[{"p":1},{"p":2}]', '{"p":1,"p":2}', '\\"1', '{"__proto__":1}')
    .map((s) => new TextEncoder().encode(s)),
)
const stamp: fc.Arbitrary<Stamps> = fc.record({
  seq: fc.integer({ min: 1, max: 2 ** 48 }),
  conn: fc.nat(2 ** 32 - 1),
  connSeq: fc.nat(2 ** 32 - 1),
  recvMs: fc.oneof(fc.integer({ min: 1.6e12, max: 1.8e12 }), fc.double()),
  monoNs: fc.oneof(fc.integer({ min: 0, max: 1e14 }), fc.double({ noNaN: true })),
  flags: fc.nat(255),
})

describe('any frames', () => {
  test('decode to the same bytes and stamps', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(noise, stamp), { maxLength: 40 }), fc.boolean(), (rows, own) => {
        const messages = messagesOf(
          rows.map((r) => r[0]),
          rows.map((r) => r[1]),
        )
        const block = roundTrip(messages, own ? messages.recvMs : undefined)
        for (const [i, [frame]] of rows.entries()) {
          expect(Buffer.compare(block.raw(i), frame)).toBe(0)
          for (const key of block.keys) {
            expect(written(block, key, i)).toBe(block.literal(key, i))
            const literal = block.literal(key, i)
            expect(block.column(key)[i]).toBe(literal === '' ? NaN : Number(literal))
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  test('numbers equal what JSON.parse returns', () => {
    const value = fc.oneof(
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.integer(),
      fc.integer({ min: 0, max: 1e6 }).map((n) => n / 100),
    )
    fc.assert(
      fc.property(
        fc.array(fc.record({ p: value, 'a b': value, é: value }, { requiredKeys: ['p'] }), { maxLength: 30 }),
        (rows) => {
          const block = roundTrip(messagesOf(rows.map((r) => JSON.stringify(r))))
          for (const [i, row] of rows.entries()) {
            for (const key of block.keys) {
              // -0 is written as 0
              const expected = (row as Record<string, number | undefined>)[key]
              expect(block.column(key)[i]).toBe(expected === undefined ? NaN : expected + 0)
            }
          }
        },
      ),
    )
  })

  test('with more templates than a block has room for', () => {
    const frames = Array.from({ length: 1200 }, (_, i) => `{"pair":"S${i}X","p":${i}.5,"q":"u-${i * 17}-z"}`)
    const block = roundTrip(messagesOf(frames))
    expect(block.symbol(5)).toBe('S5X')
    expect(block.symbol(1199)).toBe('S1199X')
    expect(block.column('p')[1199]).toBe(1199.5)
    expect(block.literal('p', 1100)).toBe('1100.5')
    expect(block.keys).toEqual(['p'])
  })
})

describe('names', () => {
  const one = (frame: string, feed: Parameters<typeof encodeBlock>[0] = 'crypto/XT') =>
    openBlock(encodeBlock(feed, messagesOf([frame])))
  test('symbols, with escapes, and the forex feed that calls its pair p', () => {
    expect(one('{"pair":"BTC\\u002dUSD","p":1}').symbol(0)).toBe('BTC-USD')
    expect(one('{"ev":"C","p":"EUR/USD","a":1.1,"b":1.09,"t":1}', 'forex/C').symbol(0)).toBe('EUR/USD')
    expect(one('{"ev":"T","sym":"0700","p":"12.50"}', 'stocks/T').symbol(0)).toBe('0700')
    expect(one('[{"ev":"T","sym":"IBM","p":1},{"sym":"SPY","p":2}]', 'stocks/T').symbol(0)).toBe('IBM')
    expect(one('nonsense').symbol(0)).toBe('')
  })
  test('quoted numbers, nested ones, duplicate keys', () => {
    const block = one('{"p":"12.50","q":{"p":3},"z":1,"z":2}')
    expect(block.keys).toEqual(['p', 'z'])
    expect(block.column('p')[0]).toBe(12.5)
    expect(block.literal('p', 0)).toBe('12.50')
    expect(block.literal('z', 0)).toBe('2')
    expect(block.column('z')[0]).toBe(2)
  })
  test('two templates in one block share their columns', () => {
    const block = roundTrip(
      messagesOf(['{"pair":"A","p":1,"t":5}', '{"p":2,"pair":"B"}', '{"pair":"A","p":3,"t":7}', '{"pair":"A","t":9}']),
    )
    expect([...block.column('p')]).toEqual([1, 2, 3, NaN])
    expect([...block.column('t')]).toEqual([5, NaN, 7, 9])
    expect([0, 1, 2, 3].map((i) => block.symbol(i))).toEqual(['A', 'B', 'A', 'A'])
  })
})

describe('event time', () => {
  const frames = (unit: (i: number) => string) =>
    Array.from({ length: 50 }, (_, i) => `{"pair":"B","p":1.5,"t":${unit(i)}}`)
  test('without a codec it is the feed’s own key, if that is a time', () => {
    const block = roundTrip(messagesOf([...frames((i) => `${1.7e12 + i}`), '{"pair":"B","p":1}', '{"pair":"B","t":5}']))
    expect([...block.eventMs.slice(0, 2)]).toEqual([1.7e12, 1.7e12 + 1])
    expect([...block.eventMs.slice(50)]).toEqual([NaN, NaN])
  })
  test.each([
    ['s', (i: number) => `${1.7e9 + i}`, (i: number) => 1.7e12 + i * 1000],
    ['µs', (i: number) => `${1.7e15 - i}`, (i: number) => (1.7e15 - i) / 1000],
    ['ISO or other', (i: number) => `${i}`, (i: number) => 1.7e12 + i * 13],
    ['undated', (i: number) => `${i}`, (i: number) => (i % 9 === 0 ? NaN : 1.7e12 + i)],
    ['never', (i: number) => `${i}`, () => NaN],
  ] as const)('in %s, as the codec read it', (_, unit, ms) => {
    const eventMs = Float64Array.from({ length: 50 }, (_, i) => ms(i))
    const block = roundTrip(messagesOf(frames(unit)), eventMs)
    expect(block.eventMs).toEqual(eventMs)
  })
})

describe('corruption', () => {
  const frames = Array.from({ length: 60 }, (_, i) =>
    i % 11 === 3
      ? `{"odd":"${'x'.repeat(i)}${i}"}`
      : tradeText('B', (i * 37) / 8, i % 5 === 0 ? '1e-8' : i, 1.7e12 + i),
  )
  const sealed = encodeBlock('crypto/XT', messagesOf([...frames, new Uint8Array([255, 0, 1])]))
  const readAll = (bytes: Uint8Array): void => {
    const block = openBlock(bytes)
    block.messages()
    for (const key of block.keys) block.column(key)
    void block.eventMs
  }
  const refused = (bytes: Uint8Array, what: string): void => {
    try {
      readAll(bytes)
    } catch (e) {
      expect(e instanceof CodedError && e.code, `${what}: ${String(e)}`).toBe('store-damaged')
      return
    }
    expect.fail(`${what} was read`)
  }

  test('any flipped bit and any cut is detected', () => {
    for (let i = 0; i < sealed.length; i++) {
      refused(sealed.subarray(0, i), `a cut at ${i}`)
      const bad = sealed.slice()
      bad[i] ^= 1 << (i % 8)
      refused(bad, `a flip at ${i}`)
    }
    refused(Uint8Array.of(...sealed, 0), 'a byte too many')
  })

  test('wrong bytes with a correct checksum are an error or decode to something, but never crash', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(sealed.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (edits) => {
          const bad = sealed.slice()
          for (const [at, value] of edits) if (at < 4 || at >= 8) bad[at] = value
          new DataView(bad.buffer).setUint32(4, crc32(bad.subarray(8)), true)
          try {
            readAll(bad)
          } catch (e) {
            expect(e instanceof CodedError && e.code, String(e)).toBe('store-damaged')
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  test('the proof detects a changed byte and a changed stamp', () => {
    const messages = messagesOf(frames)
    const block = encodeBlock('crypto/XT', messages)
    const bytes = messages.bytes.slice()
    bytes[40] ^= 1
    expect(() => proveBlock(block, { ...messages, bytes })).toThrow(/text/)
    const recvMs = messages.recvMs.slice()
    recvMs[7] += 1
    expect(() => proveBlock(block, { ...messages, recvMs })).toThrow(/recvMs/)
  })
})

test('a run that starts inside a larger buffer', () => {
  const whole = messagesOf(['{"p":1}', '{"p":2}', '{"p":3}'])
  const part: MessageColumns = {
    ...whole,
    count: 2,
    seq: whole.seq.subarray(1),
    conn: whole.conn.subarray(1),
    connSeq: whole.connSeq.subarray(1),
    recvMs: whole.recvMs.subarray(1),
    monoNs: whole.monoNs.subarray(1),
    flags: whole.flags.subarray(1),
    offsets: whole.offsets.subarray(1),
  }
  const block = roundTrip(part)
  expect([text(block, 0), text(block, 1)]).toEqual(['{"p":2}', '{"p":3}'])
})

test('rows of a block as tick columns', () => {
  const block = openBlock(
    encodeBlock(
      'crypto/XT',
      messagesOf([10, 20, 30, 40].map((p, i) => `{"pair":"S${i % 2 === 0 ? 'A' : 'B'}","p":${p}.5,"t":${1.7e12 + i}}`)),
    ),
  )
  const range = blockTicks(block, sessionId('r'), { from: 1, to: 3 })
  expect([...range.column('p')]).toEqual([20.5, 30.5])
  expect([range.symbol(0), range.literal('p', 1), decoder.decode(range.raw(0))]).toEqual([
    'SB',
    '30.5',
    '{"pair":"SB","p":20.5,"t":1700000000001}',
  ])
  const list = blockTicks(block, sessionId('r'), Uint32Array.of(0, 3))
  expect([...list.seq]).toEqual([1, 4])
  expect([...list.eventMs]).toEqual([1.7e12, 1.7e12 + 3])
  const out = new Uint8Array(64)
  expect(decoder.decode(out.subarray(0, list.writer('p').write(1, out, 0)))).toBe('40.5')
  expect(list.writer('nothing').write(1, out, 5)).toBe(5)
})

test("text that only looks like a number isn't one, and is restored all the same", () => {
  const frames = ['{"p":"1.5"}', '{"p":"-1+2"}', '{"p":1-2}']
  const block = roundTrip(messagesOf(frames))
  expect([...block.column('p')]).toEqual([1.5, NaN, NaN])
  expect([0, 1, 2].map((i) => block.literal('p', i))).toEqual(['1.5', '', ''])
  expect([0, 1, 2].map((i) => written(block, 'p', i))).toEqual(['1.5', '', ''])
  expect([0, 1, 2].map((i) => text(block, i))).toEqual(frames)
})

/** Trades with prices of two decimals. In `odd` of them the price has a style of its own. */
function tape(count: number, odd: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => {
    const price = i < odd ? '1E5' : `${100 + (i % 50)}.${10 + (i % 90)}`
    return tradeText('BTC-USD', price, i % 9, 1.7e12 + i * 40)
  })
}

test("two blocks encoded in steps at the same time don't affect each other", () => {
  const runs = [messagesOf(tape(5000, 0)), messagesOf(tape(4000, 30))]
  const works = runs.map((run) => encodeInSteps('crypto/XT', run))
  const blocks: Uint8Array[] = []
  let turns = 0
  while (blocks.filter((block) => block !== undefined).length < works.length) {
    for (const [i, work] of works.entries()) {
      const turn = work.next()
      turns++
      if (turn.done === true && turn.value !== undefined) blocks[i] = turn.value
    }
  }
  expect(turns).toBeGreaterThan(20)
  for (const [i, run] of runs.entries()) {
    proveBlock(blocks[i], run)
    expect(blocks[i]).toEqual(encodeBlock('crypto/XT', run))
  }
})

test('blocks opened one after another with the same scratch read as they do alone', () => {
  const scratch = new ArrayScratch()
  for (const [count, odd] of [
    [300, 0],
    [900, 20],
    [40, 0],
  ]) {
    const bytes = encodeBlock('crypto/XT', messagesOf(tape(count, odd)))
    const alone = openBlock(bytes)
    const block = openBlock(bytes, scratch)
    expect(block.eventMs).toEqual(alone.eventMs)
    expect(block.column('p')).toEqual(alone.column('p'))
    expect(block.column('s')).toEqual(alone.column('s'))
    expect(block.seq).toEqual(alone.seq)
    expect(block.recvMs).toEqual(alone.recvMs)
  }
})

test('integers with their power of ten, only if every row has one', () => {
  const plain = openBlock(encodeBlock('crypto/XT', messagesOf(tape(300, 0))))
  const { values, unit } = plain.mantissas('p') ?? { values: new Float64Array(0), unit: 0 }
  expect(unit).toBe(100)
  expect(values.map((v) => v / unit)).toEqual(plain.column('p'))
  expect(plain.mantissas('nothing')).toBeUndefined()
  expect(plain.isDated).toBe(true)
  expect(plain.commonFlags).toBe(0)
  const odd = openBlock(encodeBlock('crypto/XT', messagesOf(tape(300, 5))))
  expect(odd.mantissas('p')).toBeUndefined()
  const undated = openBlock(encodeBlock('crypto/XT', messagesOf([...tape(3, 0), 'no JSON'])))
  expect(undated.isDated).toBe(false)
  expect(undated.mantissas('p')).toBeUndefined()
})

/** Everything a block returns about its rows. */
function describeRows(block: OpenBlock, keys: readonly string[]) {
  return Array.from({ length: block.count }, (_, row) => ({
    seq: block.seq[row],
    conn: block.conn[row],
    connSeq: block.connSeq[row],
    recvMs: block.recvMs[row],
    monoNs: block.monoNs[row],
    flags: block.flags[row],
    eventMs: block.eventMs[row],
    symbol: block.symbol(row),
    text: text(block, row),
    fits: block.raw(row).length <= block.texts.room(row),
    numbers: keys.map((key) => [block.column(key)[row], block.literal(key, row), written(block, key, row)]),
  }))
}

test('a part of a block returns the same about its rows as the whole', () => {
  const kinds = [
    (n: number) => tradeText('BTC-USD', n / 100, n % 7, 1.7e12 + n),
    (n: number) => quoteText('BTC-USD', n / 8, n, 1.7e12 + n),
    (n: number) => `{"ev":"XQ","pair":"ETH-USD","bp":${n},"x":${n % 3 === 0 ? '1e5' : n / 4},"t":${1.7e12 + n}}`,
    (n: number) => `no message ${n}`,
  ]
  const rows = fc.array(fc.tuple(fc.nat(3), fc.nat(100_000)), { minLength: 1, maxLength: 120 })
  fc.assert(
    fc.property(rows, fc.nat(3), fc.nat(130), fc.nat(130), fc.boolean(), (list, most, a, b, own) => {
      const frames = list.map(([kind, n]) => kinds[Math.min(kind, most)](n))
      const messages = messagesOf(frames)
      const eventMs = own ? Float64Array.from(list, ([, n], i) => (n % 5 === 0 ? NaN : 1.7e12 + i * 2)) : undefined
      const sealed = encodeBlock('crypto/XT', messages, { eventMs })
      const whole = openBlock(sealed)
      const all = describeRows(whole, whole.keys)
      const [after, upTo] = [Math.min(a, b), Math.max(a, b)]
      // of a block that was read before, and of a fresh one
      for (const block of [whole, openBlock(sealed)]) {
        const part = block.within(after, upTo)
        expect(part.count).toBe(Math.max(0, Math.min(upTo, list.length) - after))
        expect(describeRows(part, whole.keys)).toEqual(all.slice(after, upTo))
        expect(describeRows(part.within(after + 1, upTo - 1), whole.keys)).toEqual(
          all.slice(after + 1, Math.max(after + 1, upTo - 1)),
        )
      }
      expect(describeRows(whole.within(-Infinity, Infinity), whole.keys)).toEqual(all)
    }),
  )
})

test('a part of a long block can begin and end anywhere', () => {
  const n = 5000
  let price = 6_000_000
  const frames = Array.from({ length: n }, (_, i) => {
    price += ((i * 7919) % 401) - 200 + (i % 997 === 0 ? 1e9 : 0)
    return quoteText('B', (price / 100).toFixed(2), ((price + 2 + (i % 3)) / 100).toFixed(2), 1.7e12 + i * 3 - (i % 20))
  })
  const block = openBlock(encodeBlock('crypto/XQ', messagesOf(frames)))
  fc.assert(
    fc.property(fc.nat(n), fc.nat(300), (after, count) => {
      const part = block.within(after, after + count)
      expect(part.count).toBe(Math.min(count, n - after))
      for (let row = 0; row < part.count; row++) expect(text(part, row)).toBe(frames[after + row])
      expect(part.recvMs).toEqual(block.recvMs.slice(after, after + count))
      expect(part.monoNs).toEqual(block.monoNs.slice(after, after + count))
      expect(part.connSeq).toEqual(block.connSeq.slice(after, after + count))
    }),
    { numRuns: 60 },
  )
})
