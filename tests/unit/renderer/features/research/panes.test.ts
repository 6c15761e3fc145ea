// Panes of research over responses that the test chooses.
import '../../browser-stubs.ts'
import { cleanup, fireEvent, screen } from '@testing-library/svelte'
import { createRawSnippet, flushSync, tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import Board from '../../../../../src/renderer/features/research/Board.svelte'
import ResponseView from '../../../../../src/renderer/features/research/response/ResponseView.svelte'
import TechnicalPane from '../../../../../src/renderer/features/research/TechnicalPane.svelte'
import Metrics from '../../../../../src/renderer/features/research/company/Metrics.svelte'
import Statements from '../../../../../src/renderer/features/research/company/statements/Statements.svelte'
import QuestionView from '../../../../../src/renderer/features/research/response/Question.svelte'
import { ResponseState, type Question } from '../../../../../src/renderer/features/research/response/research.svelte.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render } from '../../open-window.ts'
import { CodedError, type Failure } from '../../../../../src/shared/base/errors.ts'
import type { ServiceResponse, ResearchResult } from '../../../../../src/shared/features/research/research.ts'
import { replayState } from '../../../../kit/replay-state.ts'
import type { CallArgs } from '../../../../../src/shared/contracts.ts'
import statements from '../../../../fixtures/statements/AAPL-income.json' with { type: 'json' }
import { makeResponse } from '../../../../kit/research.ts'
import { TestTransport } from '../../../../kit/transport.ts'

const question: Question = { view: 'live', endpoint: 'income-statement', symbol: 'AAPL', params: {} }

type Get = CallArgs<'research.get'>
const got = (response: ServiceResponse | null, stale = false, failure: Failure | null = null): ResearchResult => ({
  response,
  failure,
  stale,
  fresh: false,
})
/** A transport that answers requests with `response`. */
const answering = (response: (args: Get) => ResearchResult | Promise<ResearchResult>) =>
  new TestTransport()
    .answer('research.get', response)
    .answer('research.versions', () => [])
    .answer('research.cancel', () => null)
const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
  flushSync()
  await tick()
}

it('doesn’t say that no bars are recorded if they can’t be read', async () => {
  const transport = answering(() => got(null)).answer('bars.history', () => {
    throw new CodedError('disk-error', 'Can’t open the store.')
  })
  const app = openWindow(transport)
  render(TechnicalPane, { app, onlink: () => undefined })
  await screen.findByText(/^The recorded bars of .* couldn’t be read\./)
  app.close()
})

