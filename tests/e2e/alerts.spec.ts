/** Alerts as a user has them: made by mouse or keys, they fire on the market, go blind with it, and can be tried on a recording. */
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { openPane } from './panes.ts'
import { Screen } from './screen.ts'
import { BROWSER_ONLY } from './tags.ts'

class AlertScreen extends Screen {
  pane(): Promise<Locator> {
    return openPane(this.page, 'alerts')
  }
  form(): Locator {
    return this.page.getByRole('dialog', { name: /^(New|Edit) alert$/ })
  }
  alert(text: string | RegExp): Locator {
    return this.page.getByRole('grid', { name: 'Alerts', exact: true }).getByRole('row').filter({ hasText: text })
  }
  /** Fills the form and creates the alert. */
  async make(fill: (form: Locator) => Promise<void>): Promise<void> {
    await this.page.keyboard.press('Alt+b')
    await expect(this.form()).toBeVisible()
    await fill(this.form())
    await this.form().getByRole('button', { name: 'Create' }).click()
    await expect(this.form()).toBeHidden()
  }
  /** A choice of the menu that puts an alert off. */
  snooze(how: string): Locator {
    return this.page.getByRole('menuitem', { name: `Snooze for ${how}` })
  }
  toast(text: string | RegExp): Locator {
    return this.page.getByTestId('toast').filter({ hasText: text })
  }
}

/** The state of an alert that was put off. */
const UNTIL = /Snoozed\s*until \d\d:\d\d/
/** So small a move that the demo market makes it every few seconds. */
async function smallMove(form: Locator): Promise<void> {
  await form.getByLabel('Alert type').selectOption('move')
  await form.getByLabel('Percent').fill('0.0001')
  await form.getByLabel('Within').fill('30s')
}

async function ready(page: Page): Promise<AlertScreen> {
  const screen = new AlertScreen(page)
  await expect(screen.last('BTC-USD')).toHaveText(/\d/, { timeout: 30_000 })
  return screen
}

test('fires on the market, tells it, marks the symbol, and lists what happened', async ({ open }) => {
  const { page } = await open({ args: ['--demo'] })
  const screen = await ready(page)
  const pane = await screen.pane()
  await expect(pane).toContainText('No alerts yet')
  const size = page.viewportSize() ?? { width: 1440, height: 900 }
  await page.setViewportSize({ width: 1024, height: 640 })
  await screen.make(async (form) => {
    // The tallest form: its buttons stay in view, and the last price isn't taken for the indicator's value.
    await form.getByLabel('Alert type').selectOption('indicator')
    await expect(form.getByRole('button', { name: 'Create' })).toBeInViewport({ ratio: 1 })
    await expect(form).toContainText(/RSI 14 crosses 70, 1m\.\s*Last price: \d/)
    await expect(form.getByText('RSI 14 crosses 70, 1m')).toBeInViewport({ ratio: 1 })
    await smallMove(form)
    await form.getByLabel('Note').fill('wakes me')
    await expect(form).toContainText('BTC-USD: Last moves 0.0001 % within 30 s')
  })
  await page.setViewportSize(size)
  await expect(screen.toast(/BTC-USD: Last moves/)).toBeVisible({ timeout: 30_000 })
  await expect(screen.alert('wakes me')).toContainText('Fired')
  await expect(page).toHaveTitle(/^\u{1F514} /u)
  await pane.getByRole('tab', { name: 'History' }).click()
  const line = pane.getByRole('table', { name: 'History' }).getByRole('row').first()
  await expect(line).toContainText(/Fired.*BTC-USD: Last moves.*wakes me/)

  // Once is once; turned on again it fires again.
  await pane.getByRole('tab', { name: 'List' }).click()
  await screen.alert('wakes me').getByRole('checkbox').click()
  await expect(pane.getByRole('grid')).toContainText('2×', { timeout: 30_000 })

  // Put off where it is told that it fired, it says until when; woken in the list, it fires again.
  await screen
    .toast(/BTC-USD: Last moves/)
    .getByRole('button', { name: 'Snooze' })
    .click()
  await screen.snooze('5 minutes').click()
  await expect(screen.alert('wakes me')).toContainText(UNTIL)
  await expect(screen.toast(/Snoozed until \d\d:\d\d\./)).toBeVisible()
  await screen.alert('wakes me').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'End snooze' }).click()
  await expect(pane.getByRole('grid')).toContainText('3×', { timeout: 30_000 })
  // So it is from above the list, for one that has just fired.
  await pane.getByRole('button', { name: 'Snooze', exact: true }).click()
  await screen.snooze('an hour').click()
  await expect(screen.alert('wakes me')).toContainText(UNTIL)
  await pane.getByRole('tab', { name: 'History' }).click()
  await expect(line).toContainText('snoozed for 1 h')
})

