/** The thirty-nine endpoints in the window: over the demo market, and over a service that answers otherwise. */
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { ENDPOINTS } from '../../src/service/endpoints.ts'
import { line, violations } from './accessibility.ts'
import { runCli, type HostName, type OpenApp } from './app.ts'
import { expect, test } from './fixtures.ts'
import { markOf, startOddService, type OddService } from './odd-service.ts'
import { overlayService } from './overlaid-service.ts'
import { openPane, pane as paneOf, type PaneKind } from './panes.ts'
import { Screen } from './screen.ts'
import { BROWSER_ONLY } from './tags.ts'

/** Where each endpoint is asked: pane, tab inside, part. */
const PLACES: Readonly<Record<string, readonly [PaneKind, string?, string?]>> = {
  profile: ['company', 'Profile', 'Profile'],
  peers: ['company', 'Peers'],
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

/**
 * In Electron one endpoint of each kind of pane: the window is the same in both hosts, and every endpoint
 * is walked through in the browser's. What differs is the way to the terminal, which these use too.
 */
const ONE_OF_EACH = [
  'income-statement',
  'balance-sheet',
  'metrics',
  'earnings-calendar',
  'company-news',
  'metals',
  'adx',
]
const walk = (host: HostName, ids: readonly string[]): readonly string[] =>
  host === 'electron' ? ids.filter((id) => ONE_OF_EACH.includes(id)) : ids

/** A file that the window gives: its name and bytes. */
async function downloaded(page: Page, act: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()])
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

/** A whole picture of some size, by its own signature, header and end. */
function expectPng({ name, bytes }: { readonly name: string; readonly bytes: Buffer }): void {
  expect(name).toMatch(/\.png$/)
  expect(bytes.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
  expect(bytes.subarray(12, 16).toString('latin1')).toBe('IHDR')
  expect(bytes.readUInt32BE(16)).toBeGreaterThan(300)
  expect(bytes.readUInt32BE(20)).toBeGreaterThan(100)
  expect(bytes.subarray(-8, -4).toString('latin1')).toBe('IEND')
  // One colour alone would pack into far less.
  expect(bytes.length).toBeGreaterThan(3_000)
}

/** Puts the crosshair on each bar by keys, from the latest back; `at` ends the walk by answering true. */
async function walkBars(page: Page, symbol: string, at: (events: readonly string[]) => boolean): Promise<void> {
  const region = new Screen(page).chart(symbol)
  /** The time of the bar that is told. */
  const time = async () => ((await region.locator('p[aria-live]').first().textContent()) ?? '').split(': open')[0]
  await region.getByRole('application').focus()
  // From the newest bar. End, which goes there, too, goes to the end of a replay.
  await page.keyboard.press('Escape')
  for (let before = ''; ;) {
    await page.keyboard.press('ArrowLeft')
    // The first bar stays where it is.
    const moved = expect.poll(time, { timeout: 1_000, intervals: [20] }).not.toBe(before)
    if (
      !(await moved.then(
        () => true,
        () => false,
      ))
    )
      return
    before = await time()
    if (at(await region.locator('.event').allInnerTexts())) return
  }
}

/** What the chart's bars say of events. */
async function eventsOf(page: Page, symbol: string): Promise<readonly string[]> {
  const found = new Set<string>()
  await walkBars(page, symbol, (events) => {
    for (const text of events) found.add(text)
    return false
  })
  await page.keyboard.press('Escape')
  return [...found].sort()
}

/** Moves the mouse to a mark of the chart, as its readout and the hand over it tell. */
async function overMark(page: Page, symbol: string, text: string): Promise<{ readonly x: number; readonly y: number }> {
  const region = new Screen(page).chart(symbol)
  const canvas = region.getByRole('application')
  const box = (await canvas.boundingBox())!
  const mark = region.locator('.event').filter({ hasText: text })
  const isOver = () => canvas.evaluate((element) => element.classList.contains('over'))
  for (let x = box.x + box.width - 80; x > box.x; x -= 4) {
    await page.mouse.move(x, box.y + box.height / 3)
    if ((await mark.count()) === 0) continue
    for (let y = box.y + box.height - 10; y > box.y + box.height / 3; y -= 6) {
      await page.mouse.move(x, y)
      if (await isOver()) return { x, y }
    }
  }
  throw new Error(`no mark says ${text}`)
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
  const found = await violations(page, '[data-testid="pane-body"]')
  expect.soft(found.map((one) => line(what, one))).toEqual([])
}

test('every endpoint of the demo market shows what was answered', async ({ open, home, host }) => {
  test.setTimeout(600_000)
  const { page } = await open()
  await begin(page)
  for (const id of walk(host, Object.keys(PLACES))) {
    await test.step(id, async () => {
      const pane = await go(page, id)
      await answered(pane)
      await expect(pane.locator('.alone')).toHaveCount(0)
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
    const history = paneOf(page, 'commodities').getByRole('region', { name: 'History of Gold' })
    await expect(history.getByRole('img', { name: /over time/ })).toBeVisible()
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
        .getByRole('cell')
        .nth(1),
    ).toHaveAttribute('title', exact)
  })
})

// The window is the same in both hosts.
test('every tab of research keeps the rules of accessibility', { tag: BROWSER_ONLY }, async ({ open }) => {
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
  await test.step('tables and raw answers are read by keys alone', async () => {
    const pane = await go(page, 'ratios')
    await answered(pane)
    await audit(page, 'periods as columns')
    await pane.getByRole('button', { name: 'Periods as columns' }).click()
    await audit(page, 'periods as rows')
    const last = pane.getByRole('grid').getByRole('row').last()
    await pane.getByRole('grid').getByRole('rowgroup').focus()
    await page.keyboard.press('End')
    await expect(last).toHaveClass(/\bat\b/)
    await pane.getByRole('tab', { name: 'Raw' }).click()
    const tree = pane.getByRole('tree')
    await tree.focus()
    await page.keyboard.press('End')
    await expect(tree.getByRole('treeitem', { selected: true })).toContainText('last_updated')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowLeft')
    await expect(tree.getByRole('treeitem')).toHaveCount(1)
    await audit(page, 'raw')
  })
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

  test('is read without inventing, running or losing anything, also after it is gone', async ({ open, host }) => {
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
    for (const id of walk(host, ids)) {
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
        limited: /limiting requests/,
        unauthorized: /doesn’t accept this API key/,
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
      const read = host === 'electron' ? ['metrics', 'adx'] : ['cash-flow', 'earnings-surprises', 'press-releases']
      for (const id of read) {
        const pane = await go(app.page, id)
        await tells(pane, markOf(id))
      }
    })
  })

  test('is not asked beyond the budget', { tag: BROWSER_ONLY }, async ({ open }) => {
    const { page } = await open(account())
    await begin(page)
    await answered(await go(page, 'balance-sheet'))
    await page.keyboard.press('Control+,')
    const settings = page.getByRole('dialog', { name: 'Settings' })
    await settings.getByRole('tab', { name: 'Research' }).click()
    await settings.getByLabel(/Daily request limit/).fill('1')
    await settings.getByLabel(/Daily request limit/).blur()
    await page.keyboard.press('Escape')
    const before = odd.calls.length
    const pane = await go(page, 'kpis')
    await expect(pane.getByText(/request limit \(1\) is reached/)).toBeVisible()
    expect(odd.calls.length).toBe(before)
  })
})

