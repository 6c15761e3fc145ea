import '../../browser-stubs.ts'
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, expect, it, vi } from 'vitest'
import SessionHeads from '../../../../../src/renderer/features/sessions/SessionHeads.svelte'

afterEach(cleanup)

it('heads of sessions are one stop of Tab, walked by arrows, and sort', async () => {
  const onsort = vi.fn()
  const onrows = vi.fn()
  render(SessionHeads, {
    columns: ['name', 'started', 'size'],
    sort: { column: 'started', descending: true },
    onsort,
    onrows,
  })
  const heads = screen.getAllByRole('button')
  expect(heads.map((one) => one.tabIndex)).toEqual([0, -1, -1])
  expect(screen.getAllByRole('columnheader').map((one) => one.getAttribute('aria-sort'))).toEqual([
    'none',
    'descending',
    'none',
  ])
  heads[0]?.focus()
  await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'End' })
  expect(document.activeElement).toBe(heads[2])
  expect(heads.map((one) => one.tabIndex)).toEqual([-1, -1, 0])
  await fireEvent.click(document.activeElement ?? document.body)
  expect(onsort).toHaveBeenCalledWith({ column: 'size', descending: true })
  await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'ArrowDown' })
  expect(onrows).toHaveBeenCalledOnce()
})
