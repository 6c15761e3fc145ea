// Research pages over data that no documentation describes: nothing throws, and no figure is made up.
import '../../browser-stubs.ts'
import { cleanup, fireEvent } from '@testing-library/svelte'
import { flushSync, tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import CommoditiesPane from '../../../../../src/renderer/features/research/CommoditiesPane.svelte'
import CompanyPane from '../../../../../src/renderer/features/research/CompanyPane.svelte'
import EarningsPane from '../../../../../src/renderer/features/research/EarningsPane.svelte'
import NewsPane from '../../../../../src/renderer/features/research/NewsPane.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import { makeResponse } from '../../../../kit/research.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { dockOf, openWindow, render } from '../../open-window.ts'

const HTML = '<img src=x onerror=alert(1)><b>bold</b>'
const record = (more: object) => ({ symbol: 'AAPL', date: '2025-12-31', fiscalYear: '2025', period: 'FY', ...more })
const ODD: Readonly<Record<string, unknown>> = {
  nothing: null,
  'a text': HTML,
  'records without fields': [{}, {}, null, 3, 'x'],
  'records of nulls': [record({ revenue: null, netIncome: null, eps: null, marketCap: null })],
  'huge numbers':
    '[{"symbol":"AAPL","date":"2025-12-31","period":"FY","revenue":1e400,"netIncome":123456789012345678901234567890,"eps":1e-300,"marketCap":9e99,"pe_ratio":1e21}]',
  'negative numbers': [
    record({ revenue: -5, netIncome: -1e12, eps: -0.0000001, marketCap: -1, pe_ratio: -3, grossProfit: -2 }),
  ],
  'numbers as texts': [record({ revenue: '1,234', netIncome: 'n/a', eps: '-', marketCap: '1.2B', pe_ratio: '' })],
  'markup in texts': [
    record({ companyName: HTML, name: HTML, title: HTML, [HTML]: HTML, url: 'javascript:alert(1)', content: HTML }),
  ],
  'markup in an object': { data: { company_name: HTML, sector: HTML, [HTML]: { [HTML]: 1 } } },
  'wrong types': [record({ date: 20251231, period: {}, revenue: [], netIncome: true, eps: { a: 1 } })],
  'odd dates': [
    record({ date: '2025-02-31' }),
    record({ date: 'yesterday' }),
    record({ date: '' }),
    record({ date: '-271821-04-20' }),
  ],
  'deep nesting': Array.from({ length: 60 }).reduce<object>((inner) => ({ data: inner }), { eps: 1 }),
  'dangerous keys': '{"__proto__":{"x":1},"constructor":{"prototype":1},"data":{"__proto__":[1],"toString":5}}',
}
const PANES = [
  ['the company', CompanyPane],
  ['earnings', EarningsPane],
  ['news', NewsPane],
  ['commodities', CommoditiesPane],
] as const
let app: WindowState
let text = ''
let errors: unknown[] = []
const note = (event: ErrorEvent) => void errors.push(event.error)
beforeEach(() => {
  errors = []
  vi.spyOn(console, 'error').mockImplementation((...all: unknown[]) => void errors.push(all))
  addEventListener('error', note)
  const transport = new TestTransport()
    .answer('research.get', () => ({ response: makeResponse(1, text), failure: null, stale: false, fresh: true }))
    .answer('research.versions', () => [])
    .answer('research.cancel', () => null)
  app = openWindow(transport)
  dockOf(app).select(instrumentId('stocks', 'AAPL'))
})
afterEach(() => {
  cleanup()
  app.close()
  removeEventListener('error', note)
  vi.restoreAllMocks()
})
const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
  flushSync()
  await tick()
}

type Pane = (typeof PANES)[number][1]
/** Shows a pane, and each of its tabs in turn, over the data. */
async function* pages(Pane: Pane): AsyncGenerator<{ readonly tab: string; readonly container: HTMLElement }> {
  const { container } = render(Pane, { app, onlink: () => undefined })
  await settle()
  const tabs = () => [...container.querySelectorAll<HTMLElement>('[role="tab"]')]
  const titles = tabs().map(({ textContent }) => textContent)
  for (const title of titles) {
    const tab = tabs().find(({ textContent }) => textContent === title)
    if (tab === undefined) continue
    await fireEvent.click(tab)
    await settle()
    yield { tab: title, container }
  }
}

describe.each(Object.entries(ODD))('%s', (_name, value) => {
  it.each(PANES)('as data of %s', async (_what, Pane) => {
    text = typeof value === 'string' && /^[[{]/.test(value) ? value : JSON.stringify(value)
    for await (const { tab, container } of pages(Pane)) {
      expect.soft(container.textContent, tab).not.toMatch(/NaN|undefined|\[object|Infinity|Invalid Date/)
      expect.soft(container.querySelector('img, b > b, script, a[href^="javascript"]'), tab).toBeNull()
    }
    expect(errors).toEqual([])
  })
})
