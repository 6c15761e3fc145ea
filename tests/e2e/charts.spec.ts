/** Charts by mouse and by the keyboard alone: indicators, styles, scales, comparing, ranges, dates, pictures. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { openPane } from './panes.ts'
import { BROWSER_ONLY } from './tags.ts'

class Chart {
  readonly page: Page
  readonly region: Locator
  readonly plot: Locator
  constructor(page: Page, region: Locator) {
    this.page = page
    this.region = region
    this.plot = region.getByRole('application')
  }
  /** Opens a box of the toolbar and answers it. */
  async box(name: string): Promise<Locator> {
    await this.region.getByRole('button', { name, exact: true }).click()
    const box = this.page.getByRole('dialog', { name, exact: true })
    await expect(box).toBeVisible()
    return box
  }
  async close(box: Locator): Promise<void> {
    await this.page.keyboard.press('Escape')
    await expect(box).toBeHidden()
  }
  /** What the legend says, as one line; it is for eyes alone, so no role leads to it. */
  async legend(): Promise<string> {
    return (await this.region.locator('.legend').allInnerTexts()).join(' ').replace(/\s+/g, ' ')
  }
  /** Waits until so many bars are there, as the table tells them. */
  async bars(least: number): Promise<void> {
    await this.region.getByRole('button', { name: 'Table' }).click()
    const rows = this.region.getByRole('region', { name: 'Visible bars' }).locator('tbody tr')
    await expect(async () => {
      // A table of the bars when it was opened.
      await this.region.getByRole('button', { name: 'Table' }).click()
      await this.region.getByRole('button', { name: 'Table' }).click()
      expect(await rows.count()).toBeGreaterThanOrEqual(least)
    }).toPass({ timeout: 30_000 })
    await this.region.getByRole('button', { name: 'Table' }).click()
  }
  /** The picture of the plot, to tell whether it changed. */
  async picture(): Promise<string> {
    return this.plot
      .locator('canvas')
      .first()
      .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())
  }
}

// Every part of a chart in one start of the app: on a busy machine that takes its time.
test.setTimeout(180_000)

test('a formula is written with completion, drawn by its worker, and saved', async ({ open }) => {
  const { page } = await open()
  const chart = new Chart(page, await openPane(page, 'chart'))
  await chart.bars(4)
  const box = await chart.box('Indicators')
  await page.keyboard.type('custom formula')
  await page.keyboard.press('Enter')
  const text = box.getByRole('textbox', { name: 'Text of the formula' })
  await text.fill('n = input("Bars", 2)\nplot("Twice", clos')
  await text.press('End')
  await text.press('e')
  await text.press('Backspace')
  await expect(box.getByRole('option', { name: /^close/ })).toBeVisible()
  await page.keyboard.press('Enter')
  await page.keyboard.type(' * n * )')
  await expect(box.getByRole('status')).toContainText('Line 2, column 27: Expected a value instead of “)”.')
  await box.getByRole('button', { name: /^Line 2/ }).click()
  expect(
    await text.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd)),
  ).toBe(')')
  await text.fill('n = input("Bars", 2)\nplot("Twice", close * n)')
  await box.getByLabel('Name', { exact: true }).fill('Double')
  await page.keyboard.press('Tab')
  await expect(box.getByRole('list', { name: 'Indicators on this chart' })).toContainText('Double 2')
  await box.getByLabel('Bars').fill('3')
  await page.keyboard.press('Tab')
  const values = async (): Promise<readonly number[]> => {
    const legend = await chart.legend()
    return [/C ([\d,.]+)/, /Double 3 ([\d,.]+)/].map((one) => Number(one.exec(legend)?.[1]?.replaceAll(',', '')))
  }
  await chart.close(box)
  // Six digits that matter.
  await expect(async () => {
    const [close, shown] = await values()
    expect(Math.abs(shown / (3 * close) - 1)).toBeLessThan(1e-3)
  }).toPass()
  // Saved with the chart.
  await page.reload()
  await expect.poll(() => chart.legend(), { timeout: 30_000 }).toContain('Double 3')
})

