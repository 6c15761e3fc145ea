import '../../browser-stubs.ts'
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, expect, it, vi } from 'vitest'
import ExportShape from '../../../../../src/renderer/features/export/ExportShape.svelte'
import { openForm, type ExportForm } from '../../../../../src/renderer/features/export/export-form.ts'

afterEach(cleanup)

const form = (part: Partial<ExportForm>): ExportForm => ({ ...openForm({}, [], 'crypto'), ...part })
const EXTENDED = /^Include feed, end time, and VWAP/
const RAW = /^Include raw messages|^Messages as received/

it.each([
  ['ticks as CSV', { what: 'ticks', format: 'csv' }, { extended: false, raw: true }],
  ['ticks as Parquet', { what: 'ticks', format: 'parquet' }, { extended: false, raw: true }],
  ['JSON Lines', { what: 'ticks', format: 'jsonl' }, { extended: false, raw: true }],
  ['JSON Lines of schema 1', { what: 'ticks', format: 'jsonl', schema: 1 }, { extended: false, raw: false }],
  ['bars as CSV', { what: 'bars', format: 'csv' }, { extended: false, raw: false }],
  ['bars of schema 1 as CSV', { what: 'bars', format: 'csv', schema: 1 }, { extended: true, raw: false }],
  ['bars of schema 1 as Parquet', { what: 'bars', format: 'parquet', schema: 1 }, { extended: true, raw: false }],
] as const)('offers %s the columns that apply', (_, part, offered) => {
  render(ExportShape, { form: form(part), set: vi.fn() })
  expect({
    extended: screen.queryByRole('checkbox', { name: EXTENDED }) !== null,
    raw: screen.queryByRole('checkbox', { name: RAW }) !== null,
  }).toEqual(offered)
})

it('sets the extended columns of bars, and takes them back', async () => {
  const set = vi.fn()
  const { rerender } = render(ExportShape, { form: form({ what: 'bars', schema: 1 }), set })
  const box = screen.getByRole<HTMLInputElement>('checkbox', { name: EXTENDED })
  expect(box.checked).toBe(false)
  await fireEvent.click(box)
  expect(set).toHaveBeenLastCalledWith({ extended: true })
  await rerender({ form: form({ what: 'bars', schema: 1, extended: true }), set })
  expect(box.checked).toBe(true)
  await fireEvent.click(box)
  expect(set).toHaveBeenLastCalledWith({ extended: false })
})

it.each([
  ['1', { schema: 1, format: 'csv' }],
  ['2', { schema: 2, format: 'jsonl' }],
])('bars as JSON Lines become CSV with the columns of schema %s only if it has none', async (value, expected) => {
  const set = vi.fn()
  render(ExportShape, { form: form({ what: 'bars', format: 'jsonl' }), set })
  await fireEvent.change(screen.getByLabelText('Columns'), { target: { value } })
  expect(set).toHaveBeenLastCalledWith(expected)
})