test('a replay shows what was known then, and else says that nothing was', { tag: BROWSER_ONLY }, async ({ open }) => {
  test.setTimeout(180_000)
  const { page } = await open()
  await begin(page)
  await expect.poll(() => new Screen(page).prints().count()).toBeGreaterThan(3) // recorded before the first answer
  await answered(await go(page, 'cash-flow'))
  await new Screen(page).replayFromStart()
  await expect(paneOf(page, 'company').getByText('Not known at this time')).toBeVisible()
  await expect(paneOf(page, 'company').getByRole('button', { name: /^Refresh/ })).toBeDisabled()
  await page.keyboard.press('Alt+End')
  await answered(await go(page, 'cash-flow'))
})

test(
  'a company opens with everything at a glance, and in a replay with what was known',
  { tag: BROWSER_ONLY },
  async ({ open }) => {
    test.setTimeout(120_000)
    const { page } = await open()
    await begin(page)
    const pane = paneOf(page, 'company')
    const overview = pane.getByRole('region', { name: 'Overview of AAPL' })
    await expect(overview.getByRole('heading', { name: 'Apple Inc.' })).toBeVisible()
    const figure = (title: string) => overview.locator('dt', { hasText: title }).locator('+ dd')
    await expect(figure('P/E')).toHaveText(/^\d+\.\d\d×$/)
    await expect(figure('P/E')).toHaveAttribute('title', /as sent by metrics/)
    await expect(figure('Gross margin')).toHaveText(/ %$/)
    await expect(overview.getByRole('row', { name: /^Revenue/ })).toContainText('143,756')
    await expect(overview).toContainText(/in \d+ days?|today/)
    await expect(overview.getByRole('listitem').first()).toBeVisible()
    await test.step('peers have multiples and a median, and open', async () => {
      const peers = await go(page, 'peers')
      const rows = peers.getByRole('region', { name: 'Peers of AAPL' }).getByRole('row')
      await expect(rows.last()).toHaveText(/^Median of peers.*×/)
      await expect(rows.nth(2).getByRole('cell').first()).toHaveText(/×$/)
    })
    await test.step('a replay says as of when, and shows nothing received later', async () => {
      await pane.getByRole('tab', { name: 'Overview' }).click()
      await expect(figure('P/E')).toHaveText(/×$/)
      await new Screen(page).replayFromStart()
      await expect(overview).toContainText(/As of .*: only what had been received by then\./)
      await expect(overview).toContainText('Not known at this time')
      await page.keyboard.press('Alt+End')
      await expect(overview).not.toContainText('As of')
      await expect(figure('P/E')).toHaveText(/×$/)
    })
  },
)

