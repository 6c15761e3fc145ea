import '../../browser-stubs.ts'
import { cleanup, fireEvent, render } from '@testing-library/svelte'
import { afterEach, expect, it, vi } from 'vitest'
import AlertLines from '../../../../../src/renderer/features/alerts/AlertLines.svelte'

afterEach(cleanup)

function open() {
  const row = (id: string, level: number) => ({
    level,
    row: {
      id,
      instrument: 'crypto:BTCUSD',
      enabled: true,
      state: { is: 'armed' },
      condition: { is: 'price', of: 'last', direction: 'either', level },
    },
  })
  const alerts = {
    levels: [row('a', 100), row('b', 110)],
    numbersOf: () => ({ price: String, size: String }),
    move: vi.fn(),
    edit: vi.fn(),
  }
  const chart = {
    plotArea: () => ({ left: 0, top: 0, width: 500, height: 400 }),
    pixelOf: (_: number, price: number) => ({ x: 0, y: 300 - price }),
    onView: () => () => undefined,
  }
  const digits = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 })
  // Of alerts and chart only what lines use.
  const { getAllByRole } = render(AlertLines, {
    alerts,
    chart,
    instrument: 'crypto:BTCUSD',
    decimals: 2,
    digits,
  } as never)
  return { alerts, lines: getAllByRole('slider') }
}

it('moves a line by a tick with an arrow key, ten with Shift, once the key is released', async () => {
  const { alerts, lines } = open()
  await fireEvent.keyDown(lines[0], { key: 'ArrowUp' })
  await fireEvent.keyDown(lines[0], { key: 'ArrowUp', shiftKey: true })
  expect(lines[0].getAttribute('aria-valuenow')).toBe('100.11')
  expect(alerts.move).not.toHaveBeenCalled()
  await fireEvent.keyUp(lines[0], { key: 'ArrowUp' })
  expect(alerts.move.mock.calls).toEqual([['a', 100.11]])
})

it('leaves a line where it was after Escape, and opens it with Enter', async () => {
  const { alerts, lines } = open()
  await fireEvent.keyDown(lines[0], { key: 'ArrowDown' })
  await fireEvent.keyDown(lines[0], { key: 'Escape' })
  await fireEvent.keyUp(lines[0], { key: 'Escape' })
  expect(alerts.move).not.toHaveBeenCalled()
  expect(lines[0].getAttribute('aria-valuenow')).toBe('100')
  await fireEvent.keyDown(lines[0], { key: 'Enter' })
  expect(alerts.edit.mock.calls).toEqual([['a']])
})

it('puts a line back after Escape, too, if it was moved since it has the focus', async () => {
  const { alerts, lines } = open()
  for (const key of ['ArrowUp', 'Escape', 'Escape']) {
    await fireEvent.keyDown(lines[0], { key })
    await fireEvent.keyUp(lines[0], { key })
  }
  expect(alerts.move.mock.calls).toEqual([
    ['a', 100.01],
    ['a', 100],
  ])
  await fireEvent.keyDown(lines[0], { key: 'ArrowUp' })
  await fireEvent.blur(lines[0])
  await fireEvent.keyDown(lines[0], { key: 'Escape' })
  expect(alerts.move.mock.calls.slice(2)).toEqual([['a', 100.01]])
})

it('is one stop for Tab; arrow keys to the side go from line to line', async () => {
  const { lines } = open()
  expect(lines.map((line) => line.tabIndex)).toEqual([0, -1])
  lines[0].focus()
  await fireEvent.keyDown(lines[0], { key: 'ArrowRight' })
  expect(document.activeElement).toBe(lines[1])
})
