// Panes of research over responses that the test chooses.
import '../../browser-stubs.ts'
import { cleanup, fireEvent, screen } from '@testing-library/svelte'
import { flushSync, tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import AnswerView from '../../../../../src/renderer/features/research/answer/AnswerView.svelte'
import IncomeStatement from '../../../../../src/renderer/features/research/company/IncomeStatement.svelte'
import QuestionView from '../../../../../src/renderer/features/research/answer/Question.svelte'
import { AnswerState, type Question } from '../../../../../src/renderer/features/research/answer/research.svelte.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render } from '../../open-window.ts'
import { CodedError, type Failure } from '../../../../../src/shared/base/errors.ts'
import type { Answer, ResearchAnswer } from '../../../../../src/shared/features/research/research.ts'
import type { CallArgs } from '../../../../../src/shared/contracts.ts'
import statements from '../../../../fixtures/statements/AAPL-income.json' with { type: 'json' }
import { makeAnswer } from '../../../../kit/research.ts'
import { TestTransport } from '../../../../kit/transport.ts'

const question: Question = { view: 'live', endpoint: 'income-statement', symbol: 'AAPL', params: {} }

type Get = CallArgs<'research.get'>
const got = (answer: Answer | null, stale = false, failure: Failure | null = null): ResearchAnswer => ({
  answer,
  failure,
  stale,
  fresh: false,
})
/** A transport that answers requests with `answer`. */
const answering = (answer: (args: Get) => ResearchAnswer | Promise<ResearchAnswer>) =>
  new TestTransport()
    .answer('research.get', answer)
    .answer('research.versions', () => [])
    .answer('research.cancel', () => null)
const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
  flushSync()
  await tick()
}

describe('a question', () => {
  it('shows the stored answer at once and asks behind it only when it is stale', async () => {
    const transport = answering(({ mode }) =>
      mode === 'cached' ? got(makeAnswer(1, '{"a":1}'), true) : got(makeAnswer(2, '{"a":2}')),
    )
    const state = new AnswerState(transport)
    state.ask(question)
    await settle()
    expect(transport.callsOf('research.get').map(({ mode }) => mode)).toEqual(['cached', 'fresh'])
    expect(state.shown?.id).toBe(2)
    expect(state.loading).toBe(false)
  })
  it('never asks the service in a replay, and still shows old data when a call fails', async () => {
    const failure: Failure = { code: 'server-error', message: 'The service has a problem.' }
    const transport = answering(({ mode }) =>
      mode === 'cached' ? got(makeAnswer(1, '{}'), true) : got(makeAnswer(1, '{}'), true, failure),
    )
    const state = new AnswerState(transport)
    state.ask({ ...question, view: 'replay-1' })
    await settle()
    expect(transport.callsOf('research.get')).toHaveLength(1)
    state.ask(question)
    await settle()
    expect(state.failure).toEqual(failure)
    expect(state.shown?.id).toBe(1)
  })
  it('discards an answer that arrives after the question has changed, and cancels its call', async () => {
    const late = Promise.withResolvers<ResearchAnswer>()
    const transport = answering(({ mode }) => (mode === 'force' ? late.promise : got(makeAnswer(1, '{}'))))
    const state = new AnswerState(transport)
    state.ask(question)
    await settle()
    state.refresh()
    state.ask({ ...question, symbol: 'IBM' })
    expect(transport.callsOf('research.cancel')).toHaveLength(1)
    late.resolve(got(makeAnswer(9, '{"late":true}')))
    await settle()
    expect(state.shown?.id).toBe(1)
  })
  it('shows another answer next to the first, until the question changes', async () => {
    const transport = answering(() => got(makeAnswer(2, '{"a":2}'))).answer('research.version', () =>
      makeAnswer(1, '{"a":1}'),
    )
    const state = new AnswerState(transport)
    state.ask(question)
    await settle()
    await state.compareWith(1)
    expect(state.other?.id).toBe(1)
    state.ask({ ...question, symbol: 'IBM' })
    expect(state.other).toBeNull()
  })
})

