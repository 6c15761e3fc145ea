/** The window by keyboard, by screen reader rules, and in its smallest size. */
import type { Locator, Page } from '@playwright/test'
import { line, violationsByLook } from './accessibility.ts'
import { expect, test } from './fixtures.ts'
import { openPane, type PaneKind } from './panes.ts'
import { Screen } from './screen.ts'

const SMALL = { width: 1024, height: 640 }

/** What of the page is looked at: the rest of it was, with the frame. */
const DIALOG = 'dialog[open]'
const FLOAT = '[data-open]'
const PALETTE = '[role="search"]'
const paneOf = (kind: PaneKind) => `[data-pane="${kind}"]`

/** Looks at a window by the rules of WCAG 2.2 AA and axe's good practice. */
class Audit {
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }

  /** Every rule in the dark look; in the light and the high-contrast one what a look can change. Ends in the dark one. */
  async look(what: string, part: string | null = null): Promise<void> {
    const all = await violationsByLook(this.page, part, ['dark', 'light', 'contrast'])
    const found = all.flatMap(({ look, found }) =>
      found.filter(({ rule, target }) => !isOfTheDock(rule, target)).map((one) => line(look, one)),
    )
    await this.page.evaluate(() => void (document.documentElement.dataset['theme'] = 'dark'))
    expect.soft(found, what).toEqual([])
  }
}

/** The dock keeps the order of its floats in an attribute that only other roles have. */
const isOfTheDock = (id: string, target: string): boolean =>
  /^aria-(allowed-attr|valid-attr-value)$/.test(id) && target === '.dv-resize-container'

/** Pairs of texts in a panel that are painted over each other. */
const textsOverlap = (panel: Locator): Promise<string[]> =>
  panel.evaluate((one) => {
    const spans = [...one.querySelectorAll('span, dt, dd, button')].filter((each) => each.childElementCount === 0)
    const boxes = spans.map((each) => {
      const range = document.createRange()
      range.selectNodeContents(each)
      return { text: each.textContent, box: range.getBoundingClientRect() }
    })
    return boxes.flatMap((a, i) =>
      boxes
        .slice(i + 1)
        .filter(({ box: b }) => a.box.width > 0 && b.width > 0)
        .filter(({ box: b }) => a.box.left < b.right - 1 && b.left < a.box.right - 1)
        .filter(({ box: b }) => a.box.top < b.bottom - 4 && b.top < a.box.bottom - 4)
        .map((b) => `${a.text} / ${b.text}`),
    )
  })
/** Opens what floats below a button, looks at it, and puts it away. */
async function lookBelow(audit: Audit, what: string, button: Locator, inside?: () => Promise<void>): Promise<void> {
  const float = audit.page.locator(FLOAT)
  await button.click()
  await expect(float).toBeVisible()
  await audit.look(what, FLOAT)
  await inside?.()
  await audit.page.keyboard.press('Escape')
  await expect(float).toHaveCount(0)
}

async function dark(page: Page): Promise<void> {
  const root = page.locator('html')
  if ((await root.getAttribute('data-theme')) !== 'dark') await page.keyboard.press('Alt+t')
  await expect(root).toHaveAttribute('data-theme', 'dark')
}

test('every screen and pane keeps the rules of accessibility in every look', async ({ open }) => {
  test.setTimeout(300_000)
  const { page } = await open()
  const screen = new Screen(page)
  const audit = new Audit(page)
  await screen.trades('BTC-USD')
  await expect.poll(() => screen.prints().count()).toBeGreaterThan(3)
  await dark(page)
  await audit.look('frame')

  await lookBelow(audit, 'source', screen.source())
  await lookBelow(audit, 'recorder', screen.recorder())
  await lookBelow(audit, 'zone', page.getByRole('banner').getByRole('button', { name: /^Time zone/ }))
  await lookBelow(audit, 'jobs', page.getByRole('contentinfo').getByRole('button', { name: /^Exports, imports|Jobs/ }))
  await lookBelow(audit, 'list options', screen.watchlist().getByRole('button', { name: 'List and columns' }))

  const workspaces = page.getByRole('banner').getByRole('button', { name: /^Workspace: / })
  await lookBelow(audit, 'workspaces', workspaces, async () => {
    const menu = page.locator(FLOAT)
    await menu.getByRole('button', { name: 'Add a pane…' }).click()
    await audit.look('panes to add', FLOAT)
    await menu.getByRole('button', { name: 'Back' }).click()
    await menu.getByRole('button', { name: 'Rename…' }).click()
    await audit.look('name of a workspace', FLOAT)
    // Esc gives the name up first, and the menu then.
    await page.keyboard.press('Escape')
  })
  await lookBelow(audit, 'menu of a pane', screen.tape().getByRole('button', { name: 'Pane menu' }))

  const chart = screen.chart('BTC-USD')
  // A narrow toolbar has them all under one button.
  for (const name of ['Indicators', 'Compare', 'View', 'More chart tools']) {
    const button = chart.getByRole('button', { name, exact: true })
    if (await button.isVisible()) await lookBelow(audit, `chart, ${name}`, button)
  }

  await screen.row('ETH-USD').click({ button: 'right' })
  await expect(page.getByRole('menu')).toBeVisible()
  await audit.look('menu of a row', '[role="menu"]')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)

  const found = page.getByRole('listbox', { name: 'Symbol or command' })
  for (const typed of ['b', 'eth-usd 5m', 'dark']) {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(typed)
    await expect(found.getByRole('option').first()).toBeVisible()
    await audit.look(`palette, ${typed}`, PALETTE)
    await page.keyboard.press('Escape')
    await expect(found).toHaveCount(0)
  }

  for (const kind of ['log', 'sessions', 'evidence', 'alerts', 'health'] as const) {
    await openPane(page, kind)
    await audit.look(kind, paneOf(kind))
  }
})