test('a statement shows eight quarters or five years side by side', { tag: BROWSER_ONLY }, async ({ open }) => {
  test.setTimeout(120_000)
  const { page } = await open()
  await begin(page)
  const pane = await go(page, 'income-statement')
  const grid = pane.getByRole('region', { name: 'Income statement of AAPL by period' })
  const heads = grid.getByRole('table').first().getByRole('columnheader')
  const cells = (title: string) =>
    grid
      .getByRole('row', { name: new RegExp(`^${title}`) })
      .first()
      .getByRole('cell')
  await test.step('quarters, loaded without a click', async () => {
    await expect(heads.filter({ hasText: /^Q\d 20\d\d/ })).toHaveCount(8)
    await expect(heads.nth(2)).toHaveText(/^Q1 2026/)
    await expect(heads.nth(9)).toHaveText(/^Q2 2024/)
    await expect(pane).toContainText('In millions of USD, except per share, fiscal quarters')
    await expect(cells('Gross margin').nth(1)).toHaveText(/^\d\d\.\d\d %$/)
    await expect(grid.locator('svg').first()).toBeVisible()
  })
  await test.step('more of them on request', async () => {
    await pane.getByRole('button', { name: 'Load more periods…' }).click()
    await page.getByRole('group', { name: 'Periods to load' }).getByLabel('Number of periods').fill('2')
    await page.getByRole('button', { name: 'Load (2 requests)' }).click()
    await expect(page.getByText('Loaded 2 of 2 periods.').first()).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(heads.filter({ hasText: /^Q\d 20\d\d/ })).toHaveCount(10)
  })
  await test.step('years', async () => {
    const periods = pane.getByRole('group', { name: 'Periods', exact: true })
    await periods.getByRole('button', { name: 'Years' }).click()
    await expect(heads.filter({ hasText: /^20\d\d/ })).toHaveCount(5)
    await expect(pane).toContainText('fiscal years')
    const picture = pane.getByRole('button', { name: /^Save picture of Revenue/ })
    expectPng(await downloaded(page, () => picture.click()))
    const { bytes } = await downloaded(page, () => pane.getByRole('button', { name: /^Save Income statement/ }).click())
    expect(bytes.toString().split('\n').slice(0, 2).join('\n')).toMatch(
      /^line,20\d\d(,20\d\d){4}\nrevenue(,\d{12}){5}$/,
    )
  })
  await test.step('a service that lists its periods is not asked for single ones', async () => {
    const balance = await go(page, 'balance-sheet')
    const sheet = balance.getByRole('region', { name: 'Balance sheet of AAPL by period' }).getByRole('table')
    await expect(sheet.getByRole('columnheader').nth(2)).toHaveText(/^Q\d 20\d\d/)
    await expect(sheet.getByRole('row', { name: /^Total assets/ }).first()).toBeVisible()
    await balance.getByRole('button', { name: 'All values' }).click()
    await expect(balance.getByRole('tab', { name: 'Raw' })).toBeVisible()
  })
})

test(
  'the indicators of the service stand beside ours, with what lies between them',
  { tag: BROWSER_ONLY },
  async ({ open }) => {
    test.setTimeout(180_000)
    const { page } = await open()
    await begin(page)
    const sma = await go(page, 'sma')
    // Enough for twenty seconds of bars and a further answer.
    await expect(sma.getByText(/matching points?. Largest difference 0/)).toBeVisible({
      timeout: 90_000,
    })
    await expect(
      sma.getByRole('img', {
        name: 'SMA of AAPL: Tapedeck and service. Use the left and right arrows to read each value.',
      }),
    ).toBeVisible()
    await expect(sma.locator('figcaption')).toContainText(/Difference.*Service.*Tapedeck/)
    await sma.getByRole('button', { name: 'Rows' }).click()
    await expect(sma.getByRole('grid').getByRole('columnheader')).toHaveText([
      /Time/,
      /Tapedeck/,
      /Service/,
      /Difference/,
    ])
    const ema = await go(page, 'ema')
    await expect(ema.getByText(/matching points?/)).toBeVisible({ timeout: 60_000 })
  },
)

