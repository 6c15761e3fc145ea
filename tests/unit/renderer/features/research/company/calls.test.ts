// Earnings calls of several responses, and the search over all of them.
import '../../../browser-stubs.ts'
import { cleanup, fireEvent, screen } from '@testing-library/svelte'
import { flushSync, tick } from 'svelte'
import { afterEach, describe, expect, it } from 'vitest'
import { ResponseState } from '../../../../../../src/renderer/features/research/response/research.svelte.ts'
import { callsOf } from '../../../../../../src/renderer/features/research/company/calls.ts'
import Transcript from '../../../../../../src/renderer/features/research/company/Transcript.svelte'
import { makeResponse } from '../../../../../kit/research.ts'
import { TestTransport } from '../../../../../kit/transport.ts'
import { openWindow, render } from '../../../open-window.ts'

Element.prototype.scrollIntoView ??= () => undefined

const call = (year: number, quarter: number, text: string) => ({
  data: { symbol: 'A', fiscal_year: year, quarter: `Q${quarter}`, transcript: [{ speaker: 'CEO', text }] },
})
const labels = (...responses: Parameters<typeof callsOf>[0]) => callsOf(responses).map(({ label }) => label)

describe('calls', () => {
  it('are one per period, newest first, and the newest response of a period counts', () => {
    const calls = callsOf([call(2025, 4, 'new'), call(2026, 1, 'b'), call(2025, 4, 'old'), call(2024, 2, 'c')])
    expect(calls.map(({ label }) => label)).toEqual(['Q1 2026', 'Q4 2025', 'Q2 2024'])
    expect(calls[1].speeches).toEqual([{ speaker: 'CEO', text: 'new' }])
  })
  it('may come as a list, with only a day, or without any period', () => {
    const content = 'word '.repeat(60)
    const list = ['2026-01-30', '2025-10-31'].map((date) => ({ date, content }))
    expect(labels({ date: '2026-02-01', calls: list })).toEqual(['2026-01-30', '2025-10-31'])
    expect(labels([{ speaker: 'CEO', text: content, date: '2026-01-30' }])).toEqual([''])
    expect(labels({ status: 'success' }, [1, null])).toEqual([])
  })
})

describe('transcripts', () => {
  afterEach(cleanup)
  const settle = async () => {
    for (let i = 0; i < 200; i++) await Promise.resolve()
    flushSync()
    await tick()
  }
  async function open(view = 'live') {
    const older = call(2025, 4, 'Chips were scarce. Chips again.')
    const requested: (string | undefined)[] = []
    const transport = new TestTransport()
      .answer('research.get', ({ params }) => {
        const quarter = params['quarter']
        if (quarter !== undefined) requested.push(`${quarter} ${params['fiscal_year']}`)
        const value =
          quarter === undefined
            ? call(2026, 1, 'Demand was steady, chips too.')
            : call(Number(params['fiscal_year']), Number(quarter[1]), 'Older words.')
        return { response: makeResponse(1, JSON.stringify(value)), failure: null, stale: false, fresh: true }
      })
      .answer('research.received', () => [makeResponse(2, '')])
      .answer('research.version', () => makeResponse(2, JSON.stringify(older)))
      .answer('research.versions', () => [])
      .answer('research.cancel', () => null)
    const app = openWindow(transport)
    const state = new ResponseState(transport)
    state.ask({ view, endpoint: 'earnings-transcripts', symbol: 'A', params: {} })
    await settle()
    const { container } = render(Transcript, { app, state, symbol: 'A', name: 'Transcripts of A' })
    await settle()
    const now = () => container.querySelector('mark[data-now]')?.closest('p')?.textContent.trim()
    const names = () => [...container.querySelectorAll('.calls button')].map((one) => one.textContent.trim())
    return { app, container, requested, now, names }
  }

  it('are searched across all calls, from the open one on', async () => {
    const { app, container, now, names } = await open()
    const box = screen.getByRole('searchbox')
    await fireEvent.input(box, { target: { value: 'chips' } })
    await settle()
    expect(names()).toEqual(['Q1 20261', 'Q4 20252'])
    expect(container.textContent).toContain('1 of 3')
    expect(now()).toContain('Demand was steady')
    await fireEvent.keyDown(box, { key: 'Enter' })
    await settle()
    expect(container.textContent).toContain('2 of 3')
    expect(now()).toContain('Chips were scarce')
    expect(screen.getByRole('button', { name: /Q4 2025/ }).getAttribute('aria-pressed')).toBe('true')
    await fireEvent.input(box, { target: { value: 'steady' } })
    await settle()
    expect(now(), 'only the other call has it').toContain('Demand was steady')
    await fireEvent.input(box, { target: { value: 'nothing like it' } })
    await settle()
    expect(container.textContent).toContain('not found')
    app.close()
  })

  it('of earlier quarters are requested when asked for, those that are missing', async () => {
    const { app, requested, names } = await open()
    expect(requested).toEqual([])
    await fireEvent.click(screen.getByRole('button', { name: 'Load earlier calls' }))
    await settle()
    expect(requested).toEqual(['Q3 2025', 'Q2 2025', 'Q1 2025', 'Q4 2024'])
    expect(names()).toEqual(['Q1 2026', 'Q4 2025', 'Q3 2025', 'Q2 2025', 'Q1 2025', 'Q4 2024'])
    app.close()
  })
})
