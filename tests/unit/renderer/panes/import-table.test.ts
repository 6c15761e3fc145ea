import '../browser-stubs.ts'
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, expect, it, vi } from 'vitest'
import ImportTable from '../../../../src/renderer/panes/import/ImportTable.svelte'
import type { CsvMapping, ImportPreview } from '../../../../src/shared/importing.ts'

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
  const choice = screen.getByLabelText<HTMLSelectElement>('Times that come twice')
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
  expect(screen.queryByLabelText('Times that come twice')).toBeNull()
})
