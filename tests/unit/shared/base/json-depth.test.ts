import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readResponse } from '../../../../src/shared/features/research/read.ts'
import { MAX_JSON_DEPTH, nestsTooDeep, parseBoundedJson } from '../../../../src/shared/base/json-depth.ts'

afterEach(() => void vi.restoreAllMocks())

const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`

/** Levels of lists and objects in a value. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

describe('the depth of JSON', () => {
  it('is bounded exactly', () => {
    expect(nestsTooDeep(nested(MAX_JSON_DEPTH))).toBe(false)
    expect(nestsTooDeep(`[${nested(MAX_JSON_DEPTH)}]`)).toBe(true)
    expect(parseBoundedJson(nested(MAX_JSON_DEPTH))).toEqual(JSON.parse(nested(MAX_JSON_DEPTH)))
    expect(() => parseBoundedJson(`[${nested(MAX_JSON_DEPTH)}]`)).toThrow(SyntaxError)
  })

  it('counts what is open, not what was opened', () => {
    expect(nestsTooDeep(`[${'[],{},'.repeat(1_000)}0]`)).toBe(false)
  })

  it('does not count brackets in strings, whatever escapes stand before a quote', () => {
    const deep = '['.repeat(MAX_JSON_DEPTH + 1)
    expect(nestsTooDeep(JSON.stringify({ text: deep, more: `\\"${deep}` }))).toBe(false)
    expect(nestsTooDeep(`["\\\\",${deep}`)).toBe(true)
    expect(nestsTooDeep(`"${deep}`)).toBe(false)
  })

  it('agrees with what a parser finds', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 12 }), fc.nat(MAX_JSON_DEPTH), (json, more) => {
        const text = '['.repeat(more) + json + ']'.repeat(more)
        expect(nestsTooDeep(text)).toBe(depthOf(JSON.parse(text)) > MAX_JSON_DEPTH)
      }),
    )
  })

  it('refuses fourteen million brackets before anything parses them', () => {
    const parse = vi.spyOn(JSON, 'parse')
    const text = '['.repeat(14_000_000)
    expect(readResponse(text).form).toBe('text')
    expect(() => parseBoundedJson(text)).toThrow(SyntaxError)
    expect(parse).not.toHaveBeenCalled()
  })
})
