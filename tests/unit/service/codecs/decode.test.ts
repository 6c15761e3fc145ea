import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KIND, scratch, type Scratch } from '../../../../src/service/codec.ts'
import { parseControl } from '../../../../src/service/control.ts'
import { decode, decodeText, recordOf } from '../../../../src/service/codecs/decode.ts'
import { FEED_IDS, type FeedId } from '../../../../src/shared/base/units.ts'
import { FIXTURES } from '../fixtures.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

function read(feed: FeedId, text: string): Scratch & { class: string } {
  const out = scratch()
  const bytes = bytesOf(text)
  const kind = decode(feed, bytes, 0, bytes.length, out)
  return { ...out, class: kind }
}

/** A scratch full of another message, so that whatever is not reset shows. */
function dirty(): Scratch {
  const out = scratch()
  for (const key of Object.keys(out) as (keyof Scratch)[]) {
    // Every value of its own sort, none of them the right one.
    Object.assign(out, { [key]: typeof out[key] === 'number' ? 7 : 'left over' })
  }
  return out
}

describe('fixtures', () => {
  test('every feed has at least one', () => {
    expect(new Set(FIXTURES.map((c) => c.feed))).toEqual(new Set(FEED_IDS))
  })

  test.each(FIXTURES)('$feed $name reads as expected', ({ feed, bytes, expected }) => {
    const out = dirty()
    const kind = decode(feed, bytes, 0, bytes.length, out)
    const record = kind === 'market' ? recordOf(feed, out) : null
    expect({ class: kind, record, mapping: out.mapping, decimals: out.decimals, why: out.why }).toEqual(expected)
  })

  test.each(FIXTURES)('$feed $name cut at any byte is never a market message', ({ feed, bytes }) => {
    // Whole bytes stay behind the cut: nothing may look past `to`.
    for (let to = 0; to < bytes.length; to++) {
      const out = dirty()
      expect(decode(feed, bytes, 0, to, out)).toBe('undecodable')
      expect(out).toEqual({ ...scratch(), why: out.why })
      expect(out.why).not.toBe('')
    }
  })

  test.each(FIXTURES)('$feed $name reads the same in the middle of a larger buffer', ({ feed, bytes, text }) => {
    const around = Buffer.concat([bytesOf('{"ev":"'), bytes, bytesOf('}]"9')])
    const out = dirty()
    const kind = decode(feed, around, 7, 7 + bytes.length, out)
    expect({ ...out, class: kind }).toEqual(read(feed, text))
  })
})

