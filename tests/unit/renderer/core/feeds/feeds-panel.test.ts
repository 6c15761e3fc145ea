import '../../browser-stubs.ts'
import { cleanup, fireEvent, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render, replaysOf } from '../../open-window.ts'
import FeedsPanel from '../../../../../src/renderer/core/feeds/FeedsPanel.svelte'
import type { FeedState } from '../../../../../src/shared/core/status/status.ts'
import { unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'

let app: WindowState | undefined
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
  terminal.reset()
})

const SHARED = 'The service replied “Authentication failed” (code 4401).'
const refused = (message: string, closeCode = 4401): FeedState => ({
  is: 'refused',
  why: { code: 'plan', message, hint: 'Check your plan.', closeCode },
})

let terminal: WindowTerminal
beforeAll(async () => {
  terminal = await WindowTerminal.start()
})
afterAll(() => terminal.close())

/** The panel of a terminal with some feeds in other states than open. */
async function open(feeds: Partial<Record<FeedId, FeedState>>) {
  terminal.alter('status', (status) => ({
    ...status,
    feeds: status.feeds.map((one) => ({ ...one, state: feeds[one.feed] ?? one.state })),
  }))
  const state = openWindow(terminal)
  app = state
  await terminal.settle()
  const { container } = render(FeedsPanel, { app: state })
  return { state, text: () => container.textContent.replace(/\s+/g, ' ') }
}
const retried = () => terminal.callsOf('feeds.retry').map(({ feed }) => feed)
const times = (text: string, part: string) => text.split(part).length - 1

describe('feeds that were refused for the same reason', () => {
  it('show it once, with one button that retries all of them', async () => {
    const { text } = await open({
      'crypto/XT': refused(`No access to Crypto trades (XT). ${SHARED}`),
      'crypto/XQ': refused(`No access to Crypto quotes (XQ). ${SHARED}`),
      'forex/C': refused(`No access to Forex quotes (C). ${SHARED}`),
    })
    expect(text()).toContain(`3 feeds were refused: crypto/XQ, crypto/XT, forex/C. ${SHARED}`)
    expect(times(text(), SHARED)).toBe(1)
    expect(times(text(), 'Check your plan.')).toBe(1)
    expect(screen.queryByRole('button', { name: 'Retry now' })).toBeNull()
    await fireEvent.click(screen.getByRole('button', { name: 'Retry all' }))
    expect(retried()).toEqual(['crypto/XQ', 'crypto/XT', 'forex/C'])
  })

  it('leave a feed with another reason its own sentence and button', async () => {
    const { text } = await open({
      'crypto/XT': refused(SHARED),
      'crypto/XQ': refused(SHARED),
      'forex/C': refused('Forex is off.', 4403),
    })
    expect(times(text(), SHARED)).toBe(1)
    expect(times(text(), 'Forex is off.')).toBe(1)
    await fireEvent.click(screen.getByRole('button', { name: 'Retry now' }))
    expect(retried()).toEqual(['forex/C'])
  })

  it('may have two reasons at once', async () => {
    const { text } = await open({
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

it('the reason of one feed shows its close code if its message doesn’t', async () => {
  const { text } = await open({ 'crypto/XT': refused('Refused.', 4403), 'forex/C': refused(SHARED) })
  expect(text()).toMatch(/Refused\..*4403/)
  expect(times(text(), '4401')).toBe(1)
})

it('a full feed counts its symbols, and names those that are not subscribed', async () => {
  const { state, text } = await open({})
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
  // Two connections have room for twice as many, which the status has already counted.
  state.status = {
    ...status,
    feeds: status.feeds.map((feed) =>
      feed.feed === 'crypto/XT' ? { ...feed, acknowledged: symbols, connections: 2, budget: 100 } : feed,
    ),
  }
  await tick()
  expect(text()).toContain('XT 49/100')
})

it('says that symbols are not acknowledged only where the service was asked for them', async () => {
  const { state, text } = await open({})
  const { status } = state
  if (!status) throw new Error('no status')
  const why = { code: 'offline', message: 'HTTP 503.', hint: '', closeCode: null } as const
  const shown = async (feedState: FeedState): Promise<string> => {
    const [feed] = status.feeds
    state.status = { ...status, feeds: [{ ...feed, state: feedState, acknowledged: [], missing: ['B-USD'] }] }
    await tick()
    return text()
  }
  const nowMs = unixMs(status.nowMs)
  for (const closed of [
    { is: 'waiting', untilMs: nowMs, attempt: 1, why },
    { is: 'connecting', attempt: 1 },
  ] as const) {
    const offline = await shown(closed)
    expect(offline).toContain('Not subscribed B-USD')
    expect(offline).not.toContain('Not acknowledged')
  }
  expect(await shown({ is: 'open', sinceMs: nowMs })).toContain('Not acknowledged B-USD')
})

it('the panel of a replay offers no retry', async () => {
  const { state, text } = await open({})
  const { status } = state
  if (!status) throw new Error('no status')
  const feeds = status.feeds.map((feed) => ({
    ...feed,
    state: feed.feed === 'forex/C' ? refused('Forex is off.', 4403) : refused(SHARED),
  }))
  await terminal.control('recordSession')
  await replaysOf(state).openLatest()
  expect(state.view).not.toBe('live')
  state.replayStatus = { ...status, feeds }
  await tick()
  expect(text()).toContain(SHARED)
  expect(text()).toContain('Forex is off.')
  expect(screen.queryByRole('button', { name: /Retry/ })).toBeNull()
  // It counts only from its last jump, so no count is shown.
  expect(text()).not.toContain(' received')
})

it('the panel of a replay that went back shows no feed as of the later time, and says that it reads', async () => {
  const { state, text } = await open({})
  const { status } = state
  if (!status) throw new Error('no status')
  await terminal.control('recordSession')
  await replaysOf(state).openLatest()
  const { replaying } = state
  if (!replaying) throw new Error('no replay')
  const at = (ms: number) => ({ ...replaying, playing: false, nowMs: unixMs(ms) })
  state.showReplay(at(9_000))
  const feeds = status.feeds.map((feed) => ({ ...feed, state: refused(SHARED) }))
  state.replayStatus = { ...status, nowMs: unixMs(9_000), feeds }
  await tick()
  expect(text()).toContain(SHARED)
  state.showReplay(at(3_000))
  await tick()
  expect(text()).not.toContain(SHARED)
  expect(text()).toContain('Reading…')
  state.replayStatus = { ...status, nowMs: unixMs(3_000), feeds: [] }
  await tick()
  expect(text()).toContain('Nothing was subscribed yet.')
  // What is as of a time before the clock stays.
  state.replayStatus = { ...status, nowMs: unixMs(1_000), feeds }
  state.showReplay(at(2_000))
  await tick()
  expect(text()).toContain(SHARED)
})
