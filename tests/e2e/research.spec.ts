/** The thirty-nine endpoints in the window: over the demo market, and over a service that answers otherwise. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { ENDPOINTS } from '../../src/service/endpoints.ts'
import { runCli, type OpenApp } from './app.ts'
import { expect, test } from './fixtures.ts'
import { markOf, startOddService, type OddService } from './odd-service.ts'
import { openPane, pane as paneOf, type PaneKind } from './panes.ts'
import { Screen } from './screen.ts'

/** Where each endpoint is asked: pane, tab inside, part. */
const PLACES: Readonly<Record<string, readonly [PaneKind, string?, string?]>> = {
  profile: ['company', 'Profile', 'Profile'],
  peers: ['company', 'Profile', 'Peers'],
  executives: ['company', 'Profile', 'Executives'],
  'income-statement': ['company', 'Income'],
  'balance-sheet': ['company', 'Balance'],
  'cash-flow': ['company', 'Cash flow'],
  ratios: ['company', 'Ratios', 'Ratios'],
  'ratios-ttm': ['company', 'Ratios', 'Trailing twelve months'],
  'efficiency-ratios': ['company', 'Ratios', 'Efficiency'],
  metrics: ['company', 'Metrics'],
  kpis: ['company', 'KPIs'],
  'quality-score': ['company', 'Quality'],
  growth: ['company', 'Growth', 'Growth'],
  'growth-trends': ['company', 'Growth', 'Trends'],
  cagr: ['company', 'Growth', 'Compound annual growth'],
  dcf: ['company', 'Valuation', 'Discounted cash flow'],
  'enterprise-value': ['company', 'Valuation', 'Enterprise value'],
  multiples: ['company', 'Valuation', 'Multiples'],
  'earnings-calendar': ['earnings', 'Calendar'],
  'company-earnings-calendar': ['earnings', 'Company'],
  'earnings-history': ['earnings', 'History'],
  'earnings-surprises': ['earnings', 'Surprises'],
  'earnings-transcripts': ['earnings', 'Transcripts'],
  sma: ['technical', 'SMA'],
  ema: ['technical', 'EMA'],
  rsi: ['technical', 'RSI'],
  macd: ['technical', 'MACD'],
  'bollinger-bands': ['technical', 'Bollinger'],
  stochastic: ['technical', 'Stochastic'],
  adx: ['technical', 'ADX'],
  'williams-r': ['technical', 'Williams %R'],
  metals: ['commodities'],
  energy: ['commodities'],
  agriculture: ['commodities'],
  news: ['news', 'Market'],
  'company-news': ['news', 'Company'],
  'news-sentiment': ['news', 'Sentiment'],
  'press-releases': ['news', 'Press releases'],
}
const BOARDS: Readonly<Record<string, string>> = { metals: 'Metals', energy: 'Energy', agriculture: 'Agriculture' }

async function go(page: Page, id: string): Promise<Locator> {
  const [kind, tab, part] = PLACES[id]
  const pane = await openPane(page, kind)
  // A pane may begin with tabs of its own layout: these are inside.
  const body = pane.getByTestId('pane-body')
  if (tab) await body.getByRole('tab', { name: tab, exact: true }).first().click()
  if (part) await body.getByRole('button', { name: part, exact: true }).click()
  const board = BOARDS[id]
  return board === undefined ? body : body.getByRole('region', { name: board, exact: true })
}

/** The company of every place is AAPL. */
async function begin(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Watchlist' }).getByText('AAPL', { exact: true }).first().click()
  await openPane(page, 'company')
}

/** Every value of the answer, where a pane of its own shows only some. */
async function everything(pane: Locator): Promise<void> {
  const all = pane.getByRole('button', { name: 'All values' })
  if ((await all.count()) > 0 && (await all.first().getAttribute('aria-pressed')) === 'false') await all.first().click()
}

/** Whether a text stands in one of the parts of an answer. */
async function tells(pane: Locator, text: string): Promise<void> {
  await answered(pane)
  await everything(pane)
  const parts = pane.getByRole('tablist', { name: /^Parts of/ }).getByRole('tab')
  await expect(parts.first()).toBeVisible()
  for (let i = 0; i < (await parts.count()); i++) {
    if ((await pane.getByText(text).count()) > 0) break
    await parts.nth(i).click()
  }
  await expect(pane).toContainText(text)
}

async function answered(pane: Locator): Promise<void> {
  await expect(pane.locator('.age').first()).toBeVisible()
}

