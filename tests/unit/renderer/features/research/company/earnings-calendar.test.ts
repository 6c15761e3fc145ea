// The week view of earnings reports, as of the view's clock, over responses of any shape.
import { cleanup, fireEvent, screen } from '@testing-library/svelte'
import { flushSync, tick } from 'svelte'
import { afterEach, describe, expect, it } from 'vitest'
import EarningsCalendar from '../../../../../../src/renderer/features/research/company/EarningsCalendar.svelte'
import { ResponseState } from '../../../../../../src/renderer/features/research/response/research.svelte.ts'
import type { WindowState } from '../../../../../../src/renderer/core/window/window.svelte.ts'
import { makeResponse } from '../../../../../kit/research.ts'
import { TestTransport } from '../../../../../kit/transport.ts'
import { openWindow, render } from '../../../open-window.ts'
import '../../../browser-stubs.ts'

const ENDPOINT = 'company-earnings-calendar'
const REPORTS = [
  { ticker: 'AAPL', report_date: '2026-01-29', eps_actual: 2.84, eps_estimate: 2.6712, quarter: 'Q1' },
  { ticker: 'AAPL', report_date: '2026-04-30', eps_estimate: 2.979, quarter: 'Q2' },
]

let app: WindowState
afterEach(() => {
  cleanup()
  app.close()
})

/** The calendar over a response, at a time of the view's clock. */
async function open(response: unknown, now: string): Promise<void> {
  const transport = new TestTransport()
    .answer('research.get', () => ({
      response: makeResponse(1, JSON.stringify(response)),
      failure: null,
      stale: false,
      fresh: false,
    }))
    .answer('research.versions', () => [])
  app = openWindow(transport)
  app.nowMs = Date.parse(now)
  const state = new ResponseState(transport)
  state.ask({ view: 'replay-1', endpoint: ENDPOINT, symbol: 'AAPL', params: {} })
  for (let i = 0; i < 20; i++) await Promise.resolve()
  flushSync()
  render(EarningsCalendar, { app, state, endpoint: ENDPOINT, name: 'Reports of AAPL' })
  await tick()
}
const week = () => screen.getByText(/^Week of /).textContent

describe('the calendar of a company', () => {
  it('opens at the week of the view’s clock, or else at the next one with a report', async () => {
    await open(REPORTS, '2026-01-27T12:00:00Z')
    expect(week()).toBe('Week of Mon 26 Jan 2026')
    expect(screen.getByRole('button', { name: /AAPL/ }).textContent).toContain('2.84 / est. 2.67')
    await fireEvent.click(screen.getByRole('button', { name: 'Next week' }))
    expect(week()).toBe('Week of Mon 2 Feb 2026')
    expect(screen.getAllByText('No report')).toHaveLength(5)
    await fireEvent.click(screen.getByRole('button', { name: 'Next reports' }))
    expect(week()).toBe('Week of Mon 26 Jan 2026')
  })
  it('opens at the next report when the clock is past a week, with the amounts as sent on hover', async () => {
    await open(REPORTS, '2026-02-03T12:00:00Z')
    expect(week()).toBe('Week of Mon 27 Apr 2026')
    expect(screen.getByText('est. 2.98').title).toBe('2.979')
  })
  it('shows a response without dated reports as it is', async () => {
    await open({ outlook: 'unknown', data: [{ company: 'Apple', when: 'later' }] }, '2026-01-27T12:00:00Z')
    expect(screen.queryByText(/^Week of /)).toBeNull()
    expect(document.body.textContent).toContain('later')
  })
})