test('every dialog keeps the rules of accessibility in every look', async ({ open }) => {
  test.setTimeout(300_000)
  const { page } = await open()
  const screen = new Screen(page)
  const audit = new Audit(page)
  await screen.trades('BTC-USD')
  await dark(page)

  await page.keyboard.press('Control+,')
  const settings = screen.dialog('Settings')
  for (const tab of await settings.getByRole('tab').all()) {
    await tab.click()
    await expect(tab).toHaveAttribute('aria-selected', 'true')
    await audit.look(`settings, ${await tab.innerText()}`, DIALOG)
  }
  await page.keyboard.press('Escape')
  await expect(settings).toHaveCount(0)

  for (const [key, name] of [
    ['?', 'Keyboard shortcuts'],
    ['F1', 'Help'],
    ['Alt+e', 'Export'],
    ['Alt+i', 'Import'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(screen.dialog(name)).toBeVisible()
    await audit.look(name, DIALOG)
    await page.keyboard.press('Escape')
    await expect(screen.dialog(name)).toHaveCount(0)
  }

  await page.keyboard.press('F1')
  await expect(screen.dialog('Help')).toBeVisible()
  await screen.dialog('Help').getByRole('button', { name: 'Take the tour' }).click()
  const step = page.getByRole('dialog', { name: /^Tour, / })
  await expect(step).toBeVisible()
  await audit.look('tour', '[role="dialog"][aria-label^="Tour"]')
  await page.keyboard.press('Escape')
  await expect(step).toHaveCount(0)

  await page.keyboard.press('Alt+b')
  const form = screen.dialog('New alert')
  const kinds = form.getByLabel('Alert type').locator('option')
  for (const kind of await kinds.evaluateAll((all) => all.map((one) => one.getAttribute('value') ?? ''))) {
    await form.getByLabel('Alert type').selectOption(kind)
    await audit.look(`new alert, ${kind}`, DIALOG)
  }
  await form.getByLabel('Alert type').selectOption('price')
  await form.getByLabel('Level').fill('nonsense')
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(form.getByRole('alert')).toBeVisible()
  await audit.look('an alert that is refused', DIALOG)
  await form.getByLabel('Level').fill('1234567')
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(form).toHaveCount(0)
  const alerts = await openPane(page, 'alerts')
  await expect(alerts.getByRole('grid', { name: 'Alerts', exact: true })).toContainText('1,234,567')
  await audit.look('alerts, one there', paneOf('alerts'))
  await alerts.getByRole('tab', { name: 'History' }).click()
  await audit.look('history of alerts', paneOf('alerts'))

  await page.getByRole('button', { name: 'Connect your account' }).click()
  const account = screen.dialog('Connect your account')
  await expect(account).toBeVisible()
  await account.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(account.getByRole('alert')).toBeVisible()
  await audit.look('account', DIALOG)
})

test('everything of a day can be done by keyboard alone', async ({ open }) => {
  test.setTimeout(180_000)
  const { page } = await open()
  const screen = new Screen(page)
  await screen.trades('BTC-USD')

  // Letters open the symbol box: another symbol, then one for the list.
  await page.keyboard.type('eth')
  await expect(page.getByRole('option', { name: 'ETH-USD' }).first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(screen.chart('ETH-USD')).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('ltc')
  await expect(page.getByRole('option', { name: 'LTC-USD' }).first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Control+Enter')
  await expect(screen.row('LTC-USD')).toBeVisible()
  await page.keyboard.press('Escape')

  // Digits are an interval.
  await page.keyboard.type('5')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Chart of ETH-USD, 5m' })).toBeVisible()
  await page.keyboard.type('1h')
  await expect(page.getByRole('region', { name: 'Chart of ETH-USD, 1h' })).toBeVisible()

  // The tape is held by Space and let go by it.
  await expect.poll(() => screen.prints().count()).toBeGreaterThan(1)
  await page.keyboard.press('Space')
  await expect(screen.tape().getByRole('button', { name: 'Resume tape' })).toBeVisible()
  await expect(screen.tape().getByRole('button', { name: /Paused/ })).toContainText(/new/)
  await page.keyboard.press('Space')
  await expect(screen.tape().getByRole('button', { name: 'Pause tape' })).toBeVisible()

  // The watchlist is reached by Tab, walked by arrows, reordered and undone.
  const grid = screen.watchlist().getByRole('grid')
  for (let i = 0; i < 40 && !(await grid.evaluate((node) => node === document.activeElement)); i++) {
    await page.keyboard.press('Tab')
    const seen = page.locator(':focus')
    expect(await seen.evaluate((node) => getComputedStyle(node).visibility)).toBe('visible')
  }
  await expect(grid).toBeFocused()
  await page.keyboard.press('Home')
  await expect(screen.chart('BTC-USD')).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(screen.chart('ETH-USD')).toBeVisible()
  const order = () => screen.watchlist().getByRole('rowheader', { name: /-USD/ }).allInnerTexts()
  const before = await order()
  await page.keyboard.press('Alt+ArrowUp')
  await expect.poll(order).not.toEqual(before)
  await page.keyboard.press('Alt+ArrowDown')
  await expect.poll(order).toEqual(before)
  await page.keyboard.press('Delete')
  await expect(screen.row('ETH-USD')).toHaveCount(0)
  await page.keyboard.press('Alt+p')
  await expect(screen.row('ETH-USD')).toBeVisible()
  await expect(grid).toBeFocused()

  // Settings open, are walked by arrows, and give the focus back.
  await grid.focus()
  await page.keyboard.press('Control+,')
  const settings = screen.dialog('Settings')
  await expect(settings).toBeVisible()
  await settings.getByRole('tab', { name: 'Connection' }).focus()
  for (const tab of ['Team', 'Recording', 'Research', 'Alerts', 'Appearance']) {
    await page.keyboard.press('ArrowDown')
    await expect(settings.getByRole('tab', { name: tab })).toBeFocused()
  }
  await settings.getByRole('radio', { name: 'Dark', exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await page.keyboard.press('Escape')
  await expect(settings).toHaveCount(0)
  await expect(grid).toBeFocused()

  // The tabs of a group are one stop, walked by arrows and shown by Enter.
  await openPane(page, 'log')
  await openPane(page, 'sessions')
  const log = page.getByRole('tab', { name: 'Log' })
  const sessions = page.getByRole('tab', { name: 'Sessions' })
  await sessions.focus()
  await page.keyboard.press('ArrowLeft')
  await expect(log).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(log).toHaveAttribute('aria-selected', 'true')
  await expect(sessions).toHaveAttribute('aria-selected', 'false')
  await expect(page.getByRole('tabpanel', { name: 'Log' })).toBeVisible()
  await log.focus()
  await page.keyboard.press('End')
  await expect(sessions).toBeFocused()
  await expect(log).toHaveAttribute('tabindex', '-1')
})

test('colors forced by the system show what is selected, and states', async ({ open }) => {
  const { page } = await open()
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'contrast')
  await new Screen(page).trades('BTC-USD')
  const ground = (one: Locator) => one.evaluate((element) => getComputedStyle(element).backgroundColor)
  const rows = new Screen(page).watchlist().getByRole('row')
  const [selected, other] = [
    rows.and(page.locator('[aria-selected="true"]')),
    rows.and(page.locator('[aria-selected="false"]')),
  ]
  expect(await ground(selected)).not.toBe(await ground(other.first()))
  const back = new Screen(page).watchlist().getByRole('tab', { selected: false }).first()
  const line = await back.evaluate((element) => getComputedStyle(element).borderBottomColor)
  expect(line, 'of a tab that is not in front').toBe(await ground(page.locator('body')))
  const interval = page.getByRole('radio', { name: '1s', exact: true })
  expect(await ground(interval)).not.toBe(await ground(page.getByRole('radio', { name: '1m', exact: true })))
  const dot = page
    .getByRole('banner')
    .getByRole('button', { name: /^Health: / })
    .locator('i')
  expect(await ground(dot)).not.toBe(await ground(page.getByRole('banner')))
})

test('a dialog opened by a shortcut after a click shows what has the focus', async ({ open }) => {
  const { page } = await open()
  await page.getByRole('banner').getByRole('button', { name: 'Settings' }).click()
  const tab = page.getByRole('dialog', { name: 'Settings' }).getByRole('tab', { name: 'Connection' })
  const hasRing = () => tab.evaluate((element) => element.matches(':focus-visible'))
  await expect(tab).toBeFocused()
  expect(await hasRing()).toBe(false)
  await page.getByRole('dialog').getByText('Base URL').click()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.keyboard.press('Control+,')
  await expect(tab).toBeFocused()
  expect(await hasRing()).toBe(true)
})

test('nothing is cut off at 1024 × 640', async ({ open }) => {
  const { page } = await open({ size: SMALL })
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  await expect.poll(() => screen.prints().count()).toBeGreaterThan(3)
  const sessions = await openPane(page, 'sessions')
  await expect(sessions.getByRole('row').nth(1)).toBeVisible()

  const wide = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight])
  expect(wide).toEqual([SMALL.width, SMALL.height])
  for (const [what, pane] of [
    ['top bar', page.getByRole('banner')],
    ['status bar', page.getByRole('contentinfo')],
    ['watchlist', screen.watchlist()],
    ['rows', screen.watchlist().getByRole('grid')],
    ['quote', screen.quote()],
    ['tape', screen.tape()],
    ['chart', screen.chart('BTC-USD')],
    ['sessions', sessions],
  ] as const) {
    const box = await pane.evaluate((node) => {
      const outer = node.getBoundingClientRect()
      // Text that is wider than its cell, and children that stick out of their pane.
      const cut = [...node.querySelectorAll<HTMLElement>('[role="gridcell"], [role="cell"], dd, td, button')]
        .filter((one) => one.clientWidth > 0 && one.closest('.sr-only') === null)
        .filter((one) => {
          const inner = one.getBoundingClientRect()
          return one.scrollWidth > one.clientWidth + 1 || inner.right > outer.right + 1 || inner.left < outer.left - 1
        })
        .map((one) => `${one.className} "${one.innerText.slice(0, 40)}" ${one.scrollWidth}/${one.clientWidth}`)
      return { scroll: node.scrollWidth, client: node.clientWidth, cut }
    })
    expect.soft(box.scroll, `${what} scrolls sideways`).toBeLessThanOrEqual(box.client)
    expect.soft(box.cut, `cut off in ${what}`).toEqual([])
  }

  // With large text, panels grow with it.
  for (let step = 0; step < 5; step++) await page.keyboard.press('Alt++')
  const panel = page.locator(FLOAT)
  for (const button of [screen.recorder(), page.getByRole('banner').getByRole('button', { name: /^Time zone/ })]) {
    await button.click()
    await expect(panel).toBeVisible()
    expect.soft(await textsOverlap(panel), 'texts overlap').toEqual([])
    expect.soft(await panel.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0)
    await page.keyboard.press('Escape')
  }
  // In a pane that is too low, one scrolls from the title on.
  await expect((await openPane(page, 'alerts')).getByText('No alerts yet')).toBeInViewport({ ratio: 1 })
  for (let step = 0; step < 5; step++) await page.keyboard.press('Alt+-')

  // Dialogs fit, and scroll where they are longer than the window.
  await page.keyboard.press('Control+,')
  for (const tab of await screen.dialog('Settings').getByRole('tab').all()) {
    await tab.click()
    const box = await screen.dialog('Settings').boundingBox()
    expect.soft((box?.y ?? -1) >= 0 && (box?.y ?? 0) + (box?.height ?? 0) <= SMALL.height).toBe(true)
  }
})

test('nothing is said again and again while prices move', async ({ open }) => {
  test.setTimeout(120_000)
  const { page } = await open()
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  // The bar that forms is under the crosshair, and a form tells how far the price is.
  await screen.chart('BTC-USD').getByRole('application').focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Alt+b')
  await expect(screen.dialog('New alert')).toBeVisible()
  const counted = await page.evaluate(async () => {
    const live = '[aria-live="polite"], [aria-live="assertive"], [role="status"], [role="alert"]'
    const said: string[] = []
    let prices = 0
    const watch = new MutationObserver((changes) => {
      for (const { target } of changes) {
        const node = target instanceof Element ? target : target.parentElement
        const region = node?.closest(live)
        if (region && region.getAttribute('aria-live') !== 'off') said.push(region.textContent.trim())
        else prices++
      }
    })
    watch.observe(document.body, { subtree: true, childList: true, characterData: true })
    await new Promise((done) => setTimeout(done, 5_000))
    watch.disconnect()
    return { said, prices }
  })
  // What cannot fail shows nothing: prices did move.
  expect(counted.prices).toBeGreaterThan(20)
  // A feed that opens, a bar that is over: a few sentences at most, none a number that runs.
  expect(counted.said.length, counted.said.join(' | ')).toBeLessThanOrEqual(4)
})