describe('panes', () => {
  let app: WindowState
  beforeEach(() => {
    app = openWindow(new TestTransport())
  })
  afterEach(() => {
    cleanup()
    app.close()
  })

  const stateOf = async (text: string): Promise<AnswerState> => {
    const state = new AnswerState(answering(() => got(makeAnswer(1, text))))
    state.ask(question)
    await settle()
    return state
  }

  interface Filed {
    readonly date: string
    readonly fiscalYear: string
    readonly period: string
    readonly revenue: number
    readonly grossProfit: number
    readonly operatingIncome: number
    readonly netIncome: number
    readonly eps: number
    readonly epsDiluted: number
    readonly weightedAverageShsOut: number
    readonly weightedAverageShsOutDil: number
  }
  const filed: readonly Filed[] = statements

  it.each(filed.map((one) => [`${one.fiscalYear} ${one.period}`, one] as const))(
    'the income statement of a company equals the file to the digit: %s',
    async (_name, one) => {
      // The document's shape (section 2.4) with the file's figures.
      const state = await stateOf(
        JSON.stringify({
          status: 'success',
          data: {
            symbol: 'AAPL',
            company_name: 'Apple Inc.',
            fiscal_year: Number(one.fiscalYear),
            quarter: one.period,
            period_ending: one.date,
            currency: 'USD',
            income_statement: {
              revenue: one.revenue,
              gross_profit: one.grossProfit,
              operating_income: one.operatingIncome,
              net_income: one.netIncome,
              eps_basic: one.eps,
              eps_diluted: one.epsDiluted,
              shares_outstanding_basic: one.weightedAverageShsOut,
              shares_outstanding_diluted: one.weightedAverageShsOutDil,
            },
            margins: { gross_margin: one.grossProfit / one.revenue, operating_margin: null, net_margin: 0.25 },
            growth_rates: { revenue_growth_yoy: -0.028, net_income_growth_yoy: 0, eps_growth_yoy: 0.1 },
          },
          metadata: { timestamp: '2026-01-02T00:00:00Z', data_source: 'the file', last_updated: null },
        }),
      )
      const { container } = render(IncomeStatement, { app, state, symbol: 'AAPL' })
      const exact = new Map(
        [...container.querySelectorAll('tr')].map((row) => [
          row.querySelector('th')?.textContent,
          row.querySelector('td')?.getAttribute('title')?.replaceAll(',', '').replace('\u2212', '-'),
        ]),
      )
      expect(exact.get('Gross profit')).toBe(String(one.grossProfit))
      expect(exact.get('Operating income')).toBe(String(one.operatingIncome))
      expect(exact.get('Earnings per share, basic')).toBe(String(one.eps))
      expect(exact.get('Earnings per share, diluted')).toBe(String(one.epsDiluted))
      expect(exact.get('Shares outstanding, basic')).toBe(String(one.weightedAverageShsOut))
      expect(exact.get('Shares outstanding, diluted')).toBe(String(one.weightedAverageShsOutDil))
      const [statement] = container.querySelectorAll('table')
      expect(statement.textContent).toContain('Revenue')
      expect([...statement.querySelectorAll('td')][0].title.replaceAll(',', '')).toBe(String(one.revenue))
      expect([...statement.querySelectorAll('td')][3].title.replaceAll(',', '')).toBe(String(one.netIncome))
      expect(container.textContent).toContain('the file')
    },
  )

  it('show by the window’s clock until when a service asks to wait', async () => {
    const now = Date.UTC(2026, 0, 5, 14, 4, 30)
    const transport = new TestTransport().answer('research.get', () => {
      throw new CodedError('rate-limited', 'The service is limiting requests (HTTP 429).', {
        hint: 'The service asks to wait 59 min.',
        notBeforeMs: now + 3_540_000,
      })
    })
    const other = openWindow(transport)
    other.nowMs = now
    const props = { app: other, endpoint: 'income-statement', symbol: 'AAPL', name: 'Income' }
    const { container } = render(QuestionView, props)
    await settle()
    expect(container.textContent).toContain('(HTTP 429). The service asks to wait until 15:03 (59 min).')
    other.nowMs = now + 3_500_000
    flushSync()
    expect(container.textContent).toContain('until 15:03 (40 s).')
    other.nowMs = now + 3_540_000
    flushSync()
    expect(container.textContent).toContain('You can request it again now.')
    other.close()
  })

  describe('figures of a company', () => {
    const shownIn = (container: HTMLElement, role: string, text: string) =>
      [...container.querySelectorAll<HTMLElement>(role)].find((one) => one.textContent.trim() === text)

    it('stand alone: the envelope of the answer is only in the raw view', async () => {
      const state = await stateOf(
        '{"status":"success","data":{"gross_margin":0.4620635,"current_ratio":0.98765432},"metadata":{"timestamp":"2026-01-02T00:00:00Z"}}',
      )
      const { container } = render(AnswerView, { app, state, name: 'Ratios', endpoint: 'ratios' })
      expect(container.textContent).not.toMatch(/success|timestamp/i)
      expect(shownIn(container, 'dd', '0.4621')?.title).toBe('0.4620635')
      expect(shownIn(container, 'dd', '0.99')?.title).toBe('0.98765432')
      await fireEvent.click(screen.getByRole('tab', { name: 'Raw' }))
      await settle()
      expect(container.textContent).toMatch(/success/)
      expect(container.textContent).toMatch(/timestamp/)
      expect(container.textContent).toContain('0.98765432')
    })

    it('are rounded in a table too, with every digit on hover', async () => {
      const rows = [0.4620635, 0.4711111].map((margin, i) => ({ symbol: `S${i}`, gross_margin: margin }))
      const state = await stateOf(JSON.stringify({ status: 'success', data: rows }))
      const { container } = render(AnswerView, { app, state, name: 'Ratios', endpoint: 'ratios', chartable: false })
      expect(screen.queryByRole('tab', { name: /values/i })).toBeNull()
      expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Data', 'Raw'])
      expect(container.textContent).not.toMatch(/success/)
      const cells = [...container.querySelectorAll<HTMLElement>('[role="gridcell"]')]
      expect(cells.map((cell) => [cell.textContent.trim(), cell.title])).toEqual([
        ['S0', 'S0'],
        ['0.4621', '0.4620635'],
        ['S1', 'S1'],
        ['0.4711', '0.4711111'],
      ])
    })

    it('are the envelope’s if the answer has nothing else', async () => {
      const state = await stateOf('{"status":"success","message":"nothing yet"}')
      const { container } = render(AnswerView, { app, state, name: 'Ratios', endpoint: 'ratios' })
      expect(shownIn(container, 'dd', 'nothing yet')).toBeTruthy()
    })
  })

  it('show markup of the service as text, and no element of it', async () => {
    const hostile = '<img src=x onerror="ran=1"><script>ran=1</script>'
    const state = await stateOf(JSON.stringify({ note: hostile, rows: [{ link: 'javascript:ran=1', text: hostile }] }))
    const { container } = render(AnswerView, { app, state, name: 'Odd', endpoint: 'kpis', onlink: () => undefined })
    expect(container.textContent).toContain(hostile)
    expect(container.querySelectorAll('img, script, a')).toHaveLength(0)
  })
})