test(
  'is made, changed, turned off, put off, deleted and brought back by keys alone',
  { tag: BROWSER_ONLY },
  async ({ open }) => {
    const { page } = await open({ args: ['--demo'] })
    const screen = await ready(page)
    const pane = await screen.pane()
    await page.keyboard.press('Alt+b')
    const form = screen.form()
    await expect(form.getByLabel('Symbol')).toBeFocused()
    // Symbol, kind, price, direction, level.
    for (let i = 0; i < 4; i++) await page.keyboard.press('Tab')
    await expect(form.getByLabel('Level')).toBeFocused()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('nonsense')
    await page.keyboard.press('Enter')
    await expect(form.getByRole('alert')).toHaveText('Enter a number above zero.')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('1,234,567')
    await page.keyboard.press('Enter')
    await expect(form).toBeHidden()
    await expect(screen.alert('1,234,567.00')).toContainText(/Armed|Waiting/)

    const grid = pane.getByRole('grid')
    await grid.focus()
    await page.keyboard.press('Enter')
    await expect(form).toHaveAccessibleName('Edit alert')
    await page.keyboard.press('Escape')
    await expect(form).toBeHidden()
    await grid.focus()
    await page.keyboard.press('Space')
    await expect(screen.alert('1,234,567.00')).toContainText('Off')
    await page.keyboard.press('Delete')
    await expect(pane).toContainText('No alerts yet')
    // The list is told before the notification that offers to undo.
    await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
    await page.keyboard.press('Alt+p')
    await expect(screen.alert('1,234,567.00')).toContainText('Off')

    await test.step('where it is told that it fired, and in the list', async () => {
      await page.keyboard.press('Alt+b')
      await page.keyboard.press('Tab')
      await expect(form.getByLabel('Alert type')).toBeFocused()
      await page.keyboard.press('ArrowDown')
      for (let i = 0; i < 3; i++) await page.keyboard.press('Tab')
      await expect(form.getByLabel('Percent')).toBeFocused()
      await page.keyboard.press('Control+a')
      await page.keyboard.type('0.0001')
      await page.keyboard.press('Enter')
      await expect(form).toBeHidden()
      const moving = screen.alert('0.0001 %')
      await expect(moving).toContainText('Fired', { timeout: 30_000 })
      await grid.focus()
      await page.keyboard.press('F8')
      const toast = screen.toast(/BTC-USD: Last moves/)
      await expect(toast.getByRole('button', { name: 'Show' })).toBeFocused()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await expect(screen.snooze('5 minutes')).toBeFocused()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await expect(moving).toContainText(UNTIL)
      await expect(toast).toHaveCount(0)
      // The focus went back to where it was.
      await expect(grid).toBeFocused()
      await page.keyboard.press('Home')
      await page.keyboard.press('Shift+F10')
      await page.keyboard.type('end')
      await expect(page.getByRole('menuitem', { name: 'End snooze' })).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(grid).toContainText('2×', { timeout: 30_000 })
      await page.keyboard.press('Shift+F10')
      await page.keyboard.type('snooze for an')
      await page.keyboard.press('Enter')
      await expect(moving).toContainText(UNTIL)
    })
  },
)