describe('hostile input', () => {
  test('arbitrary bytes never throw', () => {
    fc.assert(
      fc.property(fc.constantFrom(...FEED_IDS), fc.uint8Array({ maxLength: 200 }), (feed, bytes) => {
        expect(['market', 'control', 'undecodable']).toContain(decode(feed, bytes, 0, bytes.length, scratch()))
      }),
      { numRuns: 3_000 },
    )
  })

  test('arbitrary JSON is classed by the settled rule', () => {
    fc.assert(
      fc.property(fc.constantFrom(...FEED_IDS), fc.json(), (feed, text) => {
        const kind = read(feed, text).class
        const value: unknown = JSON.parse(text)
        if (parseControl(text) !== undefined) expect(kind).toBe('control')
        else if (typeof value !== 'object' || value === null) expect(kind).toBe('undecodable')
        else if (!Array.isArray(value)) expect(kind).toBe('type' in value ? 'undecodable' : 'market')
      }),
      { numRuns: 2_000 },
    )
  })

  test('a fixture with any byte changed gives finite, positive prices or none', () => {
    const change = fc.record({
      fixture: fc.constantFrom(...FIXTURES),
      at: fc.nat(),
      byte: fc.integer({ min: 0, max: 255 }),
    })
    fc.assert(
      fc.property(change, ({ fixture, at, byte }) => {
        const bytes = Uint8Array.from(fixture.bytes)
        bytes[at % bytes.length] = byte
        const out = dirty()
        const kind = decode(fixture.feed, bytes, 0, bytes.length, out)
        const prices = [out.price, out.bid, out.ask, out.open, out.high, out.low, out.close]
        for (const p of prices) expect(Number.isNaN(p) || (Number.isFinite(p) && p > 0)).toBe(true)
        if (kind !== 'market') expect(out.kind).toBe(KIND.none)
      }),
      { numRuns: 5_000 },
    )
  })

  test.each(['[', '{"a":', '[{"p":'])('deep nesting of %s does not overflow the stack', (open) => {
    const close = open === '[' ? ']' : open === '{"a":' ? '}' : '}]'
    const deep = open.repeat(200_000) + '1' + close.repeat(200_000)
    expect(['undecodable', 'market']).toContain(read('crypto/XT', deep).class)
    const beside = `{"ev":"XT","pair":"A-B","p":1.50,"t":1610462007425,"s":1,"x":${deep}}`
    const out = read('crypto/XT', beside)
    expect([out.class, out.price, out.symbol]).toEqual(['market', 1.5, 'A-B'])
  })

  test('prototypes answer nothing, and stay as they are', () => {
    const out = read('stocks/T', '{"__proto__":{"sym":"EVIL","p":1,"t":1610462007425},"ev":"T"}')
    expect([out.kind, out.symbol]).toEqual([KIND.unknown, ''])
    expect(Object.hasOwn(Object.prototype, 'sym')).toBe(false)
  })

  test('bytes that are no UTF-8 are undecodable', () => {
    const bytes = Uint8Array.from([...bytesOf('{"ev":"XT","pair":"A'), 0xff, ...bytesOf('","p":1,"t":1610462007425}')])
    const out = scratch()
    expect(decode('crypto/XT', bytes, 0, bytes.length, out)).toBe('undecodable')
    expect(out.why).toBe('not UTF-8')
  })

  test.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['null', 'not a JSON object'],
    ['12', 'not a JSON object'],
    ['[]', 'not a JSON object'],
    ['[1]', 'not a JSON object'],
    ['[{"type":"subscribed","tickers":[]}]', 'an array around a control message'],
    ['\ufeff{"ev":"XT","pair":"A","p":1,"t":1610462007425}', 'not JSON'],
    ['{"ev":"XT","pair":"A","p":01,"t":1610462007425}', 'not JSON'],
    ['{"ev":"XT","pair":"A","p":1.,"t":1610462007425}', 'not JSON'],
    ['{"ev":"XT","pair":"A","p":1,"t":1610462007425,}', 'not JSON'],
    ['{"ev":"XT","pair":"A","p":1,"t":1610462007425}}', 'not JSON'],
    ['{"ev":"XT","pair":"A","p":1,"t":1610462007425,"c":[01]}', 'not JSON'],
    ['{"ev":"XT","pair":"A","p":1,"t":1610462007425,"c":[1,]}', 'not JSON'],
    ['{"ev":"XT","pair":"A\tB","p":1,"t":1610462007425}', 'not JSON'],
    ['{"ev":"XT","pair":"A","p":1,"t":1610462007425,"x":nul}', 'not JSON'],
  ])('%j is undecodable: %s', (text, why) => {
    const out = read('crypto/XT', text)
    expect([out.class, out.why]).toEqual(['undecodable', why])
  })
})

