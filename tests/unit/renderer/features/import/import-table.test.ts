import '../../browser-stubs.ts'
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, expect, it, vi } from 'vitest'
import ImportTable from '../../../../../src/renderer/features/import/ImportTable.svelte'
import { COMMON_DATE_FORMATS } from '../../../../../src/shared/features/import/date-formats.ts'
import type { CsvMapping, ImportPreview } from '../../../../../src/shared/features/import/import.ts'

afterEach(cleanup)

const preview = (part: Partial<CsvMapping>): ImportPreview => ({
  kind: 'table',
  name: 'bank.csv',
  bytes: 40,
  columns: ['when', 'price'],
  rows: [['2026-10-25 02:30:00', '100']],
  mapping: { columns: ['time', 'price'], feed: 'stocks/T', zone: 'Europe/Berlin', symbol: 'SAP', ...part },
  problems: [],
  gaps: null,
  exact: false,
})

it('lets the user say which of two instants a repeated local time means, and take it back', async () => {
  const change = vi.fn()
  const { rerender } = render(ImportTable, { preview: preview({}), change })
  const choice = screen.getByLabelText<HTMLSelectElement>('Repeated local times')
  expect(choice.value).toBe('')
  await fireEvent.change(choice, { target: { value: 'second' } })
  expect(change).toHaveBeenLastCalledWith({ repeated: 'second' })
  await rerender({ preview: preview({ repeated: 'second' }), change })
  expect(choice.value).toBe('second')
  await fireEvent.change(choice, { target: { value: '' } })
  expect(change).toHaveBeenLastCalledWith({ repeated: undefined })
})

it('asks for nothing that UTC never has', () => {
  render(ImportTable, { preview: preview({ zone: 'UTC' }), change: vi.fn() })
  expect(screen.queryByLabelText('Repeated local times')).toBeNull()
})

it('takes a time format that is offered, and detection again', async () => {
  const change = vi.fn()
  const { rerender } = render(ImportTable, { preview: preview({}), change })
  const choice = screen.getByLabelText<HTMLSelectElement>('Time format')
  expect(choice.value).toBe('')
  const offered = [...choice.options].map(({ value }) => value)
  expect(offered).toEqual(['', ...COMMON_DATE_FORMATS.map(({ format }) => format), 'other'])
  await fireEvent.change(choice, { target: { value: 'DD.MM.YYYY HH:mm:ss' } })
  expect(change).toHaveBeenLastCalledWith({ dateFormat: 'DD.MM.YYYY HH:mm:ss' })
  await rerender({ preview: preview({ dateFormat: 'DD.MM.YYYY HH:mm:ss' }), change })
  expect(choice.value).toBe('DD.MM.YYYY HH:mm:ss')
  expect(screen.queryByLabelText('Other time format')).toBeNull()
  await fireEvent.change(choice, { target: { value: '' } })
  expect(change).toHaveBeenLastCalledWith({ dateFormat: undefined })
})

it('takes a time format that is typed, and keeps showing it', async () => {
  const change = vi.fn()
  const { rerender } = render(ImportTable, { preview: preview({}), change })
  const choice = screen.getByLabelText<HTMLSelectElement>('Time format')
  await fireEvent.change(choice, { target: { value: 'other' } })
  expect(change).not.toHaveBeenCalled()
  const typed = screen.getByLabelText<HTMLInputElement>('Other time format')
  await fireEvent.change(typed, { target: { value: ' D.M.YYYY H:mm ' } })
  expect(change).toHaveBeenLastCalledWith({ dateFormat: 'D.M.YYYY H:mm' })
  await rerender({ preview: preview({ dateFormat: 'D.M.YYYY H:mm' }), change })
  expect([choice.value, typed.value]).toEqual(['other', 'D.M.YYYY H:mm'])
  await fireEvent.change(typed, { target: { value: ' ' } })
  expect(change).toHaveBeenLastCalledWith({ dateFormat: undefined })
  await fireEvent.change(choice, { target: { value: 'YYYYMMDD HHmmss' } })
  expect(change).toHaveBeenLastCalledWith({ dateFormat: 'YYYYMMDD HHmmss' })
})
