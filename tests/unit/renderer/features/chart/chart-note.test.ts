import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { flushSync } from 'svelte'
import { SvelteMap } from 'svelte/reactivity'
import { afterEach, expect, it, vi } from 'vitest'
import type { ChartStage } from '../../../../../src/renderer/features/chart/follow/chart-target.ts'
import ChartNote from '../../../../../src/renderer/features/chart/ChartNote.svelte'

afterEach(cleanup)
const usual = {
  away: null,
  noRoom: null,
  openScreener: vi.fn(),
  openSettings: vi.fn(),
  atEnd: false,
  isOver: false,
  isAbsent: () => Promise.resolve(false),
  play: null,
}
const show = (around: object, view = 'live', stage: object = { is: 'empty', damaged: false }) =>
  render(ChartNote, {
    stage: stage as ChartStage,
    symbol: 'BTC-USD',
    asset: 'crypto',
    of: 'trade',
    view,
    zone: 'America/New_York',
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

it('says at once that a replay has nothing of the symbol, and offers nothing to play', async () => {
  show({ play: vi.fn(), isAbsent: () => Promise.resolve(true) }, 'replay-1')
  expect(await screen.findByText('No bars of BTC-USD in this replay')).toBeTruthy()
  expect(screen.getByText('Nothing of this symbol was recorded in it.')).toBeTruthy()
  expect(screen.queryByText('Press Space to play.')).toBeNull()
  expect(screen.queryByRole('button', { name: 'Play replay' })).toBeNull()
  expect(screen.getByRole('button', { name: 'Show recorded symbols' })).toBeTruthy()
})

it('asks once what a replay has, not at each move of its clock', async () => {
  const clock = new SvelteMap([['ms', 0]])
  let asked = 0
  show({ isAbsent: () => Promise.resolve((clock.get('ms') ?? 0) >= 0 && ++asked > 0) }, 'replay-1')
  await screen.findByText('No bars of BTC-USD in this replay')
  clock.set('ms', 1_000)
  flushSync()
  expect(screen.getByText('No bars of BTC-USD in this replay')).toBeTruthy()
  expect(asked).toBe(1)
})

it('doesn’t promise bars at the end of a replay', () => {
  show({ atEnd: true, isOver: true }, 'replay-1')
  expect(screen.getByText('No bars of BTC-USD in this replay')).toBeTruthy()
  expect(screen.queryByText('Press Space to play.')).toBeNull()
  expect(screen.getByRole('button', { name: 'Show recorded symbols' })).toBeTruthy()
})

it('doesn’t call a replay over whose session is still being recorded', () => {
  show({ atEnd: true }, 'replay-1')
  expect(screen.getByText('No bars of BTC-USD up to this point')).toBeTruthy()
  expect(screen.queryByText('Press Space to play.')).toBeNull()
})

it('says times of an error in the zone of the chart', () => {
  const message = 'Nothing was received at 2026-01-05T14:30:00.000Z.'
  const failure = { code: 'no-data', message, hint: 'It ends at 2026-01-05T15:00:00.500Z.' }
  show({}, 'replay-1', { is: 'failed', failure })
  const shown = screen.getByRole('alert').textContent
  expect(shown).toContain('05 Jan 2026 09:30:00.000 EST')
  expect(shown).toContain('05 Jan 2026 10:00:00.500 EST')
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