test('a chart takes indicators, styles and scales by mouse', { tag: BROWSER_ONLY }, async ({ open }) => {
  const { page } = await open()
  const chart = new Chart(page, await openPane(page, 'chart'))
  await chart.bars(4)

  const box = await chart.box('Indicators')
  const find = box.getByRole('searchbox', { name: 'Find an indicator' })
  for (const [typed, title] of [
    ['simple', 'SMA 20'],
    ['sma', 'SMA 20'],
    ['williams', '%R 14'],
    ['profile', 'VP'],
  ]) {
    await find.fill(typed)
    await find.press('Enter')
    await expect(box.getByRole('list', { name: 'Indicators on this chart' })).toContainText(title)
  }
  await box.getByRole('button', { name: 'Settings for SMA 20' }).first().click()
  await box.getByRole('spinbutton', { name: 'Length' }).fill('3')
  await box.getByRole('spinbutton', { name: 'Length' }).press('Tab')
  await expect(box.getByRole('list', { name: 'Indicators on this chart' })).toContainText('SMA 3')
  // What makes no sense is not taken.
  await box.getByRole('spinbutton', { name: 'Length' }).fill('0')
  await box.getByRole('spinbutton', { name: 'Length' }).press('Tab')
  await expect(box.getByRole('spinbutton', { name: 'Length' })).toHaveValue('3')
  await box.getByRole('textbox', { name: 'Set name' }).fill('Mine')
  await box.getByRole('button', { name: 'Save' }).click()
  await box.getByRole('button', { name: 'Remove VP' }).click()
  await expect(box.getByRole('list', { name: 'Indicators on this chart' })).not.toContainText('VP')
  await box.getByRole('button', { name: /^Mine/ }).click()
  await expect(box.getByRole('list', { name: 'Indicators on this chart' })).toContainText('VP')
  await chart.close(box)
  await expect.poll(() => chart.legend()).toMatch(/SMA 3 [\d,.]+.*SMA 20.*%R 14/)

  const view = await chart.box('View')
  const before = await chart.picture()
  for (const scale of ['Logarithmic', 'Percent', 'Linear']) {
    await view.getByRole('radio', { name: scale }).check()
    await expect(view.getByRole('radio', { name: scale })).toBeChecked()
  }
  await view.getByRole('checkbox', { name: 'Invert scale' }).check()
  await view.getByRole('checkbox', { name: 'Bid and ask lines' }).check()
  await expect(chart.region.locator('.chips .bid')).toHaveText(/^B [\d,.]+$/)
  await view.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Tokyo')
  await chart.close(view)
  await expect.poll(() => chart.picture()).not.toBe(before)

  for (const style of ['hollow', 'bars', 'line', 'area', 'heikin-ashi'])
    await chart.region.getByRole('combobox', { name: 'Style' }).selectOption(style)
  await expect.poll(() => chart.legend()).toContain('Heikin-Ashi, derived')

  const compare = await chart.box('Compare')
  await compare.getByRole('searchbox', { name: 'Symbol to compare' }).fill('ETH')
  await compare.getByRole('list', { name: 'Matching symbols' }).getByRole('button', { name: /^ETH/ }).first().click()
  await expect(compare.getByRole('list', { name: 'Compared symbols' })).toContainText('ETH')
  await chart.close(compare)
  await expect.poll(() => chart.legend(), { timeout: 15_000 }).toMatch(/ETH-USD [+−]?\d+\.\d\d %/)

  // A stretch of bars, by Shift and the mouse.
  const area = await chart.plot.boundingBox()
  if (!area) throw new Error('the chart is not there')
  const y = area.y + area.height * 0.4
  await page.keyboard.down('Shift')
  await page.mouse.move(area.x + area.width * 0.75, y)
  await page.mouse.down()
  await page.mouse.move(area.x + area.width * 0.8, y, { steps: 4 })
  await page.mouse.move(area.x + area.width * 0.92, y, { steps: 4 })
  await page.mouse.up()
  await page.keyboard.up('Shift')
  await expect(chart.region.getByRole('group', { name: 'Marked range' })).toContainText(/bars?, \d+ (s|min).*volume/)
  await page.mouse.click(area.x + area.width * 0.5, area.y + area.height * 0.3)
  await expect(chart.region.getByRole('group', { name: 'Marked range' })).toBeHidden()

  await page.mouse.click(area.x + area.width * 0.5, area.y + area.height * 0.3, { button: 'right' })
  const menu = page.getByRole('menu', { name: 'At this point on the chart' })
  const download = page.waitForEvent('download')
  await menu.getByRole('menuitem', { name: /Save picture/ }).click()
  expect((await download).suggestedFilename()).toMatch(/^BTC-USD-1s\.png$/)

  // All of it is there again.
  await page.reload()
  await expect.poll(() => chart.legend(), { timeout: 20_000 }).toMatch(/Heikin-Ashi, derived.*ETH-USD.*SMA 3.*%R 14/)
})

