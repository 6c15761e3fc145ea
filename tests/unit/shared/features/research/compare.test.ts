import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareValues, MAX_DIFFERENCES } from '../../../../../src/shared/features/research/compare.ts'
import { parseValue } from '../../../../../src/shared/features/research/parse.ts'
import type { Value } from '../../../../../src/shared/features/research/value.ts'

const read = (text: string): Value => {
  const value = parseValue(text)
  if (value === undefined) throw new Error('no JSON')
  return value
}
const statement = (revenue: string, rest = '') =>
  read(`{"data":{"statements":[{"date":"2025-06-28","revenue":${revenue}}${rest}]}}`)

describe('two answers to one question', () => {
  it('differ by the values that were restated, with their digits', () => {
    const { differences } = compareValues(statement('94036000000.10'), statement('94036000000.20'))
    expect(differences).toEqual([
      {
        path: 'data.statements[date=2025-06-28].revenue',
        kind: 'changed',
        before: '94036000000.10',
        after: '94036000000.20',
      },
    ])
    const long = compareValues(read('{"n":12345678901234567890}'), read('{"n":12345678901234567891}'))
    expect(long.differences).toMatchObject([{ before: '12345678901234567890', after: '12345678901234567891' }])
  })
  it('do not differ where a number is only written otherwise', () => {
    const spelled = compareValues(read('[1.5,100,0,"1.50"]'), read('[1.50,1e2,0.0,"1.5"]'))
    expect(spelled.differences.map(({ path }) => path)).toEqual(['[3]'])
    expect(compareValues(read('[1.5]'), read('[1.51]')).differences).toHaveLength(1)
    expect(compareValues(read('[0]'), read('[-0]')).differences).toMatchObject([{ before: '0', after: '-0' }])
  })
  it('match records by what names them, so a new one in front changes no other', () => {
    const before = statement('1')
    const after = read('{"data":{"statements":[{"date":"2025-09-27","revenue":2},{"date":"2025-06-28","revenue":1}]}}')
    expect(compareValues(before, after).differences).toEqual([
      {
        path: 'data.statements[date=2025-09-27]',
        kind: 'added',
        before: null,
        after: '{"date":"2025-09-27","revenue":2}',
      },
    ])
  })
  it('tell a removed value, a null and another type apart', () => {
    const { differences } = compareValues(read('{"a":1,"b":2,"c":"1"}'), read('{"a":null,"c":1}'))
    expect(differences).toEqual([
      { path: 'a', kind: 'changed', before: '1', after: 'null' },
      { path: 'c', kind: 'changed', before: '"1"', after: '1' },
      { path: 'b', kind: 'removed', before: '2', after: null },
    ])
  })
  it('are counted beyond what is listed', () => {
    const list = (n: number) => Array.from({ length: MAX_DIFFERENCES + 7 }, () => n)
    const { differences, more } = compareValues(list(1), list(2))
    expect([differences.length, more]).toEqual([MAX_DIFFERENCES, 7])
  })

  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => read(JSON.stringify(value)))
  it('differ in nothing from themselves, and from another response exactly where their texts differ', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(compareValues(a, a)).toEqual({ differences: [], more: 0 })
        const equal = compareValues(a, b).differences.length === 0
        // Records with names may change places; otherwise no difference means the same value.
        if (equal) expect(sorted(a)).toEqual(sorted(b))
        else expect(JSON.stringify(a)).not.toBe(JSON.stringify(b))
      }),
    )
  })
  it('mirror: what is added one way is removed the other', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const there = compareValues(a, b).differences
        const back = compareValues(b, a).differences
        const turned = back.map(({ path, kind, before, after }) => ({
          path,
          kind: kind === 'added' ? 'removed' : kind === 'removed' ? 'added' : kind,
          before: after,
          after: before,
        }))
        const order = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).sort()
        expect(order(there)).toEqual(order(turned))
      }),
    )
  })
})

/** A value with keys and lists in one order. */
function sorted(value: Value): unknown {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, one]) => [key, sorted(one as Value)] as const) // entries of a value are values
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}
