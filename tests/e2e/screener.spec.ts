/** The screener: what was recorded, by its figures, live and in a replay. */
import { readFile } from 'node:fs/promises'
import { line, violations } from './accessibility.ts'
import { expect, test } from './fixtures.ts'
import { openPane } from './panes.ts'
import { Screen } from './screen.ts'

const SMALL = { width: 1024, height: 640 }

test('symbols are screened by their figures, saved, exported, and told when they enter', async ({ open }) => {
  test.setTimeout(240_000)
  const { page } = await open()
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  await openPane(page, 'screener')
  // Its title names the saved screen that it shows.
  const screener = page.getByRole('region', { name: /^Screener/ }).and(page.locator('[data-pane]'))
  const rows = screener.getByRole('row').filter({ has: page.getByRole('rowheader') })
  const byPrice = screener.getByRole('columnheader', { name: 'Price' }).getByRole('button')
  const row = (symbol: string) => rows.filter({ has: page.getByRole('rowheader', { name: symbol, exact: true }) })

  await test.step('everything recorded is listed, with how much was received', async () => {
    // By change, which symbols are in view depends on the market. By price, bitcoin is always the first.
    await byPrice.click()
    await expect(rows.first().getByRole('rowheader')).toHaveText('BTC-USD', { timeout: 30_000 })
    await expect(rows.first().getByRole('gridcell').first()).toHaveText(/trend/)
    await expect(rows.first().getByRole('gridcell').nth(1)).toHaveText(/\d/)
    await expect(screener).toContainText(/\d+ of \d+ symbols/)
    await expect(screener).toContainText(/trading time received/)
    for (const size of [SMALL, { width: 1440, height: 900 }]) {
      await page.setViewportSize(size)
      expect((await violations(page)).map((one) => line(`screener at ${size.width}`, one))).toEqual([])
    }
  })

  await test.step('filters and the choice of a market leave what passes', async () => {
    await screener.getByRole('combobox', { name: 'Symbols' }).selectOption('crypto')
    await expect(row('AAPL')).toHaveCount(0)
    await screener.getByRole('button', { name: 'Filters' }).click()
    const filters = page.getByRole('dialog', { name: 'Filters' })
    await filters.getByRole('button', { name: 'Add filter' }).click()
    await filters.getByRole('combobox', { name: 'Figure' }).selectOption({ label: 'Price' })
    await filters.getByRole('textbox', { name: 'Price from' }).fill('1,000')
    await filters.getByRole('textbox', { name: 'Price from' }).press('Enter')
    await page.keyboard.press('Escape')
    await expect(row('DOGE-USD')).toHaveCount(0)
    await expect(row('BTC-USD')).toBeVisible()
    await expect(row('ETH-USD')).toBeVisible()
  })

  await test.step('keys sort, move and choose', async () => {
    await byPrice.click()
    await expect(rows.first().getByRole('rowheader')).toHaveText('ETH-USD')
    await byPrice.click()
    await expect(rows.first().getByRole('rowheader')).toHaveText('BTC-USD')
    await screener.getByRole('grid').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(screen.chart('ETH-USD')).toBeVisible()
  })

  await test.step('a screen is saved, and tells who enters', async () => {
    await screener.getByRole('button', { name: 'Saved screens' }).click()
    const saved = page.getByRole('dialog', { name: 'Saved screens' })
    await expect(saved.getByRole('textbox', { name: 'Name of the screen' })).toBeFocused()
    // A long name leaves room for its buttons.
    await page.keyboard.type('Large coins that moved more than a percent in the last hour')
    await page.keyboard.press('Enter')
    await screener.getByRole('button', { name: 'Saved screens' }).click()
    expect(await saved.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    await saved.getByRole('button', { name: /^Remove screen/ }).click()
    await page.keyboard.press('Escape')
    await screener.getByRole('button', { name: 'Saved screens' }).click()
    await expect(saved.getByRole('textbox', { name: 'Name of the screen' })).toBeFocused()
    await page.keyboard.type('Large coins')
    await page.keyboard.press('Enter')
    await expect(saved).toBeHidden()
    await expect(screener.getByRole('button', { name: 'Saved screens' })).toContainText('Large coins')
    await screener.getByRole('button', { name: 'Saved screens' }).click()
    await saved.getByRole('checkbox', { name: 'Notify on changes' }).check()
    await page.keyboard.press('Escape')
  })

  await test.step('the file has every figure of every row', async () => {
    const download = page.waitForEvent('download')
    await screener.getByRole('button', { name: 'Export as CSV' }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe('Large coins.csv')
    const text = await readFile(await file.path(), 'utf8')
    const [head, ...lines] = text.trim().split(/\r?\n/)
    expect(head).toMatch(/^symbol,asset,as_of,span,price,change,change_percent,/)
    expect(lines.map((one) => one.split(',')[0])).toEqual(['BTC-USD', 'ETH-USD'])
  })

  await test.step('in a replay nothing is known at its start', async () => {
    await page.keyboard.press('Alt+r')
    await expect(page.getByRole('region', { name: 'Replay' })).toBeVisible()
    await page.locator('body').click({ position: { x: 5, y: 5 } })
    await page.keyboard.press('Home')
    await expect(screener).toContainText('Nothing was received up to this time of the replay', {
      timeout: 30_000,
    })
    await page.keyboard.press('End')
    await expect(row('BTC-USD')).toBeVisible({ timeout: 30_000 })
    await page.keyboard.press('Alt+End')
    await expect(row('BTC-USD')).toBeVisible({ timeout: 30_000 })
  })
})