test('a chart is worked by the keyboard alone', { tag: BROWSER_ONLY }, async ({ open }) => {
  const { page } = await open()
  const chart = new Chart(page, await openPane(page, 'chart'))
  await chart.bars(4)
  await chart.plot.focus()

  await page.keyboard.press('/')
  const box = page.getByRole('dialog', { name: 'Indicators', exact: true })
  await expect(box.getByRole('searchbox', { name: 'Find an indicator' })).toBeFocused()
  await page.keyboard.type('ema')
  await page.keyboard.press('Enter')
  await expect(box.getByRole('list', { name: 'Indicators on this chart' })).toContainText('EMA 20')
  await chart.close(box)

  await chart.plot.focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Control+Shift+ArrowLeft')
  await page.keyboard.press('Control+Shift+ArrowLeft')
  const range = chart.region.getByRole('group', { name: 'Marked range' })
  await expect(range).toContainText(/^[+−]?[\d,.]+ .*3 bars/)
  await page.keyboard.press('Escape')
  await expect(range).toBeHidden()

  // The axes grow with the text size, at once.
  const axes = () => chart.plot.locator('canvas').evaluateAll((all) => [Math.min(...all.map((one) => one.clientWidth))])
  const usual = await axes()
  for (let step = 0; step < 5; step++) await page.keyboard.press('Alt++')
  await expect.poll(async () => (await axes())[0]).toBeGreaterThan(usual[0] * 1.2)
  for (let step = 0; step < 5; step++) {
    const wide = await axes()
    await page.keyboard.press('Alt+-')
    // Each step is laid out for itself, as by a slow hand.
    await expect.poll(async () => (await axes())[0]).toBeLessThan(wide[0])
  }
  // A price may have become wider meanwhile.
  await expect.poll(async () => (await axes())[0]).toBeLessThan(usual[0] * 1.1)

  const before = await chart.picture()
  await page.keyboard.press('Home')
  await expect.poll(() => chart.picture()).not.toBe(before)
  await page.keyboard.press('End')

  await page.keyboard.press('Control+g')
  const date = page.getByRole('dialog', { name: 'Go to date', exact: true })
  await expect(date.getByRole('textbox')).toBeFocused()
  await page.keyboard.type('nonsense')
  await page.keyboard.press('Enter')
  await expect(date.getByRole('alert')).toBeVisible()
  await date.getByRole('textbox').fill('-1m')
  await page.keyboard.press('Enter')
  await expect(date).toBeHidden()

  // Bars of a tenth of a second: each at its own millisecond, and none of the service's.
  await chart.plot.focus()
  await page.keyboard.type('100ms')
  await expect.poll(() => chart.legend()).toContain('Trades · 100ms')
  await expect(chart.region.getByRole('option', { name: 'Service bars (1s and longer)' })).toBeDisabled()
  await chart.bars(4)
  await chart.region.getByRole('button', { name: 'Table' }).click()
  const times = chart.region.getByRole('region', { name: 'Visible bars' }).locator('tbody td:first-child')
  for (const time of await times.allInnerTexts()) expect(time).toMatch(/ \d\d:\d\d:\d\d\.\d00$/)
})