async function audit(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .include('[data-testid="pane-body"]')
    .setLegacyMode(true)
    .analyze()
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${what}: ${id} at ${target.join(' ')}: ${failureSummary}`),
  )
  expect.soft(found).toEqual([])
}

test('every endpoint of the demo market shows what was answered', async ({ open, home }) => {
  test.setTimeout(600_000)
  const { page } = await open()
  await begin(page)
  for (const id of Object.keys(PLACES)) {
    await test.step(id, async () => {
      const pane = await go(page, id)
      await answered(pane)
      await expect(pane.locator('.note.alone')).toHaveCount(0)
      const raw = pane.getByRole('tab', { name: 'Raw' })
      await everything(pane)
      if ((await raw.count()) > 0) {
        await raw.first().click()
        await expect(pane.getByRole('tree').getByRole('treeitem').first()).toBeVisible()
        await expect(pane.getByRole('tree')).toContainText('status')
      }
    })
  }
  await test.step('the history of a commodity opens from its board', async () => {
    const pane = await go(page, 'metals')
    const all = pane.getByRole('button', { name: 'All values' })
    if ((await all.getAttribute('aria-pressed')) === 'true') await all.click()
    await pane.getByRole('button', { name: 'Gold' }).click()
    await expect(paneOf(page, 'commodities').getByRole('img', { name: /over time/ })).toBeVisible()
  })
  await test.step('the command line tells the same answer as the window kept', async () => {
    const { code, out, err } = await runCli(
      ['fetch', '/fundamentals/{symbol}/income-statement', '--symbol', 'AAPL', '--demo', '--cached', '--json'],
      home,
    )
    expect(code, err).toBe(0)
    // The document's shape (section 2.4).
    const { data } = JSON.parse(out) as { data: { income_statement: { revenue: number } } }
    const pane = await go(page, 'income-statement')
    const all = pane.getByRole('button', { name: 'All values' })
    if ((await all.getAttribute('aria-pressed')) === 'true') await all.click()
    const exact = data.income_statement.revenue.toLocaleString('en-US')
    await expect(
      pane
        .getByRole('row', { name: /^Revenue/ })
        .first()
        .getByRole('cell'),
    ).toHaveAttribute('title', exact)
  })
})

test('every tab of research keeps the rules of accessibility', async ({ open }) => {
  test.setTimeout(600_000)
  const { page } = await open({ size: { width: 1024, height: 640 } })
  await begin(page)
  for (const id of [
    'profile',
    'peers',
    'income-statement',
    'balance-sheet',
    'metrics',
    'earnings-calendar',
    'earnings-history',
    'earnings-transcripts',
    'news',
    'metals',
    'macd',
  ]) {
    const pane = await go(page, id)
    await answered(pane)
    await audit(page, id)
  }
  await page.keyboard.press('Alt+t')
  for (const id of ['income-statement', 'earnings-history', 'company-news', 'metals', 'rsi']) {
    const pane = await go(page, id)
    await answered(pane)
    await audit(page, `${id}, other theme`)
  }
})

test.describe('a service with answers of its own', () => {
  let odd: OddService
  test.beforeEach(async () => {
    odd = await startOddService()
  })
  test.afterEach(() => odd.close())

  const account = () => ({
    args: ['--base-url', odd.baseUrl, '--user', 'odd'],
    env: { TAPEDECK_PASSWORD: 'odd', TAPEDECK_API_KEY: odd.apiKey },
  })
  /** Nothing ran, asked or left. */
  async function still({ page }: OpenApp, url: string, dialogs: readonly string[]): Promise<void> {
    expect(await page.evaluate(() => 'ran' in window)).toBe(false)
    expect(page.url()).toBe(url)
    expect(dialogs).toEqual([])
    await expect(page.getByTestId('pane-body').locator('img, script, iframe, b:has-text("bold")')).toHaveCount(0)
  }

  test('is read without inventing, running or losing anything, also after it is gone', async ({ open }) => {
    test.setTimeout(600_000)
    let app = await open(account())
    const dialogs: string[] = []
    app.page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    await begin(app.page)
    const url = app.page.url()
    const ids = ENDPOINTS.map(({ id }) => id).filter((id) => PLACES[id] !== undefined)
    expect(ids).toHaveLength(38)
    for (const id of ids) {
      await test.step(id, async () => {
        const pane = await go(app.page, id)
        await tells(pane, markOf(id))
        await still(app, url, dialogs)
      })
    }
    await test.step('failures have their own words and take nothing away', async () => {
      const words = {
        html: /web page instead of data/,
        truncated: /cut off/,
        limited: /fewer calls/,
        unauthorized: /does not accept this API key/,
        soon: /not available yet/,
        broken: /has a problem/,
      } as const
      const pane = await go(app.page, 'balance-sheet')
      for (const fault of ['html', 'truncated', 'limited', 'unauthorized', 'soon', 'broken'] as const) {
        odd.fail(fault)
        await pane.getByRole('button', { name: /^Refresh/ }).click()
        await expect(pane.getByRole('status').filter({ hasText: words[fault] })).toBeVisible()
        await expect(pane).toContainText(markOf('balance-sheet'))
      }
      await still(app, url, dialogs)
    })
    await test.step('everything seen before is readable offline', async () => {
      await app.close()
      await odd.close()
      app = await open(account())
      await begin(app.page)
      for (const id of ['cash-flow', 'earnings-surprises', 'press-releases', 'multiples']) {
        const pane = await go(app.page, id)
        await tells(pane, markOf(id))
      }
    })
  })

  test('is not asked beyond the budget', async ({ open }) => {
    const { page } = await open(account())
    await begin(page)
    await answered(await go(page, 'balance-sheet'))
    await page.keyboard.press('Control+,')
    const settings = page.getByRole('dialog', { name: 'Settings' })
    await settings.getByRole('tab', { name: 'Research' }).click()
    await settings.getByLabel(/Calls a day/).fill('1')
    await settings.getByLabel(/Calls a day/).blur()
    await page.keyboard.press('Escape')
    const before = odd.calls.length
    const pane = await go(page, 'kpis')
    await expect(pane.getByText(/calls of today are used up/)).toBeVisible()
    expect(odd.calls.length).toBe(before)
  })
})

test('a replay shows what was known then, and else says that nothing was', async ({ open }) => {
  test.setTimeout(180_000)
  const { page } = await open()
  await begin(page)
  await expect.poll(() => new Screen(page).prints().count()).toBeGreaterThan(3) // recorded before the first answer
  await answered(await go(page, 'cash-flow'))
  await page.keyboard.press('Alt+r')
  await expect(page.getByRole('region', { name: 'Replay' })).toBeVisible()
  await expect(paneOf(page, 'company').getByText('Not known at this instant')).toBeVisible()
  await expect(paneOf(page, 'company').getByRole('button', { name: /^Refresh/ })).toBeDisabled()
  await page.keyboard.press('Alt+End')
  await answered(await go(page, 'cash-flow'))
})
