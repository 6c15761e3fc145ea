import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, expect, it, vi } from 'vitest'
import ChartNote from '../../../../../src/renderer/features/chart/ChartNote.svelte'

afterEach(cleanup)
const usual = { away: null, noRoom: null, openScreener: vi.fn(), openSettings: vi.fn(), play: null }
const show = (around: object, view = 'live') =>
  render(ChartNote, {
    stage: { is: 'empty', damaged: false },
    symbol: 'BTC-USD',
    asset: 'crypto',
    of: 'trade',
    view,
    around: { ...usual, ...around },
    turnedAway: false,
    onRetry: vi.fn(),
  })

it('offers a large button to play in an empty chart of a replay', async () => {
  const play = vi.fn()
  const openScreener = vi.fn()
  show({ play, openScreener }, 'replay-1')
  await fireEvent.click(screen.getByRole('button', { name: 'Play replay' }))
  expect(play).toHaveBeenCalledOnce()
  expect(screen.getByText('Press Space to play.')).toBeTruthy()
  // The session may have none of this symbol.
  await fireEvent.click(screen.getByRole('button', { name: 'Show recorded symbols' }))
  expect(openScreener).toHaveBeenCalledOnce()
})

it('promises no bars of a symbol that its feed has no room for, and names the ways out', async () => {
  const openSettings = vi.fn()
  const noRoom = { title: 'Not subscribed: 50 of 50 on this feed are in use', text: 'Remove symbols.', short: '' }
  show({ noRoom, openSettings })
  expect(screen.getByText(noRoom.title)).toBeTruthy()
  expect(screen.queryByText(/first bar appears/)).toBeNull()
  await fireEvent.click(screen.getByRole('button', { name: 'Open settings' }))
  expect(openSettings).toHaveBeenCalledOnce()
})
