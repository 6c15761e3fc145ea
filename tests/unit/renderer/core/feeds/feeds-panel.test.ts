import '../../browser-stubs.ts'
import { cleanup, fireEvent, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render, replaysOf } from '../../open-window.ts'
import FeedsPanel from '../../../../../src/renderer/core/feeds/FeedsPanel.svelte'
import type { FeedState } from '../../../../../src/shared/core/status/status.ts'
import type { FeedId } from '../../../../../src/shared/base/units.ts'
import { FakeTerminal } from '../../fakes/fake-terminal.ts'

let app: WindowState | undefined
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
})

const SHARED = 'The service replied “Authentication failed” (code 4401).'
const refused = (message: string, closeCode = 4401): FeedState => ({
  is: 'refused',
  why: { code: 'plan', message, hint: 'Check your plan.', closeCode },
})

function open(feeds: Partial<Record<FeedId, FeedState>>) {
  const fake = new FakeTerminal({ nowMs: Date.now(), faults: { feeds } })
  const state = openWindow(fake)
  app = state
  const { container } = render(FeedsPanel, { app: state })
  return { fake, state, text: () => container.textContent.replace(/\s+/g, ' ') }
}
const retried = (fake: FakeTerminal) =>
  fake.calls.filter(({ name }) => name === 'feeds.retry').map(({ args }) => (args as { feed: FeedId }).feed)
const times = (text: string, part: string) => text.split(part).length - 1

describe('feeds that were refused alike', () => {
  it('are told once, with one button that tries all of them', async () => {
    const { fake, text } = open({
      'crypto/XT': refused(`No access to Crypto trades (XT). ${SHARED}`),
      'crypto/XQ': refused(`No access to Crypto quotes (XQ). ${SHARED}`),
      'forex/C': refused(`No access to Forex quotes (C). ${SHARED}`),
    })
    expect(text()).toContain(`3 feeds were refused: crypto/XQ, crypto/XT, forex/C. ${SHARED}`)
    expect(times(text(), SHARED)).toBe(1)
    expect(times(text(), 'Check your plan.')).toBe(1)
    expect(screen.queryByRole('button', { name: 'Retry now' })).toBeNull()
    await fireEvent.click(screen.getByRole('button', { name: 'Retry all' }))
    expect(retried(fake)).toEqual(['crypto/XQ', 'crypto/XT', 'forex/C'])
  })

  it('leave one that was refused otherwise its own reason and button', async () => {
    const { fake, text } = open({
      'crypto/XT': refused(SHARED),
      'crypto/XQ': refused(SHARED),
      'forex/C': refused('Forex is off.', 4403),
    })
    expect(times(text(), SHARED)).toBe(1)
    expect(times(text(), 'Forex is off.')).toBe(1)
    await fireEvent.click(screen.getByRole('button', { name: 'Retry now' }))
    expect(retried(fake)).toEqual(['forex/C'])
  })

  it('may be of two kinds at once', () => {
    const { text } = open({
      'crypto/XT': refused(SHARED),
      'crypto/XQ': refused(SHARED),
      'forex/C': refused('Off.', 4403),
      'stocks/T': refused('Off.', 4403),
    })
    expect(screen.getAllByRole('button', { name: 'Retry all' })).toHaveLength(2)
    expect(text()).toContain('2 feeds were refused: crypto/XQ, crypto/XT.')
    expect(text()).toContain('2 feeds were refused: forex/C, stocks/T.')
  })
})

it('a reason of one feed keeps its close code where its message does not name it', () => {
  const { text } = open({ 'crypto/XT': refused('Refused.', 4403), 'forex/C': refused(SHARED) })
  expect(text()).toMatch(/Refused\..*4403/)
  expect(times(text(), '4401')).toBe(1)
})

it('a feed without room counts what it has, and names what is left out', async () => {
  const { state, text } = open({})
  const { status } = state
  if (!status) throw new Error('no status')
  const symbols = Array.from({ length: 49 }, (_, i) => `A${i}-USD`)
  state.status = {
    ...status,
    feeds: status.feeds.map((feed) =>
      feed.feed === 'crypto/XT' ? { ...feed, acknowledged: symbols, missing: ['B-USD'], overBudget: ['Z-USD'] } : feed,
    ),
  }
  await tick()
  expect(text()).toContain('XT 49/50')
  expect(text()).toContain('Not subscribed: 50 of 50 are in use.')
  expect(text()).toMatch(/Z-USD\. Remove symbols/)
  // Twice the connections have twice the room, which the status counts already.
  state.status = {
    ...status,
    feeds: status.feeds.map((feed) =>
      feed.feed === 'crypto/XT' ? { ...feed, acknowledged: symbols, connections: 2, budget: 100 } : feed,
    ),
  }
  await tick()
  expect(text()).toContain('XT 49/100')
})

it('of a replay offers no retry', async () => {
  const { state, text } = open({})
  const { status } = state
  if (!status) throw new Error('no status')
  const feeds = status.feeds.map((feed) => ({
    ...feed,
    state: feed.feed === 'forex/C' ? refused('Forex is off.', 4403) : refused(SHARED),
  }))
  await replaysOf(state).open(['01jbq1a2recording'], null)
  await vi.waitFor(() => expect(state.view).not.toBe('live'))
  state.replayStatus = { ...status, feeds }
  await tick()
  expect(text()).toContain(SHARED)
  expect(text()).toContain('Forex is off.')
  expect(screen.queryByRole('button', { name: /Retry/ })).toBeNull()
})
