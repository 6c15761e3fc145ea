/**
 * MACD beside a published table that seeds its averages with the first price, where ours take the mean of
 * the first n. What two seeds leave of each other shrinks by a known factor a bar: with that taken off,
 * every further value of ours must be the published one.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PRICES } from '../../../../../../src/shared/core/market/indicators/row.ts'
import { computeAll, INDICATORS } from '../../../../../../src/shared/core/market/indicators/table.ts'

const [, ...lines] = readFileSync(
  new URL('../../../../../fixtures/indicators/chartschool-macd.csv', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
const rows = lines.map((line) => {
  const [close, short, long, macd, signal, histogram] = line
    .split(',')
    .slice(1)
    .map((cell) => (cell.trim() === '' ? NaN : Number(cell)))
  return { close, short, long, macd, signal, histogram }
})
const bars = rows.map(({ close }) => ({ open: close, high: close, low: close, close, volume: null, startMs: 0 }))
const [FAST, SLOW, SIGNAL] = [12, 26, 9]
const fade = (n: number) => 1 - 2 / (n + 1)
/** The table is written with ten figures. */
const WRITTEN = 5e-8

const ema = (n: number) => computeAll(INDICATORS.ema, [n], PRICES.close, bars).map(([value]) => value)
const ours = computeAll(INDICATORS.macd, [FAST, SLOW, SIGNAL], PRICES.close, bars)

describe('MACD of the published table', () => {
  it.each([
    ['short', FAST],
    ['long', SLOW],
  ] as const)('its %s average follows ours from any seed', (column, n) => {
    const own = ema(n)
    const first = own.findIndex((value) => !Number.isNaN(value))
    expect(first).toBe(n - 1)
    const left = own[first] - rows[first][column]
    for (let i = first; i < rows.length; i++) {
      expect(Math.abs(own[i] - left * fade(n) ** (i - first) - rows[i][column])).toBeLessThan(WRITTEN)
    }
  })
  it('its line, signal and histogram are ours, but for what the seeds leave', () => {
    const [short, long] = [ema(FAST), ema(SLOW)]
    const start = SLOW - 1
    const leftShort = short[start] - rows[start].short
    const leftLong = long[start] - rows[start].long
    const lineLeft = (i: number) => leftShort * fade(FAST) ** (i - start) - leftLong * fade(SLOW) ** (i - start)
    for (let i = start; i < rows.length; i++) {
      expect(Math.abs(ours[i][0] - lineLeft(i) - rows[i].macd)).toBeLessThan(WRITTEN)
    }
    const begin = ours.findIndex(([, signal]) => !Number.isNaN(signal))
    expect(begin).toBe(SLOW + SIGNAL - 2)
    let left = ours[begin][1] - rows[begin].signal
    for (let i = begin + 1; i < rows.length; i++) {
      left = left * fade(SIGNAL) + (1 - fade(SIGNAL)) * lineLeft(i)
      expect(Math.abs(ours[i][1] - left - rows[i].signal)).toBeLessThan(WRITTEN)
      expect(Math.abs(ours[i][2] - (lineLeft(i) - left) - rows[i].histogram)).toBeLessThan(2 * WRITTEN)
    }
    // The table is long enough for the seeds to be all but forgotten.
    expect(Math.abs(left)).toBeLessThan(0.01)
  })
})
