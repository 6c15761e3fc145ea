/** The bars in view and the cells of their footprint, as rows of a table. */
import { cleanup, render, screen } from '@testing-library/svelte'
import { afterEach, expect, it } from 'vitest'
import ChartTable from '../../../../../../src/renderer/features/chart/ChartTable.svelte'
import { barsTable, footprintTable } from '../../../../../../src/renderer/features/chart/model/bars-table.ts'
import { makeBar } from '../../../../../kit/market.ts'

afterEach(cleanup)
const FORMATS = { time: (ms: number) => `at ${ms}`, price: (price: number) => price.toFixed(1), size: String }
const ROWS = { decimals: 1, group: 5 }
const bars = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    makeBar({ startMs: i, open: 1, high: 3, low: 0.5, close: 2, volume: i === 0 ? null : 7, complete: i > 0 }),
  )
const cells = { row: [202, 207], sell: [5, 0], buy: [2, 1], unknown: [0, 2], count: [3, 1] }

it('lists bars, the newest first', () => {
  const { rows, note } = barsTable(bars(2), FORMATS)
  expect(rows.map((row) => row.cells.join(' '))).toEqual(['at 1 1.0 3.0 0.5 2.0 7 yes', 'at 0 1.0 3.0 0.5 2.0 — no'])
  expect(note).toBe('')
})

it('lists the cells of bars that are read, the newest and highest first', () => {
  const at = (startMs: number) => (startMs === 1 ? null : { rows: ROWS, cells })
  const { rows, heads, note } = footprintTable(bars(3), at, FORMATS)
  expect(rows.map((row) => row.cells.join(' '))).toEqual([
    'at 2 103.5 0 1 1 2 1 ',
    'at 2 101.0 5 2 −3 0 3 yes',
    'at 0 103.5 0 1 1 2 1 ',
    'at 0 101.0 5 2 −3 0 3 yes',
  ])
  expect(rows.every((row) => row.cells.length === heads.length)).toBe(true)
  expect(note).toBe('')
})

it('says which bars and cells it doesn’t list', () => {
  const at = () => ({ rows: ROWS, cells })
  expect(barsTable(bars(200), FORMATS)).toMatchObject({ note: '', rows: { length: 200 } })
  expect(barsTable(bars(201), FORMATS)).toMatchObject({
    note: expect.stringContaining('200 bars') as string,
    rows: { length: 200 },
  })
  expect(footprintTable(bars(250), at, FORMATS)).toMatchObject({ note: '', rows: { length: 500 } })
  const cut = footprintTable(bars(251), at, FORMATS)
  expect(cut).toMatchObject({ note: expect.stringContaining('500 cells') as string, rows: { length: 500 } })
  expect(cut.rows[0].cells[0], 'the newest bar').toBe('at 250')
})

it('takes the keyboard to scroll, and shows its note', () => {
  render(ChartTable, { table: barsTable(bars(201), FORMATS) })
  const region = screen.getByRole('region', { name: 'Visible bars' })
  expect(region.tabIndex).toBe(0)
  expect(region.textContent).toContain('Only the newest 200 bars are listed.')
})
