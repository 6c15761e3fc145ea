/** The window by keyboard, by screen reader rules, and in its smallest size. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { openPane } from './panes.ts'
import { Screen } from './screen.ts'

const SMALL = { width: 1024, height: 640 }

/** Rules of WCAG 2.2 AA and axe's good practice, on the page as it is now. */
async function audit(page: Page, what: string): Promise<void> {
  // The legacy mode needs no second page, which this host does not give.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${what}: ${id} at ${target.join(' ')}: ${failureSummary}`),
  )
  expect.soft(found).toEqual([])
}

async function setTheme(page: Page, theme: 'dark' | 'light'): Promise<void> {
  const root = page.locator('html')
  if ((await root.getAttribute('data-theme')) !== theme) await page.keyboard.press('Alt+t')
  await expect(root).toHaveAttribute('data-theme', theme)
}

for (const theme of ['dark', 'light'] as const) {
  test(`every screen and dialog keeps the rules of accessibility, ${theme}`, async ({ open }) => {
    test.setTimeout(300_000)
    const { page } = await open()
    const screen = new Screen(page)
    await screen.trades('BTC-USD')
    await expect.poll(() => screen.prints().count()).toBeGreaterThan(3)
    await setTheme(page, theme)
    await audit(page, 'frame')

    for (const [what, button] of [
      ['source', screen.source()],
      ['feeds', screen.feeds()],
      ['recorder', screen.recorder()],
      ['zone', page.getByRole('banner').getByRole('button', { name: /^Time zone/ })],
      ['list options', screen.watchlist().getByRole('button', { name: 'List and columns' })],
    ] as const) {
      await button.click()
      await expect(page.locator('[data-open]')).toBeVisible()
      await audit(page, what)
      await page.keyboard.press('Escape')
      await expect(page.locator('[data-open]')).toHaveCount(0)
    }

    await page.getByRole('search').getByRole('combobox').fill('b')
    await expect(page.getByRole('option').first()).toBeVisible()
    await audit(page, 'symbol box')
    await page.keyboard.press('Escape')

    for (const kind of ['log', 'sessions'] as const) {
      await openPane(page, kind)
      await audit(page, kind)
    }

    await page.keyboard.press('Control+,')
    const settings = screen.dialog('Settings')
    for (const tab of await settings.getByRole('tab').all()) {
      await tab.click()
      await expect(tab).toHaveAttribute('aria-selected', 'true')
      await audit(page, `settings, ${await tab.innerText()}`)
    }
    await page.keyboard.press('Escape')
    await expect(settings).toHaveCount(0)

    await page.keyboard.press('?')
    await expect(screen.dialog('Keyboard shortcuts')).toBeVisible()
    await audit(page, 'shortcuts')
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Connect your account' }).click()
    await expect(screen.dialog('Connect your account')).toBeVisible()
    await screen.dialog('Connect your account').getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(screen.dialog('Connect your account').getByRole('alert')).toBeVisible()
    await audit(page, 'account')
  })
}

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
  await expect(screen.interval('5m')).toHaveAttribute('aria-checked', 'true')
  await page.keyboard.type('1h')
  await expect(screen.interval('1h')).toHaveAttribute('aria-checked', 'true')

  // The tape is held by Space and let go by it.
  await expect.poll(() => screen.prints().count()).toBeGreaterThan(1)
  await page.keyboard.press('Space')
  await expect(screen.tape().getByRole('button', { name: 'Let the tape run' })).toBeVisible()
  await expect(screen.tape().getByRole('button', { name: /Held/ })).toContainText(/new/)
  await page.keyboard.press('Space')
  await expect(screen.tape().getByRole('button', { name: 'Hold the tape still' })).toBeVisible()

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
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.focus()
  await page.keyboard.press('Enter')
  await expect(screen.row('ETH-USD')).toBeVisible()

  // Settings open, are walked by arrows, and give the focus back.
  await grid.focus()
  await page.keyboard.press('Control+,')
  const settings = screen.dialog('Settings')
  await expect(settings).toBeVisible()
  await settings.getByRole('tab', { name: 'Connection' }).focus()
  for (const tab of ['Recording', 'Research', 'Appearance']) {
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

  // Dialogs fit, and scroll where they are longer than the window.
  await page.keyboard.press('Control+,')
  for (const tab of await screen.dialog('Settings').getByRole('tab').all()) {
    await tab.click()
    const box = await screen.dialog('Settings').boundingBox()
    expect.soft((box?.y ?? -1) >= 0 && (box?.y ?? 0) + (box?.height ?? 0) <= SMALL.height).toBe(true)
  }
})
