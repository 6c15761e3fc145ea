import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteReader, ByteWriter } from '../../../../../../src/main/core/store/blocks/bytes.ts'
import { BY, LOW_PADDING, MAX_INT } from '../../../../../../src/main/core/store/blocks/ints.ts'
import { readIntColumn, readRange } from '../../../../../../src/main/core/store/blocks/read-ints.ts'
import { MAX_VALUES } from '../../../../../../src/main/core/store/kernels/sum-kernel.ts'
import { planWindow, type Window } from '../../../../../../src/main/core/store/blocks/window.ts'
import { writeInts, type Ref } from '../../../../../../src/main/core/store/blocks/write-ints.ts'

/** Writes a column after its reference and reads both. Returns the decoded values and the size in bytes. */
function roundTrip(values: Float64Array, from?: { values: Float64Array; scale: Ref['scale'] }) {
  const head = new ByteWriter()
  const high = new ByteWriter()
  const low = new ByteWriter()
  const first = from === undefined ? new Float64Array(0) : from.values
  writeInts(first, first.length, [], head, high, low)
  const before = high.at + low.at
  const refs = from === undefined ? [] : [{ id: 0, values: from.values, scale: from.scale }]
  writeInts(values, values.length, refs, head, high, low)
  const size = high.at + low.at - before
  low.raw(new Uint8Array(LOW_PADDING))
  const reader = new ByteReader(head.finish())
  const places = { hot: 0, cold: 0, low: 0 }
  const [one, two] = [0, 1].map(() => readIntColumn(reader, places, 1 << 20, false))
  const none = (): never => {
    throw new Error('refers to nothing')
  }
  const decodedFirst = readRange(one, high.finish(), low.finish(), none, 0, one.count, new Float64Array(one.count))
  const reference = () => ({ first: decodedFirst[0], values: decodedFirst })
  // old content of the array must not show
  const out = new Float64Array(two.count).fill(12345)
  const back = readRange(two, high.finish(), low.finish(), reference, 0, two.count, out)
  expect(reader.at).toBe(reader.end)
  // a range equals that part of the whole; if it starts later, its first value is undefined
  const n = two.count
  for (const [from, to] of [
    [0, n],
    [0, n >> 1],
    [n >> 2, n],
    [n >> 1, (n >> 1) + (n >> 2)],
    [Math.max(0, n - 1), n],
    [n >> 1, n >> 1],
  ] as const) {
    const readOther = () => {
      const values = decodedFirst.slice(from, to)
      if (from > 0) values[0] = 54321
      return { first: decodedFirst[0], values }
    }
    const range = readRange(
      two,
      high.finish(),
      low.finish(),
      readOther,
      from,
      to,
      new Float64Array(to - from).fill(777),
    )
    const skip = from === 0 ? 0 : 1
    expect(range.subarray(skip)).toEqual(back.subarray(Math.min(from + skip, to), to))
  }
  expect(places.hot).toBe(high.at)
  expect(places.low + LOW_PADDING).toBe(low.at)
  return { back, size, column: two }
}

const magnitude = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -300, max: 300 }),
  fc.integer({ min: -70_000, max: 70_000 }),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.maxSafeInteger().map((n) => n % MAX_INT),
)
const rows = fc.array(magnitude, { maxLength: 400 }).map((list) => Float64Array.from(list, (n) => n + 0))
const walks = fc
  .tuple(fc.integer({ min: -1e12, max: 1e12 }), fc.array(fc.integer({ min: -500, max: 900 }), { maxLength: 600 }))
  .map(([start, steps]) => {
    let at = start
    return Float64Array.from(steps, (step) => (at += step * 1000))
  })

