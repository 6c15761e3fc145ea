// The figures of a company's overview and its peers, from responses as vendors send them.
import { cleanup, fireEvent, screen } from '@testing-library/svelte'
import { flushSync, tick } from 'svelte'
import { afterEach, describe, expect, it } from 'vitest'
import Overview from '../../../../../../src/renderer/features/research/company/Overview.svelte'
import {
  daysUntil,
  nextReport,
  rangeText,
  ratiosOf,
  scalarsOf,
} from '../../../../../../src/renderer/features/research/company/overview.ts'
import { PeerFigures } from '../../../../../../src/renderer/features/research/company/peer-figures.svelte.ts'
import { NumberText } from '../../../../../../src/renderer/text/format.ts'
import { readResponse } from '../../../../../../src/shared/features/research/read.ts'
import { reportsOf, reportTable } from '../../../../../../src/shared/features/research/reports.ts'
import type { Failure } from '../../../../../../src/shared/base/errors.ts'
import { makeResponse } from '../../../../../kit/research.ts'
import { TestTransport } from '../../../../../kit/transport.ts'
import { openWindow, render } from '../../../open-window.ts'
import '../../../browser-stubs.ts'

const numbers = new NumberText('en-US')
const source = (endpoint: string, value: unknown) => ({ endpoint, reading: readResponse(JSON.stringify(value)) })
const textsOf = (sources: Parameters<typeof ratiosOf>[0]) =>
  Object.fromEntries(ratiosOf(sources, numbers).map(({ title, text }) => [title, text]))

describe('the ratios of an overview', () => {
  it('come from the documented metrics first, then from whatever else has them', () => {
    const sources = [
      source('metrics', { data: { valuation: { pe_ratio: 28.664 }, leverage: { debt_to_equity: 2.09 } } }),
      source('ratios-ttm', [{ symbol: 'AAPL', priceToEarningsRatioTTM: 34.76, grossProfitMarginTTM: 0.46678 }]),
    ]
    expect(textsOf(sources)).toMatchObject({
      'P/E': '28.66×',
      'Debt/equity': '2.09',
      'Gross margin': '46.68 %',
      'EV/EBITDA': null,
    })
    const [pe] = ratiosOf(sources, numbers)
    expect(pe.hint).toBe('28.664 as sent by metrics')
  })
  it('of a text with a percent sign are in percent', () => {
    const texts = textsOf([source('ratios-ttm', [{ grossProfitMarginTTM: 0.46, netProfitMarginTTM: '24.3 %' }])])
    expect(texts).toMatchObject({ 'Gross margin': '46.00 %', 'Net margin': '24.30 %' })
  })
  it('are missing, not zero, where no response has them', () => {
    for (const { text, value } of ratiosOf([], numbers)) expect([text, value]).toEqual([null, NaN])
    expect(textsOf([source('metrics', { data: { pe_ratio: null, price_to_book: 'n/a' } })])['P/E']).toBeNull()
  })
  it('are those of the newest record of a list', () => {
    expect(scalarsOf([{ pe: 1 }, { pe: 2 }]).get('pe')).toBe(1)
  })
})

describe('the next report', () => {
  const rows = [
    { symbol: 'X', date: '2026-01-29', eps_estimate: 2.6, eps_actual: 2.84 },
    { symbol: 'X', date: '2026-04-30', eps_estimate: 1.7, eps_actual: null },
    { symbol: 'X', date: '2026-07-30', eps_estimate: 1.6, eps_actual: null },
  ]
  const table = reportTable(readResponse(JSON.stringify({ earnings: rows })))
  const reports = table === undefined ? [] : reportsOf(table)
  it.each([
    ['2026-04-29T23:59:59Z', '2026-04-30', 1],
    ['2026-04-30T20:00:00Z', '2026-04-30', 0],
    ['2026-05-01T00:00:00Z', '2026-07-30', 90],
  ])('at %s is on %s, in %i days', (now, day, days) => {
    expect(nextReport(reports, Date.parse(now))?.day).toBe(day)
    expect(daysUntil(day, Date.parse(now))).toBe(days)
  })
  it('is unknown after the last date', () => {
    expect(nextReport(reports, Date.parse('2027-01-01T00:00:00Z'))).toBeNull()
  })
})

it('a range of prices has the same decimals on both sides; other texts stay as sent', () => {
  expect(['164.08-260.1', '9 - 12', '0.0812–0.2', '', 'n/a', '1-2-3'].map((text) => rangeText(text, numbers))).toEqual([
    '164.08–260.10',
    '9.00–12.00',
    '0.0812–0.2000',
    '',
    'n/a',
    '1-2-3',
  ])
})

