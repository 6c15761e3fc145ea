/** The palette, keys that the user chooses, menus, help and tour: by keyboard alone. */
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { openPane } from './panes.ts'
import { Screen } from './screen.ts'
import { BROWSER_ONLY } from './tags.ts'

const box = (page: Page) => page.getByRole('search').getByRole('combobox', { name: 'Symbol or command' })

/** Types into the palette and takes what stands first, once that is `first`. */
async function enter(page: Page, typed: string, first: RegExp): Promise<void> {
  await page.keyboard.press('Control+k')
  await expect(box(page)).toBeFocused()
  await page.keyboard.type(typed)
  const top = page.getByRole('option').first()
  await expect(top).toHaveText(first)
  await expect(top).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('listbox', { name: 'Symbol or command' })).toHaveCount(0)
}

test('the palette leads everywhere by keyboard', async ({ open }) => {
  test.setTimeout(150_000)
  const { page } = await open()
  const screen = new Screen(page)
  await screen.trades('BTC-USD')

  // A symbol and an interval in one entry; what is chosen is told by the chart.
  await enter(page, 'eth-usd 5m', /Show ETH-USD at 5m/)
  await expect(screen.chart('ETH-USD')).toBeVisible()
  await expect(screen.interval('5m')).toHaveAttribute('aria-checked', 'true')

  // A code opens its pane for the symbol before it.
  await enter(page, 'AAPL FA', /AAPL FA/)
  await expect(screen.chart('AAPL')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Company', exact: true })).toBeVisible()

  // An endpoint, a setting, a watchlist and a command by their names.
  await enter(page, 'earnings surprises', /Earnings surprises/)
  const earnings = page.getByRole('tablist', { name: 'Earnings' })
  await expect(earnings.getByRole('tab', { name: 'Surprises' })).toHaveAttribute('aria-selected', 'true')
  await enter(page, 'text size', /Text size/)
  const settings = screen.dialog('Settings')
  await expect(settings.getByRole('tab', { name: 'Appearance' })).toHaveAttribute('aria-selected', 'true')
  await expect(settings.getByRole('combobox', { name: 'Text size' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(settings).toHaveCount(0)
  await enter(page, 'switch between dark', /Switch between dark and light/)
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')

  // What was chosen is offered again before anything is typed; Esc leaves everything as it was.
  await page.keyboard.press('Control+k')
  const recent = page.getByRole('group', { name: 'Recent' })
  await expect(recent.getByRole('option').first()).toContainText('Switch between dark and light')
  await page.keyboard.press('ArrowDown')
  await expect(recent.getByRole('option').nth(1)).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Escape')
  await expect(recent).toHaveCount(0)
  await expect(screen.chart('AAPL')).toBeVisible()

  // What is called by no name is answered with a sentence, not with an empty list.
  await page.keyboard.press('Control+k')
  await page.keyboard.type('AAPL N')
  await expect(page.getByRole('listbox', { name: 'Symbol or command' })).toContainText('No matches.')
})

test(
  'the palette’s answer to what is typed looks like the entries below it',
  { tag: BROWSER_ONLY },
  async ({ open }) => {
    const { page } = await open()
    await new Screen(page).trades('BTC-USD')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('AAPL 5m')
    const first = page.getByRole('option').first()
    await expect(first).toHaveText(/AAPL at 5m/)
    // The rules of a form in a popover once applied to it: they have padding and small text.
    const title = first.locator('strong')
    await expect(title).toHaveCSS('padding', '0px')
    await expect(title).toHaveCSS('font-size', await first.evaluate((row) => getComputedStyle(row).fontSize))
  },
)

test('a replay begins at the time that was typed', { tag: BROWSER_ONLY }, async ({ open }) => {
  test.setTimeout(150_000)
  const { page } = await open()
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  await enter(page, 'EURUSD REPLAY start', /EURUSD REPLAY start/)
  await expect(screen.source(/replay/i)).toBeVisible()
  await expect(screen.chart('EURUSD')).toBeVisible()
  await enter(page, 'live', /Back to live/)
  await expect(screen.source(/Demo market/)).toBeVisible()
  // A time that nothing was recorded at is told, and nothing changes.
  await enter(page, 'REPLAY 1 Jan 2020 09:30', /REPLAY 1 Jan 2020 09:30/)
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('before the recorded data starts')
  await expect(screen.source(/Demo market/)).toBeVisible()
})

test('keys are given anew, conflicts are named, and all of it is kept', async ({ open }) => {
  test.setTimeout(150_000)
  const { page } = await open()
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  await page.keyboard.press('?')
  const sheet = screen.dialog('Keyboard shortcuts')
  await expect(sheet).toContainText('Alt+L')
  await expect(sheet.getByRole('searchbox')).toBeFocused()
  await page.keyboard.type('hide log')
  await expect(sheet.locator('dt')).toHaveText([/log/i])
  await page.getByRole('button', { name: 'Edit in Settings' }).press('Enter')
  const settings = screen.dialog('Settings')
  await expect(settings.getByRole('tab', { name: 'Shortcuts' })).toHaveAttribute('aria-selected', 'true')

  const change = settings.getByRole('button', { name: 'Change keys for “Help”' })
  await change.press('Enter')
  await page.keyboard.press('h')
  await expect(settings.getByRole('alert')).toContainText('A single letter types a symbol')
  await page.keyboard.press('Alt+l')
  await expect(settings.getByRole('alert')).toContainText('Alt+L already runs “Show or hide the log”')
  await expect(settings.getByRole('button', { name: 'Reassign' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect(settings).toHaveCount(0)

  await page.keyboard.press('Alt+l')
  await expect(screen.dialog('Help')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.reload()
  await screen.trades('BTC-USD')
  await page.keyboard.press('Alt+l')
  await expect(screen.dialog('Help')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(screen.dialog('Help')).toHaveCount(0)
  await enter(page, 'shortcuts', /Shortcuts|Keyboard shortcuts/)
  await page.keyboard.press('Escape')

  await page.keyboard.press('Control+,')
  await settings.getByRole('tab', { name: 'Shortcuts' }).click()
  await settings.getByRole('button', { name: 'Reset all' }).press('Enter')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Alt+l')
  await expect(page.getByRole('region', { name: 'Log', exact: true })).toBeVisible()
})

test('menus open by key, and the focus comes back', async ({ open }) => {
  const { page } = await open()
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  const grid = screen.watchlist().getByRole('grid')
  await grid.focus()
  await page.keyboard.press('ArrowDown')
  await expect(screen.chart('ETH-USD')).toBeVisible()
  await page.keyboard.press('Shift+F10')
  const menu = page.getByRole('menu', { name: 'Menu for ETH-USD' })
  await expect(menu.getByRole('menuitem', { name: 'Show on chart' })).toBeFocused()
  await page.keyboard.type('remove')
  await expect(menu.getByRole('menuitem', { name: /^Remove from Majors/ })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(menu).toHaveCount(0)
  await expect(grid).toBeFocused()
  await page.keyboard.press('Shift+F10')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await expect(screen.row('ETH-USD')).toHaveCount(0)

  // What happened is told in the status bar, over nothing, and can be undone there.
  const told = page.getByRole('region', { name: 'Notifications' })
  await expect(told).toContainText('ETH-USD removed from Majors.')
  const [bar, line] = [await page.getByRole('contentinfo').boundingBox(), await told.boundingBox()]
  expect(line && bar && line.y >= bar.y && line.y + line.height <= bar.y + bar.height).toBe(true)
  await told.getByRole('button', { name: 'Undo' }).press('Enter')
  await expect(screen.row('ETH-USD')).toBeVisible()
})

test('a symbol is dragged from anywhere onto anything', async ({ open }) => {
  test.setTimeout(180_000)
  const { page } = await open()
  page.setDefaultTimeout(15_000)
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  const chart = page.getByRole('region', { name: /^Chart of / }).first()
  const head = (symbol: string) => page.getByRole('rowheader', { name: new RegExp(`^${symbol}`) })
  const shows = (symbol: string) => expect(screen.chart(symbol)).toBeVisible()

  await test.step('from a row onto the quote, the tape and the chart', async () => {
    await head('SOL-USD').dragTo(screen.quote())
    await shows('SOL-USD')
    await head('ETH-USD').dragTo(screen.tape())
    await shows('ETH-USD')
    await head('BTC-USD').dragTo(chart)
    await shows('BTC-USD')
  })
  await test.step('from the chart and the quote onto another list', async () => {
    await chart.getByRole('heading', { name: 'BTC-USD' }).dragTo(page.getByRole('tab', { name: 'FX', exact: true }))
    await page.getByRole('tab', { name: 'FX', exact: true }).click()
    await expect(screen.row('BTC-USD')).toBeVisible()
    await page.getByRole('tab', { name: 'Stocks', exact: true }).click()
    await screen.quote().getByText('Bitcoin').dragTo(screen.watchlist().getByRole('grid'))
    await expect(screen.row('BTC-USD')).toBeVisible()
    await page.getByRole('tab', { name: 'Majors', exact: true }).click()
  })
  const news = await openPane(page, 'news')
  const story = news.locator('[role="option"][draggable="true"]').first()
  await test.step('from a story onto the chart, the list and the quote', async () => {
    // Which company the newest story is about is the market's.
    const about = (await story.innerText()).trim().split(' · ').at(-1) ?? ''
    await story.dragTo(chart)
    await shows(about)
    await head('BTC-USD').click()
    await shows('BTC-USD')
    await story.dragTo(screen.quote())
    await shows(about)
    await page.getByRole('tab', { name: 'FX', exact: true }).click()
    await story.dragTo(screen.watchlist().getByRole('grid'))
    await expect(screen.row(about)).toBeVisible()
    await page.getByRole('tab', { name: 'Majors', exact: true }).click()
  })
  await test.step('onto a pane of a company', async () => {
    const company = await openPane(page, 'company')
    await head('IBM').dragTo(company)
    await expect(company).toContainText('International Business Machines')
  })
  const form = screen.dialog('New alert')
  const symbol = form.getByRole('textbox', { name: 'Symbol' })
  await test.step('onto the alerts, where the form opens, and from their list onto the chart', async () => {
    const alerts = await openPane(page, 'alerts')
    await head('ETH-USD').dragTo(alerts)
    await expect(symbol).toHaveValue('ETH-USD')
    await form.getByLabel('Level').fill('9')
    await form.getByRole('button', { name: 'Create' }).click()
    await expect(form).toHaveCount(0)
    await alerts.getByRole('gridcell', { name: 'ETH-USD', exact: true }).dragTo(chart)
    await shows('ETH-USD')
  })
})

test(
  'the help finds words of its tables, and the tour leads through the window',
  { tag: BROWSER_ONLY },
  async ({ open }) => {
    const { page } = await open()
    const screen = new Screen(page)
    await screen.trades('BTC-USD')
    await page.keyboard.press('F1')
    const help = screen.dialog('Help')
    await help.getByRole('searchbox', { name: 'Search help' }).fill('stale')
    await expect(help.getByRole('region', { name: 'States, causes, and terms' })).toContainText(
      'the whole feed is silent',
    )
    await help.getByRole('searchbox').fill('balance sheet')
    await help.getByRole('button', { name: 'Open: Balance sheet' }).press('Enter')
    await expect(help).toHaveCount(0)
    await expect(page.getByRole('region', { name: 'Company', exact: true })).toBeVisible()

    await page.keyboard.press('F1')
    await help.getByRole('button', { name: 'Take the tour' }).press('Enter')
    await expect(page.getByRole('dialog', { name: 'Tour, step 1 of 6' })).toBeFocused()
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('dialog', { name: 'Tour, step 2 of 6' })).toContainText('Ctrl+K')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog', { name: /^Tour/ })).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'One-minute tour' })).toHaveCount(0)
  },
)

test('larger text keeps the window whole at 1024 × 640', { tag: BROWSER_ONLY }, async ({ open }) => {
  const { page } = await open({ size: { width: 1024, height: 640 } })
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  const sizeOf = () => page.locator('html').evaluate((root) => Number.parseFloat(getComputedStyle(root).fontSize))
  expect(await sizeOf()).toBe(16)
  for (let i = 0; i < 5; i++) await page.keyboard.press('Alt++')
  await expect.poll(sizeOf).toBe(24)
  const whole = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight])
  expect(whole).toEqual([1024, 640])
  for (const bar of [page.getByRole('banner'), page.getByRole('contentinfo')])
    expect(await bar.evaluate((node) => node.scrollWidth - node.clientWidth)).toBeLessThanOrEqual(0)
  const right = async (one: Locator) => one.evaluate((node) => node.getBoundingClientRect().right)
  await screen.tape().getByRole('button', { name: 'Pause tape' }).click()
  const paused = screen.tape().getByRole('button', { name: /^Paused/ })
  expect(await right(paused)).toBeLessThanOrEqual(1024)
  await page
    .getByRole('application', { name: /^Chart of / })
    .first()
    .focus()
  await page.keyboard.press('Alt+k')
  for (const key of ['ArrowLeft', 'Enter', 'ArrowLeft', 'Enter']) await page.keyboard.press(key)
  const style = page.getByRole('toolbar', { name: /^Style of / })
  const colors = style.getByRole('radio')
  await expect(colors.last()).toBeVisible()
  expect(await right(colors.last())).toBeLessThanOrEqual(await right(style))
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+,')
  const dialog = await screen.dialog('Settings').boundingBox()
  expect(
    dialog && dialog.x >= 0 && dialog.y >= 0 && dialog.x + dialog.width <= 1024 && dialog.y + dialog.height <= 640,
  ).toBe(true)
})
