import '../browser-stubs.ts'
import fc from 'fast-check'
import { render, screen } from '@testing-library/svelte'
import { createRawSnippet, tick } from 'svelte'
import { describe, expect, it, vi } from 'vitest'
import VirtualRows from '../../../../src/renderer/ui/VirtualRows.svelte'
import { scrollToRow, visibleRows } from '../../../../src/renderer/ui/virtual.ts'

describe('visibleRows', () => {
  it('holds every row that touches the viewport, and no more than it and the overscan', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5_000 }),
        fc.integer({ min: 16, max: 40 }),
        fc.integer({ min: 0, max: 200_000 }),
        fc.integer({ min: 0, max: 2_000 }),
        (count, height, top, view) => {
          const { first, end } = visibleRows(count, height, top, view, 4)
          const shownTop = Math.min(top, Math.max(0, count * height - view))
          for (let row = 0; row < count; row++) {
            const touches = row * height < shownTop + view && (row + 1) * height > shownTop
            if (touches) expect(row >= first && row < end).toBe(true)
          }
          expect(end - first).toBeLessThanOrEqual(Math.ceil(view / height) + 10)
          expect(first).toBeGreaterThanOrEqual(0)
          expect(end).toBeLessThanOrEqual(count)
        },
      ),
    )
  })
  it('moves as little as possible to bring a row into view', () => {
    expect(scrollToRow(5, 24, 0, 240)).toBe(0)
    expect(scrollToRow(0, 24, 100, 240)).toBe(0)
    expect(scrollToRow(20, 24, 0, 240)).toBe(264)
  })
})

describe('VirtualRows', () => {
  const row = createRawSnippet<[number]>((index) => ({ render: () => `<span>row ${index()}</span>` }))

  it('draws only what is on screen of a list of thousands', async () => {
    const { rerender } = render(VirtualRows, { count: 5_000, rowHeight: 24, row, assumedHeight: 480 })
    expect(screen.getAllByText(/^row /)).toHaveLength(24)
    expect(screen.getByText('row 0')).toBeTruthy()
    await rerender({ count: 3 })
    await tick()
    expect(screen.getAllByText(/^row /)).toHaveLength(3)
  })

  it('tells the headings above how wide its scrollbar is', async () => {
    // Nothing is laid out in tests.
    const widths = [
      vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(300),
      vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(289),
    ]
    const { container, unmount } = render(VirtualRows, { count: 5, rowHeight: 24, row })
    await tick()
    expect(container.style.getPropertyValue('--scrollbar')).toBe('11px')
    unmount()
    expect(container.style.getPropertyValue('--scrollbar')).toBe('')
    for (const one of widths) one.mockRestore()
  })
})
