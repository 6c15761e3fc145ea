import '../../browser-stubs.ts'
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import ChartBeginning from '../../../../../src/renderer/features/chart/ChartBeginning.svelte'
import type { ChartPort, OlderData } from '../../../../../src/renderer/charts/model/chart.ts'

const FIRST_MS = Date.UTC(2026, 10, 4, 13, 15)
beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

/** A chart of 1,000 px whose first bar is at `x`. */
function open(
  x: number,
  onImport: (() => void) | null = () => undefined,
  isSpread = false,
  onEvidence: (() => void) | null = null,
  isComing = false,
) {
  let moved: () => void = () => undefined
  const view = { x, hasOlder: false, older: 'none' as OlderData, top: 0, height: 400 }
  const part: Pick<ChartPort, 'visibleBars' | 'hasOlder' | 'olderData' | 'plotArea' | 'pixelOf' | 'onView'> = {
    // Only the start and close of a bar are read.
    visibleBars: () => [{ startMs: FIRST_MS, close: 1 }] as unknown as ReturnType<ChartPort['visibleBars']>,
    hasOlder: () => view.hasOlder,
    olderData: () => view.older,
    plotArea: () => ({ left: 0, top: view.top, width: 1_000, height: view.height }),
    pixelOf: () => ({ x: view.x, y: 0 }),
    onView(listener) {
      moved = listener
      return () => (moved = () => undefined)
    },
  }
  const { unmount } = render(ChartBeginning, {
    chart: part as ChartPort,
    zone: 'UTC',
    isSpread,
    onImport,
    onEvidence,
    isComing,
  })
  return {
    unmount,
    view,
    async moveTo(to: number) {
      view.x = to
      moved()
      await tick()
    },
    async rest() {
      vi.advanceTimersByTime(1_000)
      await tick()
    },
  }
}
const text = () => screen.queryByText(/^The first bar starts .*13:15.* Nothing older is recorded\.$/)

it('the text in the empty part says when the data begins, and opens the import', async () => {
  const onImport = vi.fn()
  const { rest } = open(700, onImport)
  // Older bars may still be on their way.
  expect(text()).toBeNull()
  await rest()
  expect(text()).not.toBeNull()
  await fireEvent.click(screen.getByRole('button', { name: 'Import older data…' }))
  expect(onImport).toHaveBeenCalledOnce()
})

it('the text disappears when bars take its place, and returns while prices keep moving the scale', async () => {
  const { moveTo, rest } = open(700)
  await rest()
  await moveTo(100)
  expect(text()).toBeNull()
  await moveTo(700)
  for (let i = 0; i < 8; i++) {
    vi.advanceTimersByTime(150)
    await moveTo(700)
  }
  expect(text()).not.toBeNull()
})

it('a small empty part has no text, and a replay offers no import', async () => {
  const small = open(200)
  await small.rest()
  expect(text()).toBeNull()
  small.unmount()
  const replay = open(700, null)
  await replay.rest()
  expect(text()).not.toBeNull()
  expect(screen.queryByRole('button')).toBeNull()
})

it('the text doesn’t appear while older bars are being loaded', async () => {
  const { rest, view } = open(700)
  view.hasOlder = true
  await rest()
  await rest()
  expect(text()).toBeNull()
  view.hasOlder = false // the page was empty: nothing moves
  await rest()
  expect(text()).not.toBeNull()
})

it('the text disappears at once when older bars begin to load', async () => {
  const { moveTo, rest, view } = open(700)
  await rest()
  view.hasOlder = true // the range of the chart was extended
  await moveTo(700)
  expect(text()).toBeNull()
})

it('the text returns if bars are replaced and the view doesn’t move afterwards', async () => {
  const { moveTo, rest, view } = open(700)
  await rest()
  await moveTo(0)
  view.x = 700
  await rest()
  expect(text()).not.toBeNull()
})

it('the text doesn’t say that nothing older is recorded where the chart only takes no more', async () => {
  const { rest, view } = open(700)
  view.older = 'more'
  await rest()
  expect(text()).toBeNull()
  expect(screen.getByText(/^The first bar starts .*13:15.* This chart holds no older ones/)).toBeTruthy()
  expect(screen.queryByRole('button'), 'nothing to import: it is recorded').toBeNull()
})

it('the text doesn’t say that nothing older is recorded where it is corrupt, and opens Evidence', async () => {
  const onEvidence = vi.fn()
  const { rest, view } = open(700, () => undefined, false, onEvidence)
  view.older = 'corrupt'
  await rest()
  expect(text()).toBeNull()
  expect(screen.getByText(/^The first bar starts .*13:15.* Older data is stored, but corrupt\.$/)).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'Open Evidence' }))
  expect(onEvidence).toHaveBeenCalledOnce()
})

it('the text says of a ratio that older prices of both symbols aren’t recorded', async () => {
  const { rest } = open(700, null, true)
  await rest()
  expect(screen.getByText(/Nothing older of both symbols is recorded\.$/)).toBeTruthy()
})

it('doesn’t claim that nothing older is recorded while the sample session is being added', async () => {
  const { rest } = open(700, vi.fn(), false, null, true)
  await rest()
  expect(text()).toBeNull()
  expect(screen.getByText(/Older data of the demo market is being added\.$/)).toBeDefined()
  expect(screen.queryByRole('button')).toBeNull()
})

it('the text stays within the prices: in low ones, it only says when the data begins', async () => {
  const { rest, moveTo, view } = open(700)
  view.top = 20
  await rest()
  const shown = () => document.querySelector<HTMLElement>('.beginning')
  expect(shown()?.style.top).toBe('220px')
  view.height = 100
  await moveTo(700)
  expect(shown()?.textContent.trim()).toMatch(/^The first bar starts .*13:15:00\.$/)
  expect(shown()?.style.top).toBe('70px')
  expect(screen.queryByRole('button')).toBeNull()
  view.height = 40
  await moveTo(700)
  expect(shown()).toBeNull()
})