describe('tolerant reading', () => {
  const trade = (fields: string): Scratch => read('stocks/T', `{${fields}}`)

  test.each(['pair', 'sym', 'symbol', 'ticker', 'S', 's', 'T'])('the symbol may be named %s', (key) => {
    const out = trade(`"${key}":"BRK.B","price":5,"ts":1610462007425`)
    expect([out.kind, out.symbol, out.mapping]).toEqual([
      KIND.trade,
      'BRK.B',
      `tolerant trade: symbol ${key}, price price, time ts (ms)`,
    ])
  })

  test.each([
    ['1610462007', 's', 1610462007000],
    ['1610462007425', 'ms', 1610462007425],
    ['1610462007425250', 'µs', 1610462007425.25],
    ['1610462007425000000', 'ns', 1610462007425],
    ['"1610462007425"', 'ms', 1610462007425],
    ['"2021-01-12T14:33:27.425Z"', 'ISO', 1610462007425],
    ['"2021-01-12 15:33:27.425+01:00"', 'ISO', 1610462007425],
    ['"2021-01-12T14:33:27.425"', 'ISO', 1610462007425],
  ])('time %s is %s', (literal, unit, ms) => {
    const out = trade(`"symbol":"A","price":5,"time":${literal}`)
    expect([out.eventMs, out.mapping.endsWith(`time time (${unit})`)]).toEqual([ms, true])
  })

  test.each(['7', '-1', '4102444800000', '1e30', '"2021-02-30T00:00:00Z"', '"soon"'])(
    'time %s is no time',
    (literal) => {
      const out = trade(`"symbol":"A","price":5,"time":${literal}`)
      expect([out.kind, out.price, out.eventMs]).toEqual([KIND.trade, 5, NaN])
    },
  )

  test("a trade's number that looks like seconds does not beat a time in milliseconds", () => {
    const out = trade(
      '"e":"trade","E":1672515782136,"s":"BNBBTC","t":3200000000,"p":"0.001","q":"100","T":1672515782135',
    )
    expect([out.symbol, out.price, out.size, out.eventMs, out.decimals]).toEqual([
      'BNBBTC',
      0.001,
      100,
      1672515782135,
      3,
    ])
  })

  test('a side is no symbol', () => {
    expect(trade('"T":1672515782135,"s":"BTCUSDT","S":"Buy","v":"0.5","p":"16578.50"').symbol).toBe('BTCUSDT')
  })

  test('a book of levels is no quote', () => {
    const out = read('stocks/Q', '{"sym":"A","b":[[1,2]],"a":[[3,4]],"t":1610462007425}')
    expect([out.kind, out.symbol, out.eventMs]).toEqual([KIND.unknown, 'A', 1610462007425])
  })

  test('a forex quote may name its pair otherwise, and says so', () => {
    const out = read('forex/C', '{"ev":"C","pair":"EUR/USD","a":1.2,"b":1.1,"t":1536036818784}')
    expect([out.symbol, out.bid, out.mapping]).toEqual([
      'EUR/USD',
      1.1,
      'tolerant quote: symbol pair, bid b, ask a, time t (ms)',
    ])
  })

  test.each(['', 'A'.repeat(65), '\\u0000', '\\ud800'])('%j is no symbol', (symbol) => {
    expect(read('crypto/XT', `{"ev":"XT","pair":"${symbol}","p":1,"t":1610462007425,"s":1}`).kind).toBe(KIND.unknown)
  })

  test.each([
    ['1e-05', 5],
    ['1E-5', 5],
    ['1.25e-05', 7],
    ['12.5e1', 0],
    ['1e2', 0],
    ['0.00001', 5],
    ['1.10000', 5],
    ['"1e-05"', 5],
    ['1e-30', 22],
  ])('a price of %s has %d decimals, by the scanner and without it', (literal, decimals) => {
    // The first is of the feed's shape, the second has an escape that the scanner leaves to the slow path.
    for (const symbol of ['A-B', '\\u0041-B']) {
      const out = read('crypto/XT', `{"ev":"XT","pair":"${symbol}","p":${literal},"t":1610462007425,"s":1}`)
      expect([out.kind, out.symbol, out.price, out.decimals]).toEqual([
        KIND.trade,
        'A-B',
        Number(literal.replaceAll('"', '')),
        decimals,
      ])
    }
  })

  test('decimals come from the literals of the message, not of what it nests', () => {
    const out = read('crypto/XT', '{"ev":"XT","pair":"A","x":{"p":1.23456},"p":1.10,"t":1610462007425,"s":1.555}')
    expect(out.decimals).toBe(2)
  })
})

test('decodeText gives class and record', () => {
  expect(decodeText('crypto/XT', '{"ev":"XT","pair":"A-B","p":1,"t":1610462007425,"s":2}')).toEqual({
    class: 'market',
    record: { kind: 'trade', feed: 'crypto/XT', symbol: 'A-B', price: 1, size: 2, eventMs: 1610462007425 },
  })
  expect(decodeText('crypto/XT', '{"type":"subscribed","tickers":[]}')).toEqual({ class: 'control', record: undefined })
})