describe('a question', () => {
  it('shows the stored response at once and asks behind it only when it is stale', async () => {
    const transport = answering(({ mode }) =>
      mode === 'cached' ? got(makeResponse(1, '{"a":1}'), true) : got(makeResponse(2, '{"a":2}')),
    )
    const state = new ResponseState(transport)
    state.ask(question)
    await settle()
    expect(transport.callsOf('research.get').map(({ mode }) => mode)).toEqual(['cached', 'fresh'])
    expect(state.shown?.id).toBe(2)
    expect(state.loading).toBe(false)
  })
  it('never asks the service in a replay, and still shows old data when a call fails', async () => {
    const failure: Failure = { code: 'server-error', message: 'The service has a problem.' }
    const transport = answering(({ mode }) =>
      mode === 'cached' ? got(makeResponse(1, '{}'), true) : got(makeResponse(1, '{}'), true, failure),
    )
    const state = new ResponseState(transport)
    state.ask({ ...question, view: 'replay-1' })
    await settle()
    expect(transport.callsOf('research.get')).toHaveLength(1)
    state.ask(question)
    await settle()
    expect(state.failure).toEqual(failure)
    expect(state.shown?.id).toBe(1)
  })
  it('discards an response that arrives after the question has changed, and cancels its call', async () => {
    const late = Promise.withResolvers<ResearchResult>()
    const transport = answering(({ mode }) => (mode === 'force' ? late.promise : got(makeResponse(1, '{}'))))
    const state = new ResponseState(transport)
    state.ask(question)
    await settle()
    state.refresh()
    state.ask({ ...question, symbol: 'IBM' })
    expect(transport.callsOf('research.cancel')).toHaveLength(1)
    late.resolve(got(makeResponse(9, '{"late":true}')))
    await settle()
    expect(state.shown?.id).toBe(1)
  })
  it('shows another response next to the first, until the question changes', async () => {
    const transport = answering(() => got(makeResponse(2, '{"a":2}'))).answer('research.version', () =>
      makeResponse(1, '{"a":1}'),
    )
    const state = new ResponseState(transport)
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

  const stateOf = async (text: string): Promise<ResponseState> => {
    const state = new ResponseState(answering(() => got(makeResponse(1, text))))
    state.ask(question)
    await settle()
    return state
  }

  it('shows every value of a list of unlike things, and of two places with one path', async () => {
    const state = await stateOf(
      JSON.stringify({ kpis: [null, 'x', { depth: 'y' }, true], 'a.b': { one: 1 }, a: { b: { two: 2 } } }),
    )
    render(ResponseView, { app, state, name: 'KPIs', endpoint: 'kpis' })
    const values = screen.getByRole('region', { name: 'Values of KPIs' })
    expect([...values.querySelectorAll('dt')].map((one) => one.title)).toEqual(['0', '1', '3', 'depth', 'one', 'two'])
    expect([...values.querySelectorAll('dd')].map((one) => one.textContent)).toEqual(['—', 'x', 'yes', 'y', '1', '2'])
  })
  it('says there is no data when an answer is empty, in any wrapper', async () => {
    const isSaid = async (text: string): Promise<boolean> => {
      render(ResponseView, { app, state: await stateOf(text), name: 'Metals', endpoint: 'metals' })
      const said = screen.queryByText('The service sent no data.') !== null
      cleanup()
      return said
    }
    for (const text of ['{}', '[]', '{"status":"ok","data":[]}', '{"a":{"b":[]}}'])
      expect(await isSaid(text)).toBe(true)
    for (const text of ['{"price":null}', '[0]', '5', 'null', '{"status":"ok","left":3}', '<p>'])
      expect([text, await isSaid(text)]).toEqual([text, false])
  })
  it('shows a dash for a commodity without a name, and for prices that aren’t numbers', async () => {
    const state = await stateOf('[{"name":null,"price":0,"change":null},{"name":"Gold","price":"n/a","change":"abc"}]')
    const props = { app, state, name: 'Metals', endpoint: 'metals', chosen: '', onpick: () => undefined }
    const { container } = render(Board, props)
    const rows = [...container.querySelectorAll('tbody tr')].map((row) =>
      [...row.children].map(({ textContent }) => textContent?.trim()),
    )
    expect(rows).toEqual([
      ['—', '0.00', '—', '—'],
      ['Gold', '—', '—', '—'],
    ])
  })
  it('shows the values around a list without names first, and the list behind them', async () => {
    const state = await stateOf(JSON.stringify({ name: 'Acme', tags: ['Tech', 'Phones'], price: 3 }))
    render(ResponseView, { app, state, name: 'Profile', endpoint: 'profile' })
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['Values', 'Tags', 'Raw'])
    expect(screen.getByRole('region', { name: 'Values of Profile' }).textContent).toContain('Acme')
  })
  it('shows a percentage sent as text as such, whatever the unit of other rates', async () => {
    const state = await stateOf(JSON.stringify([{ grossMargin: 0.4623, netMargin: '24.3%' }]))
    render(ResponseView, { app, state, name: 'Ratios', endpoint: 'ratios' })
    expect(screen.getAllByRole('gridcell').map(({ textContent }) => textContent?.trim())).toEqual(['46.23 %', '24.3%'])
    cleanup()
    const metrics = { data: { valuation: { pe_ratio: '31.2x' }, profitability: { return_on_equity: '156.08%' } } }
    const { container } = render(Metrics, { app, state: await stateOf(JSON.stringify(metrics)) })
    expect(
      [...container.querySelectorAll('.card')].map(({ textContent }) => textContent?.replace(/\s+/g, ' ').trim()),
    ).toEqual(['P/E ratio 31.2x as sent', 'Return on equity 156.08% as sent', 'Debt to equity —'])
  })
  it('shows the named metrics in the units of the values below them', async () => {
    const metrics = { data: { valuation: { pe_ratio: 37.28 }, profitability: { return_on_equity: 1.6459 } } }
    const { container } = render(Metrics, { app, state: await stateOf(JSON.stringify(metrics)) })
    const [, tile] = container.querySelectorAll('.card')
    expect(tile.textContent.replace(/\s+/g, ' ').trim()).toBe('Return on equity 164.59 % 1.6459 as sent')
  })

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
      const props = {
        app,
        state,
        endpoint: 'income-statement',
        symbol: 'AAPL',
        name: 'Income',
        onlink: () => undefined,
      }
      const { container } = render(Statements, props)
      const lines = [...(container.querySelector('tbody')?.rows ?? [])].map((row) => ({
        title: row.querySelector('th')?.textContent,
        cell: row.querySelectorAll('td')[1],
      }))
      const exact = new Map(
        lines.map(({ title, cell }) => [title, cell?.title.replaceAll(',', '').replace('\u2212', '-')]),
      )
      expect(exact.get('Gross profit')).toBe(String(one.grossProfit))
      expect(exact.get('Operating income')).toBe(String(one.operatingIncome))
      expect(exact.get('Earnings per share, basic')).toBe(String(one.eps))
      expect(exact.get('Shares outstanding, basic')).toBe(String(one.weightedAverageShsOut))
      expect(exact.get('Shares outstanding, diluted')).toBe(String(one.weightedAverageShsOutDil))
      expect(lines.find(({ title }) => title === 'Revenue')?.cell?.textContent).toBe(
        (one.revenue / 1e6).toLocaleString('en-US', { maximumFractionDigits: 0 }),
      )
      expect(container.textContent).toContain('In millions of USD, except per share, fiscal years')
      expect(container.querySelector('thead')?.textContent).toContain(one.date)
    },
  )

  describe('the periods of a statement', () => {
    const quarterOf = (year: number, quarter: number) =>
      JSON.stringify({
        data: {
          fiscal_year: year,
          quarter: `Q${quarter}`,
          period_ending: `${year}-0${quarter * 2}-28`,
          currency: 'USD',
          income_statement: { revenue: year * 10 + quarter, gross_profit: 5, net_income: 3 },
        },
      })
    /** Shows Q1 2026; `response` gives the others by their parameters. */
    const show = async (
      response: (args: Get) => ResearchResult | Promise<ResearchResult>,
      view = 'live',
      saved = (): readonly ServiceResponse[] => [],
    ) => {
      const transport = answering(({ params, ...rest }) =>
        params['fiscal_year'] === undefined ? got(makeResponse(1, quarterOf(2026, 1))) : response({ params, ...rest }),
      )
        .answer('research.received', () => saved())
        .answer('research.version', ({ version }) => saved().find(({ id }) => id === version) ?? null)
      const other = openWindow(transport)
      if (view !== 'live') other.replaying = replayState({ id: view })
      const name = 'Income'
      const props = { app: other, endpoint: 'income-statement', symbol: 'AAPL', name, onlink: () => undefined }
      const state = new ResponseState(transport)
      state.ask({ ...question, view })
      await settle()
      const { container } = render(Statements, { ...props, state })
      for (let i = 0; i < 20; i++) await settle()
      const heads = () => [...container.querySelectorAll('thead th')].slice(2).map((th) => th.textContent.slice(0, 7))
      return { other, transport, container, heads }
    }
    const byParams = ({ params }: Get) =>
      got(
        makeResponse(
          Number(params['fiscal_year']) * 10,
          quarterOf(Number(params['fiscal_year']), Number(params['quarter'].slice(1))),
        ),
      )
    const asked = (transport: TestTransport) =>
      transport.callsOf('research.get').flatMap(({ params }) => params['quarter'] ?? [])

    it('are eight quarters without a click, one request each for those that lack', async () => {
      const { other, transport, heads } = await show(byParams)
      expect(heads()).toEqual(['Q1 2026', 'Q4 2025', 'Q3 2025', 'Q2 2025', 'Q1 2025', 'Q4 2024', 'Q3 2024', 'Q2 2024'])
      expect(asked(transport)).toEqual(['Q4', 'Q3', 'Q2', 'Q1', 'Q4', 'Q3', 'Q2'])
      other.close()
    })
    it('stop at the budget, and say so', async () => {
      const failure: Failure = {
        code: 'budget',
        message: 'Today’s request limit (3) is reached.',
        hint: 'It resets at 00:00 UTC.',
      }
      let calls = 0
      const { other, transport, container, heads } = await show((args) =>
        ++calls > 2 ? got(null, true, failure) : byParams(args),
      )
      expect(heads()).toEqual(['Q1 2026', 'Q4 2025', 'Q3 2025'])
      expect(asked(transport)).toHaveLength(3)
      expect(container.textContent).toContain(
        'Q2 2025: Today’s request limit (3) is reached. It resets at 00:00 UTC. Loaded 2 of 7 periods.',
      )
      other.close()
    })
    it('stop where the service doesn’t know the parameters', async () => {
      const { other, transport, container } = await show(() => got(makeResponse(7, quarterOf(2026, 1))))
      expect(asked(transport)).toEqual(['Q4'])
      expect(container.textContent).toContain('doesn’t seem to support these parameters')
      other.close()
    })
    it('follow a replay’s clock both ways, though the newest response stays the same', async () => {
      const periods = [1, 2, 3, 4].map((quarter) =>
        makeResponse(10 + quarter, quarterOf(2025, quarter), quarter * 1_000),
      )
      let nowMs = 4_000
      const { other, container, heads } = await show(byParams, 'replay-1', () =>
        periods.filter(({ fetchedMs }) => fetchedMs <= nowMs).toReversed(),
      )
      // Periods between loaded ones have a column without figures.
      const loaded = () =>
        [...container.querySelectorAll('thead th:not([title])')].slice(2).map((th) => th.textContent.slice(0, 7))
      const move = async (to: number) => {
        other.nowMs = nowMs = to
        for (let i = 0; i < 20; i++) await settle()
      }
      expect(heads()).toEqual(['Q1 2026', 'Q4 2025', 'Q3 2025', 'Q2 2025', 'Q1 2025'])
      await move(2_000)
      expect(loaded()).toEqual(['Q1 2026', 'Q2 2025', 'Q1 2025'])
      await move(3_000)
      expect(loaded()).toEqual(['Q1 2026', 'Q3 2025', 'Q2 2025', 'Q1 2025'])
      other.close()
    })
    it('are years once they are chosen, also while quarters load', async () => {
      const slow = Promise.withResolvers<undefined>()
      const yearOf = (year: number) => quarterOf(year, 4).replace('"quarter":"Q4"', '"period":"FY"')
      const { other, transport, container, heads } = await show(async (args) => {
        if ('quarter' in args.params) return slow.promise.then(() => byParams(args))
        return got(makeResponse(Number(args.params['fiscal_year']), yearOf(Number(args.params['fiscal_year']))))
      })
      expect(asked(transport)).toEqual(['Q4'])
      await fireEvent.click(screen.getByRole('button', { name: 'Years' }))
      for (let i = 0; i < 20; i++) await settle()
      expect(transport.callsOf('research.cancel')).not.toEqual([])
      expect(container.textContent).not.toContain('No fiscal year is loaded yet.')
      expect(heads()).toHaveLength(5)
      slow.resolve(undefined)
      for (let i = 0; i < 20; i++) await settle()
      expect(asked(transport)).toEqual(['Q4'])
      other.close()
    })
    it('are not requested in a replay', async () => {
      const { other, transport, heads } = await show(byParams, 'replay-1')
      expect(asked(transport)).toEqual([])
      expect(heads()).toEqual(['Q1 2026'])
      other.close()
    })
  })

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

    it('stand alone: the envelope of the response is only in the raw view', async () => {
      const state = await stateOf(
        '{"status":"success","data":{"gross_margin":0.4620635,"current_ratio":0.98765432},"metadata":{"timestamp":"2026-01-02T00:00:00Z"}}',
      )
      const { container } = render(ResponseView, { app, state, name: 'Ratios', endpoint: 'ratios' })
      expect(container.textContent).not.toMatch(/success|timestamp/i)
      expect(shownIn(container, 'dd', '46.21 %')?.title).toBe('0.4620635')
      expect(shownIn(container, 'dd', '0.99')?.title).toBe('0.98765432')
      await fireEvent.click(screen.getByRole('tab', { name: 'Raw' }))
      await settle()
      expect(container.textContent).toMatch(/success/)
      expect(container.textContent).toMatch(/timestamp/)
      expect(container.textContent).toContain('0.98765432')
    })

    it('of a page of their own are one click away from the response as received', async () => {
      const transport = answering(() => got(makeResponse(1, '{"status":"success","data":{"margin":0.4620635}}')))
      const other = openWindow(transport)
      const children = createRawSnippet(() => ({ render: () => '<p>the page</p>' }))
      const props = { app: other, endpoint: 'ratios', symbol: 'AAPL', name: 'Ratios', children }
      const { container } = render(QuestionView, props)
      await settle()
      await fireEvent.click(screen.getByRole('button', { name: 'Raw' }))
      await settle()
      expect(container.textContent).not.toContain('the page')
      expect(container.textContent).toMatch(/success/)
      await fireEvent.click(screen.getByRole('button', { name: 'All values' }))
      await settle()
      expect(container.textContent).not.toMatch(/success|the page/)
      await fireEvent.click(screen.getByRole('button', { name: 'All values' }))
      await settle()
      expect(container.textContent).toContain('the page')
      other.close()
    })

    it('are rounded in a table too, with every digit on hover', async () => {
      const rows = [0.4620635, 0.4711111].map((margin, i) => ({ symbol: `S${i}`, gross_margin: margin }))
      const state = await stateOf(JSON.stringify({ status: 'success', data: rows }))
      const { container } = render(ResponseView, { app, state, name: 'Ratios', endpoint: 'ratios', chartable: false })
      expect(screen.queryByRole('tab', { name: /values/i })).toBeNull()
      expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Data', 'Raw'])
      expect(container.textContent).not.toMatch(/success/)
      const cells = [...container.querySelectorAll<HTMLElement>('[role="gridcell"]')]
      expect(cells.map((cell) => [cell.textContent.trim(), cell.title])).toEqual([
        ['S0', 'S0'],
        ['46.21 %', '0.4620635'],
        ['S1', 'S1'],
        ['47.11 %', '0.4711111'],
      ])
    })

    it('are the envelope’s if the response has nothing else', async () => {
      const state = await stateOf('{"status":"success","message":"nothing yet"}')
      const { container } = render(ResponseView, { app, state, name: 'Ratios', endpoint: 'ratios' })
      expect(shownIn(container, 'dd', 'nothing yet')).toBeTruthy()
    })
  })

  it('show markup of the service as text, and no element of it', async () => {
    const hostile = '<img src=x onerror="ran=1"><script>ran=1</script>'
    const state = await stateOf(JSON.stringify({ note: hostile, rows: [{ link: 'javascript:ran=1', text: hostile }] }))
    const { container } = render(ResponseView, { app, state, name: 'Odd', endpoint: 'kpis', onlink: () => undefined })
    expect(container.textContent).toContain(hostile)
    expect(container.querySelectorAll('img, script, a')).toHaveLength(0)
  })
})
