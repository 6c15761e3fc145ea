import '../../browser-stubs.ts'
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, expect, it, vi } from 'vitest'
import ExportShape from '../../../../../src/renderer/features/export/ExportShape.svelte'
import { openForm, type ExportForm } from '../../../../../src/renderer/features/export/export-form.ts'

afterEach(cleanup)

const form = (part: Partial<ExportForm>): ExportForm => ({ ...openForm({}, [], 'crypto'), ...part })
const EXTENDED = /^Include feed, end time, and VWAP/
const RAW = /^Include raw messages/

it.each([
  ['ticks as CSV', { what: 'ticks', format: 'csv' }, { extended: false, raw: true }],
  ['ticks as Parquet', { what: 'ticks', format: 'parquet' }, { extended: false, raw: true }],
  ['JSON Lines', { what: 'ticks', format: 'jsonl' }, { extended: false, raw: false }],
  ['bars as CSV', { what: 'bars', format: 'csv' }, { extended: true, raw: false }],
  ['bars as Parquet', { what: 'bars', format: 'parquet' }, { extended: true, raw: false }],
] as const)('offers %s the columns that apply', (_, part, offered) => {
  render(ExportShape, { form: form(part), set: vi.fn() })
  expect({
    extended: screen.queryByRole('checkbox', { name: EXTENDED }) !== null,
    raw: screen.queryByRole('checkbox', { name: RAW }) !== null,
  }).toEqual(offered)
})

it('sets the extended columns of bars, and takes them back', async () => {
  const set = vi.fn()
  const { rerender } = render(ExportShape, { form: form({ what: 'bars' }), set })
  const box = screen.getByRole<HTMLInputElement>('checkbox', { name: EXTENDED })
  expect(box.checked).toBe(false)
  await fireEvent.click(box)
  expect(set).toHaveBeenLastCalledWith({ extended: true })
  await rerender({ form: form({ what: 'bars', extended: true }), set })
  expect(box.checked).toBe(true)
  await fireEvent.click(box)
  expect(set).toHaveBeenLastCalledWith({ extended: false })
})