describe('columns of integers', () => {
  test('decode to the same values, whatever they are', () => {
    fc.assert(
      fc.property(fc.oneof(rows, walks), (values) => {
        expect(roundTrip(values).back).toEqual(values)
      }),
    )
  })

  test('decode to the same values next to another column, and next to its clock', () => {
    fc.assert(
      fc.property(fc.oneof(rows, walks), rows, fc.constantFrom(1, 10, 1000), (first, noise, scale) => {
        const n = Math.min(first.length, noise.length)
        const from = first.subarray(0, n)
        const near = from.map((v, i) => (v % 2 ** 40) * scale + (noise[i] % 50))
        expect(roundTrip(near, { values: from.map((v) => v % 2 ** 40), scale }).back).toEqual(near)
        const ns = Float64Array.from(from, (v) => Math.abs(v))
        const ms = ns.map((v, i) => Math.floor(v / 1e6) + (noise[i] % 3))
        expect(roundTrip(ms, { values: ns, scale: 'clock' }).back).toEqual(ms)
      }),
    )
  })

  test('long ones can be read from the middle with every prediction', () => {
    let state = 7
    const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32
    const n = 3500
    const noise = Float64Array.from({ length: n }, () => Math.floor(random() * 9))
    let at = 1e12
    const steps = noise.map(
      (v, i) => (at += Math.floor(random() * 40_000) * 1000 + v * 1000 + (i % 700 === 0 ? 1e13 : 0)),
    )
    let speed = 0
    let way = 0
    const falling = noise.map((v) => (way += speed += 1000 + (v > 4 ? 1 : 0)))
    let drift = 0
    const other = steps.map((v) => v + (drift += Math.floor(random() * 30_000)))
    const kinds = new Set(
      [
        roundTrip(steps),
        roundTrip(falling),
        roundTrip(noise),
        roundTrip(other, { values: steps, scale: 1 }),
        roundTrip(
          steps.map((v, i) => Math.floor(v / 1e6) + noise[i]),
          { values: steps, scale: 'clock' },
        ),
      ].map(({ back, column }) => (back.length === n ? column.by : -1)),
    )
    expect(kinds).toEqual(new Set([BY.delta, BY.delta2, BY.plain, BY.refDelta, BY.clock]))
  })

  test('columns longer than the kernel takes at once are read in parts, between patches, too', () => {
    const n = 3 * MAX_VALUES
    for (const most of [200, 60_000]) {
      let state = 7
      const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32
      let at = 1e12
      const steps = Float64Array.from({ length: n }, (_, i) => {
        const isFar = i % 9_000 === 8_999 || (i > n - 100 && i % 10 === 0)
        return (at += Math.floor(random() ** (most === 200 ? 1 : 8) * most) + (isFar ? 1e10 : 0))
      })
      const { back, column } = roundTrip(steps)
      expect(back).toEqual(steps)
      expect(column).toMatchObject({ by: BY.delta, lowBits: 0, planes: most === 200 ? 1 : 2, patches: 12 })
    }
  })

  test('fractions, minus zero and NaN stay unchanged', () => {
    const values = Float64Array.of(1, 0.5, -0, NaN, Infinity, 2 ** 60)
    expect(roundTrip(values).back).toEqual(values)
  })

  test('one outlier among small steps is a patch and costs only its own bytes', () => {
    const steps = Float64Array.from({ length: 4000 }, (_, i) => 5 * i + (i % 7))
    const plain = roundTrip(steps)
    const far = steps.slice()
    for (let i = 2000; i < far.length; i++) far[i] = far[i] + 1e12
    const patched = roundTrip(far)
    expect(patched.back).toEqual(far)
    expect(plain.column.patches).toBe(0)
    expect(patched.column.patches).toBe(1)
    expect(patched.size - plain.size).toBeLessThan(16)
  })

  test('a window covers most remainders with as few planes and low bits as possible', () => {
    const small = Float64Array.from({ length: 2000 }, (_, i) => (i * 7919) % 200)
    expect(planWindow(small, small.length)).toMatchObject({ floor: 0, lowBits: 0, planes: 1 })
    const wide = Float64Array.from({ length: 2000 }, (_, i) => ((i * 7919) % 2000) * 1_000_003)
    const { floor, lowBits, planes } = planWindow(wide, wide.length)
    const room = 2 ** (lowBits + 8 * planes)
    const inside = wide.subarray(1).filter((v) => v >= floor && v < floor + room).length
    expect(inside).toBeGreaterThan(1999 * 0.85)
  })

  const samples = fc.oneof(
    fc.array(fc.integer({ min: -40, max: 300 }), { minLength: 2, maxLength: 1024 }),
    fc.array(fc.integer({ min: -60_000, max: 60_000 }), { minLength: 2, maxLength: 1024 }),
    fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { minLength: 2, maxLength: 1024 }),
    // mostly small, with some outliers
    fc.array(fc.oneof({ weight: 30, arbitrary: fc.nat(900) }, { weight: 1, arbitrary: fc.integer() }), {
      minLength: 200,
      maxLength: 1024,
    }),
  )

  test('a window’s estimate is the cost of the remainders inside and outside of it', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const window = planWindow(Float64Array.of(0, ...list), list.length + 1)
        expect(window.bits).toBeCloseTo(costOf(list, window), 6)
      }),
    )
  })

  test('a window moves along with remainders that don’t fit in 32 bits', () => {
    fc.assert(
      fc.property(samples, fc.constantFrom(2 ** 40, -(2 ** 40)), (list, by) => {
        const window = planWindow(Float64Array.of(0, ...list), list.length + 1)
        const moved = planWindow(Float64Array.of(0, ...list.map((v) => v + by)), list.length + 1)
        expect(moved).toEqual({ ...window, floor: window.floor + by })
      }),
    )
  })

  test('a window costs at most as much as one that covers all remainders', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const floor = Math.min(...list)
        const range = Math.max(...list) - floor
        if (range > 0xffff) return
        const { bits } = planWindow(Float64Array.of(0, ...list), list.length + 1)
        expect(bits).toBeLessThan(costOf(list, { floor, lowBits: 0, planes: range > 0xff ? 2 : 1 }) + 1e-6)
      }),
    )
  })
})

/** Bits per value: low bits, the entropy of each plane's bytes, and a position and value for each one outside. */
function costOf(list: readonly number[], { floor, lowBits, planes }: Omit<Window, 'bits'>): number {
  const room = 2 ** (lowBits + 8 * planes)
  const inside = list.filter((v) => v >= floor && v < floor + room)
  let bits = lowBits + (lowBits > 0 ? 0.15 : 0) + (planes - 1) * 0.3
  bits += (40 * (list.length - inside.length)) / list.length
  for (let plane = 0; plane < planes; plane++) {
    const bytes = Map.groupBy(inside, (v) => Math.floor((v - floor) / 2 ** (lowBits + 8 * plane)) % 256)
    const shares = [...bytes.values()].map((same) => same.length / inside.length)
    const entropy = -shares.reduce((sum, share) => sum + share * Math.log2(share), 0)
    bits += Math.min(8, entropy + (shares.length - 1) / (2 * inside.length * Math.LN2))
  }
  return bits
}