test('a narrow chart has all of its tools, and a drawing takes an alert', { tag: BROWSER_ONLY }, async ({ open }) => {
  const { page } = await open({ size: { width: 1024, height: 640 } })
  page.setDefaultTimeout(15_000)
  await expect(page.getByRole('region', { name: /^Chart of / })).toBeVisible()
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Workspace: / })
    .click()
  await page
    .getByRole('dialog', { name: /^Workspace: / })
    .getByRole('button', { name: 'Day trading', exact: true })
    .click()
  const charts = page.getByRole('region', { name: /^Chart of / })
  await expect(charts).toHaveCount(3)
  const chart = new Chart(page, charts.nth(1))

  await test.step('nothing of the toolbar is cut off', async () => {
    const bars = await page
      .locator('.chart > .bar')
      .evaluateAll((all) => all.map((bar) => ({ cut: bar.scrollWidth > bar.clientWidth, wide: bar.clientWidth })))
    expect(bars.filter(({ wide }) => wide < 340)).not.toEqual([])
    expect(bars.filter(({ cut }) => cut)).toEqual([])
  })
  await test.step('what has no room there is in a menu', async () => {
    const more = await chart.box('More chart tools')
    await more.getByRole('combobox', { name: 'Style' }).selectOption('line')
    await more.getByRole('combobox', { name: 'Built from' }).selectOption('bid')
    for (const [item, name] of [
      ['Compare…', 'Compare'],
      ['Go to date…', 'Go to date'],
      ['Scale, lines, time zone…', 'View'],
    ]) {
      if (!(await more.isVisible())) await chart.box('More chart tools')
      await more.getByRole('button', { name: item }).click()
      const box = page.getByRole('dialog', { name, exact: true })
      await expect(box).toBeInViewport({ ratio: 1 })
      await chart.close(box)
    }
    const again = await chart.box('More chart tools')
    await expect(again.getByRole('combobox', { name: 'Style' })).toHaveValue('line')
    await expect(again.getByRole('combobox', { name: 'Built from' })).toHaveValue('bid')
    await chart.close(again)
  })
  await test.step('the crosshair of one chart stands on the others of its colour', async () => {
    const [minutes, seconds] = [new Chart(page, charts.nth(0)), chart]
    await seconds.plot.focus()
    // A minute may have begun without a bar of its own yet.
    await expect(async () => {
      await page.keyboard.press('ArrowLeft')
      await expect.poll(() => seconds.legend()).toMatch(/\d\d:\d\d:\d\d/)
      const [, time = 'none'] = /(\d\d:\d\d):\d\d/.exec(await seconds.legend()) ?? []
      await expect.poll(() => minutes.legend(), { timeout: 2_000 }).toMatch(new RegExp(`^O [\\d,.]+ .* ${time} `))
    }).toPass()
    await page.keyboard.press('Escape')
    await expect.poll(() => minutes.legend()).not.toContain('O ')

    // By mouse: leftwards from the right edge until a bar is met.
    const area = await seconds.plot.boundingBox()
    if (!area) throw new Error('the chart is not there')
    let x = area.x + area.width * 0.7
    await expect(async () => {
      x -= 7
      await page.mouse.move(x, area.y + area.height * 0.4)
      expect(await seconds.legend()).toMatch(/\d\d:\d\d:\d\d/)
    }).toPass({ intervals: [50], timeout: 15_000 })
    await expect.poll(() => minutes.legend()).toMatch(/^O [\d,.]+ .* \d\d:\d\d /)
    await page.mouse.move(area.x + 20, area.y - 60)
    await expect.poll(() => minutes.legend()).not.toContain('O ')
  })
  await test.step('an alert on a drawing', async () => {
    const first = new Chart(page, charts.first())
    await expect.poll(() => first.legend()).toMatch(/C [\d,.]+/)
    const tools = await first.box('Drawings')
    await tools.getByRole('button', { name: 'Horizontal line', exact: true }).click()
    const area = await first.plot.boundingBox()
    if (!area) throw new Error('the chart is not there')
    await page.mouse.click(area.x + area.width * 0.3, area.y + area.height * 0.3)
    // By key: the live price axis may move the line away from the pointer.
    await page.keyboard.press('Shift+F10')
    await page
      .getByRole('menu', { name: 'Horizontal line' })
      .getByRole('menuitem', { name: 'Alert on this drawing…' })
      .click()
    const dialog = page.getByRole('dialog', { name: 'New alert' })
    await expect(dialog.getByRole('combobox', { name: 'Drawing' })).toHaveValue(/./)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await expect(dialog).toBeHidden()
  })
  await test.step('a symbol is dropped on a chart, on the list of alerts, and dragged from what was found', async () => {
    const row = page.getByRole('region', { name: 'Watchlist', exact: true }).getByRole('row', { name: /ETH-USD/ })
    await row.dragTo(charts.nth(1))
    await expect(page.getByRole('region', { name: /^Chart of ETH-USD/ })).toHaveCount(3)
    const find = page.getByRole('combobox', { name: 'Symbol or command' })
    await find.fill('SOL-USD')
    const found = page.getByRole('option', { name: /^SOL-USD Solana/ })
    await found.hover()
    await page.mouse.down()
    const area = await charts.nth(1).boundingBox()
    if (!area) throw new Error('the chart is not there')
    await page.mouse.move(area.x + 60, area.y + 100, { steps: 4 })
    await page.mouse.move(area.x + 80, area.y + 120, { steps: 4 })
    await page.mouse.up()
    await expect(page.getByRole('region', { name: /^Chart of SOL-USD/ })).toHaveCount(3)
    await expect(found).toBeHidden()
    const alerts = await openPane(page, 'alerts')
    await row.dragTo(alerts)
    const dialog = page.getByRole('dialog', { name: 'New alert' })
    await expect(dialog.getByRole('textbox', { name: 'Symbol' })).toHaveValue(/ETH/)
    await page.keyboard.press('Escape')
  })
  await test.step('a tab and a session have menus', async () => {
    const tab = page.getByRole('tab', { name: /15m$/ })
    await tab.click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await expect(page.getByRole('tab', { name: /15m$/ })).toHaveCount(2)
    await page.getByRole('tab', { name: /15m$/ }).last().click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Close other tabs' }).click()
    await expect(page.getByRole('tab', { name: /15m$/ })).toHaveCount(1)

    const sessions = await openPane(page, 'sessions')
    await sessions.getByRole('row').nth(1).click({ button: 'right' })
    await page.getByRole('menuitem', { name: /^Rename/ }).click()
    await sessions.getByRole('textbox', { name: 'Session name' }).fill('Morning')
    await page.keyboard.press('Enter')
    await expect(sessions.getByRole('row', { name: /Morning/ })).toBeVisible()
    await page.getByRole('tab', { name: /15m$/ }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Float' }).click()
    await expect(page.locator('.dv-resize-container')).toHaveCount(1)
  })
})