describe('the multiples of peers', () => {
  const pe = (n: number) => makeResponse(n, JSON.stringify({ data: { pe_ratio: n } }))
  const settle = async () => {
    for (let i = 0; i < 60; i++) await Promise.resolve()
  }
  const answered = (failAfter: number) => {
    const failure: Failure = { code: 'budget', message: 'Today’s request limit is reached.' }
    let calls = 0
    return new TestTransport().answer('research.get', ({ symbol, endpoint, mode }) => {
      const spent = mode === 'fresh' && ++calls > failAfter
      const response = endpoint === 'metrics' && !spent ? pe({ A: 10, B: 20, C: 40 }[symbol] ?? 0) : null
      return { response, failure: spent ? failure : null, stale: false, fresh: !spent }
    })
  }
  it('have a median over the peers that have a figure', async () => {
    const app = openWindow(answered(99))
    const figures = new PeerFigures(app)
    figures.follow(['A', 'B', 'C'], 'live')
    await settle()
    expect(figures.cellsOf('B')?.[0].text).toBe('20.00×')
    expect(figures.median(['A', 'B', 'C'], 0)).toBe('20.00×')
    expect(figures.median(['A', 'B'], 0)).toBe('15.00×')
    expect(figures.median(['A', 'B'], 1)).toBe('—')
    figures.close()
    app.close()
  })
  it('follow a replay’s clock, however often it moves meanwhile', async () => {
    let nowMs = 2
    const waiting: (() => void)[] = []
    const transport = new TestTransport().answer('research.get', async ({ endpoint }) => {
      const response = endpoint === 'metrics' ? pe(nowMs) : null
      await new Promise<void>((resolve) => waiting.push(resolve))
      return { response, failure: null, stale: false, fresh: false }
    })
    const app = openWindow(transport)
    const figures = new PeerFigures(app)
    const finish = async () => {
      for (; waiting.length > 0; await settle()) waiting.shift()?.()
    }
    figures.follow(['A'], 'replay-1')
    await finish()
    figures.look()
    await settle()
    // Back and paused while a look runs: no further move follows.
    nowMs = 1
    figures.look()
    await finish()
    expect(figures.cellsOf('A')?.[0].text).toBe('1.00×')
    figures.close()
    app.close()
  })
  it('stop at the budget: nothing more is requested', async () => {
    const transport = answered(2)
    const app = openWindow(transport)
    const figures = new PeerFigures(app)
    figures.follow(['A', 'B', 'C'], 'live')
    await settle()
    const modes = transport.callsOf('research.get').map(({ mode }) => mode)
    expect(modes).toEqual(['fresh', 'fresh', 'fresh', 'cached', 'cached', 'cached'])
    expect(figures.failure?.code).toBe('budget')
    figures.close()
    app.close()
  })
})

describe('an overview whose parts failed', () => {
  afterEach(cleanup)
  it.each<readonly [string, boolean]>([
    ['some', true],
    ['all', false],
  ])('says why and what to do: %s', async (_name, hasProfile) => {
    const failure: Failure = { code: 'budget', message: 'The limit is reached.', hint: 'It resets at 00:00 UTC.' }
    const profile = makeResponse(1, '{"data":{"company_name":"A Corp."}}')
    const transport = new TestTransport()
      .answer('research.get', ({ endpoint }) =>
        hasProfile && endpoint === 'profile'
          ? { response: profile, failure: null, stale: false, fresh: false }
          : { response: null, failure, stale: false, fresh: false },
      )
      .answer('research.received', () => [])
    const app = openWindow(transport)
    const { container } = render(Overview, { app, symbol: 'A', onlink: () => undefined, onopen: () => undefined })
    for (let i = 0; i < 60; i++) await Promise.resolve()
    flushSync()
    await tick()
    expect(container.textContent).toContain('The limit is reached.')
    expect(container.textContent).toContain('It resets at 00:00 UTC.')
    expect(container.textContent.includes('A Corp.')).toBe(hasProfile)
    await fireEvent.click(screen.getByRole('button', { name: 'Settings' }))
    expect(app.dialog).toBe('settings')
    app.close()
  })
})

it('an overview shows stories that nothing tells apart', async () => {
  const news = { feed: [{ title: null }, { title: null }, { title: 'One' }] }
  const transport = new TestTransport().answer('research.get', ({ endpoint }) => ({
    response: endpoint === 'company-news' ? makeResponse(1, JSON.stringify(news)) : null,
    failure: null,
    stale: false,
    fresh: true,
  }))
  const app = openWindow(transport)
  const { container } = render(Overview, { app, symbol: 'A', onlink: () => undefined, onopen: () => undefined })
  for (let i = 0; i < 60; i++) await Promise.resolve()
  flushSync()
  await tick()
  expect(container.textContent).toContain('One')
  app.close()
})

it.each([
  ['can’t be read', '{"odd":[{"what":"x"},{"what":"y"}]}', true],
  ['has reports of the past', '{"earnings":[{"symbol":"A","date":"2001-01-29","eps_actual":2.84}]}', false],
])('an overview claims nothing about a response that %s', async (_name, text, isUnread) => {
  const transport = new TestTransport()
    .answer('research.get', () => ({ response: makeResponse(1, text), failure: null, stale: false, fresh: true }))
    .answer('research.received', () => [])
  const app = openWindow(transport)
  const { container } = render(Overview, { app, symbol: 'A', onlink: () => undefined, onopen: () => undefined })
  for (let i = 0; i < 60; i++) await Promise.resolve()
  flushSync()
  await tick()
  const shown = container.textContent
  expect(shown).not.toContain('No stories.')
  expect(shown).toContain('The response has no stories that can be read.')
  expect(shown).toContain('The response has no figures that can be read.')
  expect(shown).toContain('The responses have no ratios that can be read.')
  expect(shown.includes('No upcoming date known.')).toBe(!isUnread)
  expect(shown.includes('The response has no reports that can be read.')).toBe(isUnread)
  cleanup()
  app.close()
})
