import '../../browser-stubs.ts'
import { cleanup, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import HealthPane from '../../../../../src/renderer/features/health/HealthPane.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import type { CoverageReport } from '../../../../../src/shared/features/evidence/evidence.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { replayState } from '../../../../kit/replay-state.ts'
import { START_MS } from '../../../../kit/terminal-messages.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import { openWindow, render } from '../../open-window.ts'

let app: WindowState | undefined
let terminal: WindowTerminal
beforeAll(async () => {
  terminal = await WindowTerminal.start()
  await terminal.control('recordSession')
})
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START_MS })
})
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
  terminal.reset()
  vi.useRealTimers()
})
afterAll(() => terminal.close())

async function open(): Promise<WindowState> {
  app = openWindow(terminal, { frame: (run) => queueMicrotask(run), painted: (run) => run() })
  await terminal.settle()
  return app
}
const whole = (): Promise<CoverageReport> =>
  terminal.ask('evidence.coverage', {
    view: 'live',
    fromMs: null,
    toMs: null,
    session: null,
    skip: 0,
    limit: 100,
  })

describe('the coverage of Health', () => {
  it('counts gaps as sessions and the recorder do: the time until a feed was connected is missing, but no gap', async () => {
    const report = await whole()
    const [feed] = report.feeds
    const connect = { cause: 'connect', gaps: 1, ms: 1_000 } as const
    const drop = { cause: 'drop', gaps: 2, ms: 3_000 } as const
    terminal.answer('evidence.coverage', () => ({
      ...report,
      feeds: [
        { ...feed, feed: 'crypto/XT', gaps: 1, gapMs: 1_000, wantedMs: 8_000, causes: [connect] },
        { ...feed, feed: 'crypto/XQ', gaps: 3, gapMs: 4_000, wantedMs: 7_200_000, causes: [drop, connect] },
      ],
    }))
    render(HealthPane, { app: await open() })
    const trades = await screen.findByRole('row', { name: /crypto\/XT/ })
    expect(
      within(trades)
        .getAllByRole('cell')
        .slice(2)
        .map((cell) => cell.textContent),
    ).toEqual(['0', '1.0 s, connecting', '8.0 s'])
    const quotes = screen.getByRole('row', { name: /crypto\/XQ/ })
    expect(
      within(quotes)
        .getAllByRole('cell')
        .slice(2)
        .map((cell) => cell.textContent),
    ).toEqual(['2', '4.0 s', '2 h'])
    expect(quotes.title).toBe('connection lost: 2, 3.0 s\nnot yet connected: 1, 1.0 s')
  })

  it('knows nothing after the clock of a replay', async () => {
    const report = await whole()
    const seen: unknown[] = []
    const later = Promise.withResolvers<CoverageReport>()
    terminal.answer('evidence.coverage', (args) => {
      seen.push(args)
      return seen.length === 1 ? report : later.promise
    })
    const state = await open()
    state.replaying = replayState({ nowMs: unixMs(9_000) })
    render(HealthPane, { app: state })
    await screen.findByRole('row', { name: /crypto\/XT/ })
    expect(screen.getByRole('heading', { name: 'Coverage up to this point' })).toBeDefined()
    expect(seen).toEqual([{ view: 'replay-1', fromMs: null, toMs: null, session: null, skip: 0, limit: 1 }])
    state.replaying = replayState({ nowMs: unixMs(3_000) })
    await tick()
    expect(screen.queryByRole('row', { name: /crypto\/XT/ })).toBeNull()
    later.resolve({ ...report, feeds: [] })
    await screen.findByText('Nothing was recorded yet.')
  })
})
