import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ALLOWED_ERROR, costOf, errorOf, MEASURED, scaleTable, streamCpuMs } from '../../../benchmarks/team-model.ts'

const PAGE = readFileSync(new URL('../../../docs/scale.md', import.meta.url), 'utf8')
const rows = (page: string): readonly string[] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.replace(/\s*\|\s*/g, '|').trim())

it('the model of a team is within 30 % of each measurement', () => {
  for (const measured of MEASURED) expect(Math.abs(errorOf(measured))).toBeLessThanOrEqual(ALLOWED_ERROR)
})

it('docs/scale.md has the tables of the model', () => {
  const [, ...scale] = scaleTable()
  for (const row of scale) expect(rows(PAGE)).toContain(`|${row.join('|')}|`)
  for (const { frameBytes, framesPerSecond, cpuMs } of MEASURED) {
    const cells = [frameBytes.toLocaleString('en'), framesPerSecond.toLocaleString('en'), cpuMs.toFixed(1)]
    expect(rows(PAGE)).toContain(`|${cells.join('|')}|${streamCpuMs(frameBytes, framesPerSecond).toFixed(1)}|`)
  }
})

it('more shards cost more servers, but no more bytes of history', () => {
  const scenario = { name: '', instruments: 100, messagesPerSecond: 10_000, shards: 2 }
  const [few, many] = [costOf(scenario), costOf({ ...scenario, shards: 20 })]
  expect(many.natsCores).toBeGreaterThan(5 * few.natsCores)
  expect(many.blockBytesPerDay).toBe(few.blockBytesPerDay)
})