test('a chart in a window of its own wears what the others wear, and comes back to its place', async ({
  open,
  home,
}) => {
  const { page, electron } = await open()
  page.setDefaultTimeout(15_000)
  const chart = await openPane(page, 'chart')
  await expect(chart).toBeVisible()
  /** Pops the chart out by the menu of its tab; answers the new page, and what it was opened with. */
  const popOut = async (): Promise<{ other: Page; features: string }> => {
    const opened = electron ? electron.waitForEvent('window') : page.context().waitForEvent('page')
    const features = page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const open = window.open.bind(window)
          window.open = (url, target, asked) => {
            window.open = open
            resolve(asked ?? '')
            return open(url, target, asked)
          }
        }),
    )
    await page.getByRole('tab', { name: /^BTC-USD/ }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Move to new window' }).click()
    const other = await opened
    await expect(other.getByRole('region', { name: /^Chart of BTC-USD/ })).toBeVisible({ timeout: 30_000 })
    return { other, features: await features }
  }

  const first = await popOut()
  expect(first.features).toBe('popup,width=760,height=560')
  const [mine, its] = [page.locator('html'), first.other.locator('html')]
  const before = await its.getAttribute('data-theme')
  await page.keyboard.press('Alt+t')
  await expect(mine).not.toHaveAttribute('data-theme', before ?? '')
  await expect(its).toHaveAttribute('data-theme', (await mine.getAttribute('data-theme')) ?? '')
  await page.keyboard.press('Control+,')
  const settings = page.getByRole('dialog', { name: 'Settings' })
  await settings.getByRole('tab', { name: 'Appearance' }).click()
  await settings.getByRole('radio', { name: 'Comfortable' }).check()
  await expect(its).toHaveAttribute('data-density', 'comfortable')
  await page.keyboard.press('Escape')

  if (electron) {
    // Its place is the window's: narrower than the main one may be, and somewhere else.
    const placed = { x: 420, y: 130, width: 380, height: 520 }
    await electron.evaluate(({ BrowserWindow }, bounds) => {
      const newest = BrowserWindow.getAllWindows().reduce((a, b) => (a.id > b.id ? a : b))
      newest.setBounds(bounds)
      newest.close()
    }, placed)
    await expect(page.getByRole('region', { name: /^Chart of BTC-USD/ })).toBeVisible({ timeout: 20_000 })
    expect(Object.values(JSON.parse(readFileSync(join(home, 'windows.json'), 'utf8')) as object)).toEqual([
      { ...placed, maximized: false },
    ])
    await popOut()
    const bounds = await electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()
        .reduce((a, b) => (a.id > b.id ? a : b))
        .getBounds(),
    )
    expect(bounds).toEqual(placed)
    return
  }
  await first.other.setViewportSize({ width: 700, height: 430 })
  await expect.poll(() => page.evaluate(() => Object.values(localStorage).join())).toMatch(/"width":700,"height":430/)
  await first.other.close()
  await expect(page.getByRole('region', { name: /^Chart of BTC-USD/ })).toBeVisible({ timeout: 20_000 })
  const second = await popOut()
  expect(second.features).toMatch(/^popup,left=-?\d+,top=-?\d+,width=700,height=430$/)
})