test(
  'watches a formula of a chart, made with keys, and says where it is wrong',
  { tag: BROWSER_ONLY },
  async ({ open }) => {
    const { page } = await open({ args: ['--demo'] })
    const screen = await ready(page)
    await page.setViewportSize({ width: 1024, height: 640 })
    const chart = screen.chart('BTC-USD').first()
    await chart.getByRole('button', { name: 'Indicators', exact: true }).click()
    await page.keyboard.type('custom formula')
    await page.keyboard.press('Enter')
    const box = page.getByRole('dialog', { name: 'Indicators', exact: true })
    await box.getByLabel('Name', { exact: true }).fill('Step')
    await box.getByRole('textbox', { name: 'Text of the formula' }).fill('close - close[1]')
    const bell = box.getByRole('button', { name: 'Alert on Step…' })
    await bell.focus()
    await page.keyboard.press('Enter')

    const form = screen.form()
    const text = form.getByRole('textbox', { name: 'Text of the formula' })
    await expect(text).toHaveValue('close - close[1]')
    const sentence = form.getByText('BTC-USD: Step crosses 0, 1s')
    await expect(sentence).toBeInViewport({ ratio: 1 })
    await text.fill('close - clos')
    await expect(form.getByRole('status')).toContainText('Line 1, column 9: Unknown name “clos”.')
    await form.getByRole('button', { name: 'Create' }).click()
    await expect(form).toBeVisible()
    await text.fill('delta')
    await expect(form.getByRole('alert')).toContainText('Alerts can’t watch volume delta.')
    await text.fill('n = input("Bars ago", 1)\nclose - close[n]')
    await form.getByLabel('Line: Bars ago').fill('2')
    await expect(form.getByText('BTC-USD: Step 2 crosses 0, 1s')).toBeInViewport({ ratio: 1 })
    await form.getByLabel('Level').focus()
    await page.keyboard.press('Enter')
    await expect(form).toBeHidden()
    await page.setViewportSize({ width: 1440, height: 900 })
    await screen.pane()
    await expect(screen.alert('Step 2 crosses 0')).toContainText('Fired', { timeout: 30_000 })

    // Once it is edited, it has its formula again.
    await screen.alert('Step 2 crosses 0').dblclick()
    await expect(text).toHaveValue('n = input("Bars ago", 1)\nclose - close[n]')
  },
)

test('is blind while the feed is lost, says so, and survives a restart, put off as it was', async ({
  open,
  simulator,
}) => {
  const args = ['--base-url', simulator.baseUrl, '--user', simulator.username]
  const env = { TAPEDECK_PASSWORD: simulator.password, TAPEDECK_API_KEY: simulator.apiKey }
  const first = await open({ args, env })
  const screen = await ready(first.page)
  const pane = await screen.pane()
  await screen.make((form) => form.getByLabel('Level').fill('9999999'))
  await expect(screen.alert('9,999,999')).toContainText('Armed', { timeout: 30_000 })
  await simulator.fault('restart', { ms: 4_000 })
  await expect(screen.alert('9,999,999')).toContainText('Suspended', { timeout: 15_000 })
  await expect(screen.alert('9,999,999')).toContainText('Armed', { timeout: 60_000 })
  await pane.getByRole('tab', { name: 'History' }).click()
  await expect(pane.getByRole('table', { name: 'History' })).toContainText(
    /Suspended\s*crypto\/XT: connection lost, \d+ .* \(BTC-USD\)/,
  )
  await pane.getByRole('tab', { name: 'List' }).click()
  await pane.getByRole('button', { name: 'Snooze', exact: true }).click()
  await screen.snooze('an hour').click()
  await expect(screen.alert('9,999,999')).toContainText(UNTIL)
  await first.close()

  const again = await open({ args, env })
  const later = await ready(again.page)
  const list = await later.pane()
  await expect(later.alert('9,999,999')).toContainText(UNTIL)
  await list.getByRole('grid').focus()
  await again.page.keyboard.press('Shift+F10')
  await again.page.keyboard.type('end')
  await again.page.keyboard.press('Enter')
  await expect(later.alert('9,999,999')).toContainText('Armed', { timeout: 60_000 })
  await (await later.pane()).getByRole('tab', { name: 'History' }).click()
  await expect((await later.pane()).getByRole('table', { name: 'History' })).toContainText('recording stopped')
})

test('tells when it would have fired in a recording, and goes there', { tag: BROWSER_ONLY }, async ({ open }) => {
  const { page } = await open({ args: ['--demo'] })
  const screen = await ready(page)
  const pane = await screen.pane()
  await screen.make(smallMove)
  await expect(screen.alert('0.0001 %')).toContainText('Fired', { timeout: 30_000 })
  await screen.alert('0.0001 %').click()
  await pane.getByRole('button', { name: 'Test on a session…' }).click()
  const dialog = screen.dialog('Test on a session')
  await expect(dialog.getByLabel('Session')).toContainText('Demo market')
  await dialog.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(dialog).toContainText(/It would have fired once\.\s+Tested [\d,]+ messages/, { timeout: 30_000 })
  await dialog.getByRole('button', { name: /^Replay this moment/ }).click()
  await expect(dialog).toBeHidden()
  await expect(screen.source(/replay/i)).toBeVisible({ timeout: 15_000 })
  // Along the replay it only says what it would do.
  await expect(await screen.pane()).toContainText('Dry run during the replay')
})