test(
  'earnings and news are marked on the chart, and in a replay never before they were known',
  { tag: BROWSER_ONLY },
  async ({ open, simulator, host }) => {
    test.setTimeout(300_000)
    const service = await overlayService(simulator.baseUrl)
    try {
      const account = {
        args: ['--base-url', service.baseUrl, '--user', simulator.username],
        env: { TAPEDECK_PASSWORD: simulator.password, TAPEDECK_API_KEY: simulator.apiKey },
      }
      const { page } = await open(account)
      const screen = new Screen(page)
      await screen.trades('AAPL')
      await screen.ticks('AAPL', 5)
      const now = Date.now()
      const at = (ms: number) => new Date(ms).toISOString()
      service.answer('/earnings/AAPL/history', [
        { date: at(now).slice(0, 10), quarter: 'Q4', fiscal_year: 2026, eps_actual: 1.5, eps_estimate: 1.4 },
        { date: at(now - 91 * 86_400_000).slice(0, 10), quarter: 'Q3', fiscal_year: 2026, eps_actual: 1.2 },
      ])
      service.answer('/news/AAPL', [
        { headline: 'Told already', published_at: at(now) },
        { headline: 'Not told yet', published_at: at(now + 3_600_000) },
      ])
      await screen.watchlist().getByText('AAPL', { exact: true }).first().click()
      // Few bars to walk, and none without a trade for an event to fall into.
      await page.keyboard.type('1m')
      await page.keyboard.press('Enter')
      const chart = screen.chart('AAPL')
      await expect(chart).toHaveAccessibleName(/1m$/)
      await chart.getByRole('button', { name: 'Events' }).click()
      const both = [expect.stringMatching(/^Earnings Q4 2026, 1\.5, estimate 1\.4$/), 'Told already']
      await test.step('live', async () => {
        await expect(async () => expect(await eventsOf(page, 'AAPL')).toEqual(both)).toPass({ timeout: 60_000 })
      })
      await test.step('a mark opens what it stands for, by mouse and by keys', async () => {
        /** Of several marks on a bar the user picks. */
        const pick = async (several: boolean, name: string | RegExp) => {
          if (several) await page.getByRole('menuitem', { name }).click()
        }
        const { x, y } = await overMark(page, 'AAPL', 'Told already')
        const there = await chart.locator('.event').count()
        await page.mouse.click(x, y)
        await pick(there > 1, 'Told already')
        await expect(paneOf(page, 'news').getByRole('article', { name: 'Story' })).toContainText('Told already')
        await openPane(page, 'chart')
        let many = 0
        await walkBars(page, 'AAPL', (events) => {
          many = events.length
          return events.some((text) => text.startsWith('Earnings Q4'))
        })
        await page.keyboard.press('Enter')
        await pick(many > 1, /^Earnings Q4/)
        await expect(paneOf(page, 'earnings').locator('.row.sought')).toContainText('Q4')
      })
      await test.step('in a replay, before, after and before again', async () => {
        await page.keyboard.press('Alt+r')
        const place = page.getByRole('slider', { name: 'Replay position' })
        /** Plays from one end; both marks, or none. */
        const end = async (key: 'Home' | 'End', expected: readonly unknown[]) => {
          await place.press(key)
          if (key === 'Home') await expect(place).toHaveAttribute('aria-valuenow', '0')
          else await expect(place).not.toHaveAttribute('aria-valuenow', '0')
          // The slider shows where the seek leads. Prices, which are gone at the start, show that it has ended.
          if (key === 'Home') await expect(screen.last('AAPL')).not.toHaveText(/\d/, { timeout: 60_000 })
          else await expect(screen.last('AAPL')).toHaveText(/\d/, { timeout: 60_000 })
          const position = await place.getAttribute('aria-valuenow')
          await expect(async () => expect(await eventsOf(page, 'AAPL')).toEqual(expected)).toPass({ timeout: 60_000 })
          await expect(place, 'reading the bars moved the replay').toHaveAttribute('aria-valuenow', position ?? '')
        }
        await expect(place).toBeVisible()
        await end('Home', [])
        await end('End', both)
        const drawn = chart.getByRole('application')
        const withMarks = await drawn.screenshot()
        await chart.getByRole('button', { name: 'Events' }).click()
        await expect(async () => expect((await drawn.screenshot()).equals(withMarks)).toBe(false)).toPass()
        await chart.getByRole('button', { name: 'Events' }).click()
        await end('Home', [])
      })
      if (host === 'browser') {
        await test.step('the chart is saved as a picture', async () => {
          await page.keyboard.press('Alt+End')
          await screen.chart('AAPL').getByRole('button', { name: 'Export' }).click()
          const file = await downloaded(page, () => page.getByRole('button', { name: 'Picture (PNG)' }).click())
          expectPng(file)
          expect(file.name).toBe('AAPL-1m.png')
        })
      }
    } finally {
      await service.close()
    }
  },
)
