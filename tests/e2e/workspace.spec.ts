/** Workspaces by mouse and by keyboard alone: laid out, linked, kept, taken back, given away, popped out. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { line, violations } from './accessibility.ts'
import { expect, test } from './fixtures.ts'
import { openPane, pane } from './panes.ts'
import { Screen } from './screen.ts'

const menu = (page: Page): Locator => page.getByRole('dialog', { name: /^Workspace: / })
async function inMenu(page: Page, name: string): Promise<void> {
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Workspace: / })
    .click()
  await menu(page).getByRole('button', { name, exact: true }).click()
}
/** Tabs of the dock by what they say, group by group. */
const groups = (page: Page): Promise<string[][]> =>
  page
    .locator('.dv-groupview')
    .evaluateAll((all) =>
      all.map((one) =>
        [...one.querySelectorAll('.dv-tabs-container > [role="tab"]')].map(
          (tab) => tab.getAttribute('aria-label') ?? '',
        ),
      ),
    )
/** Findings that say nothing of this window: what a library needs for itself, and what axe cannot see. */
async function known(page: Page, id: string, target: string): Promise<boolean> {
  // The dock keeps the order of its floats in an attribute that only other roles have.
  if (/^aria-(allowed-attr|valid-attr-value)$/.test(id) && target === '.dv-resize-container') return true
  // The rows of a grid scroll with the arrows of the grid, which has the focus.
  if (id !== 'scrollable-region-focusable') return false
  return page
    .locator(target)
    .first()
    .evaluate((one) => one.closest('[role="grid"][tabindex="0"]') !== null)
}
async function audit(page: Page, what: string): Promise<void> {
  const found: string[] = []
  for (const one of await violations(page)) if (!(await known(page, one.rule, one.target))) found.push(line(what, one))
  expect.soft(found).toEqual([])
}

/** The group of panes that a tab is in. */
const groupOf = (page: Page, tab: string): Locator =>
  page.locator('.dv-groupview', { has: page.getByRole('tab', { name: tab, exact: true }) })
/** The list of all tabs of a group, some of which do not fit. */
const allTabs = (page: Page): Locator => page.getByRole('dialog', { name: 'All tabs here' })
const SMALL = { width: 1024, height: 640 }
/** Waits until the panes are laid out for a size of the window, not only scaled to it. */
const fitted = (page: Page, size: typeof SMALL): Promise<void> =>
  expect
    .poll(() =>
      page.locator('.dock').evaluate((dock) => ({
        window: { width: window.innerWidth, height: window.innerHeight },
        isFitted: dock.getAttribute('data-fitted') === `${dock.clientWidth}x${dock.clientHeight}`,
      })),
    )
    .toEqual({ window: size, isFitted: true })
const USUAL = { width: 1440, height: 900 }

test('panes are added, linked, floated, maximised, closed and taken back by mouse', async ({ open, host }) => {
  test.setTimeout(180_000)
  const app = await open()
  const { page } = app
  page.setDefaultTimeout(15_000)
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  const first = await groups(page)
  expect(first.length).toBe(4)

  await test.step('a pane without a colour keeps its symbol, and says which', async () => {
    await screen.tape().getByRole('button', { name: 'Pane menu' }).click()
    await page.getByRole('radio', { name: 'No color' }).click()
    await page.keyboard.press('Escape')
    await screen.row('ETH-USD').click()
    await expect(screen.chart('ETH-USD')).toBeVisible()
    await expect(page.getByRole('tab', { name: 'Time & sales, BTC-USD' })).toBeVisible()
    await expect(page.getByRole('tab', { name: 'Quote, ETH-USD' })).toBeVisible()
    await screen.row('BTC-USD').click()
    await expect(screen.chart('BTC-USD')).toBeVisible()
    await expect(page.getByRole('tab', { name: 'Quote', exact: true })).toBeVisible()
  })

  await test.step('a pane is added from the menu', async () => {
    await inMenu(page, 'Add a pane…')
    await menu(page).getByRole('button', { name: 'Sessions', exact: true }).click()
    await expect(pane(page, 'sessions')).toBeVisible()
  })

  await test.step('tabs that do not fit are listed', async () => {
    const before = await groups(page)
    const all = page.getByRole('button', { name: 'All tabs here' })
    await expect(all).toHaveCount(0)
    await page.setViewportSize(SMALL)
    for (const keys of ['Alt+v', 'Alt+n', 'Alt+c', 'Alt+q']) await page.keyboard.press(keys)
    await groupOf(page, 'Earnings').getByRole('button', { name: 'All tabs here' }).click()
    await expect(allTabs(page).getByRole('button')).toHaveText(['Sessions', 'Evidence', 'News', 'Company', 'Earnings'])
    await allTabs(page).getByRole('button', { name: 'Sessions' }).click()
    await expect(allTabs(page)).toHaveCount(0)
    await expect(pane(page, 'sessions')).toBeVisible()
    await expect(page.getByRole('tab', { name: 'Sessions', exact: true })).toBeInViewport({ ratio: 1 })
    for (let i = 0; i < 4; i++) await page.keyboard.press('Control+Alt+z')
    await page.setViewportSize(USUAL)
    await expect.poll(() => groups(page)).toEqual(before)
    await expect(all).toHaveCount(0)
  })

  await test.step('a tab is dragged to another place', async () => {
    await openPane(page, 'log')
    const log = page.getByRole('tab', { name: 'Log', exact: true })
    const target = await page
      .locator('.dv-groupview', { has: page.getByRole('tab', { name: 'Watchlist' }) })
      .boundingBox()
    const from = await log.boundingBox()
    if (!target || !from) throw new Error('nothing to drag')
    await page.mouse.move(from.x + 12, from.y + 10)
    await page.mouse.down()
    await page.mouse.move(target.x + target.width / 2, target.y + target.height - 60, { steps: 12 })
    await page.mouse.move(target.x + target.width / 2, target.y + target.height - 30, { steps: 6 })
    await page.mouse.up()
    await expect
      .poll(async () => {
        const list = await page.locator('.dv-groupview[data-pane="watchlist"]').boundingBox()
        const moved = await pane(page, 'log').boundingBox()
        return list && moved ? Math.abs(list.x - moved.x) < 4 : false
      })
      .toBe(true)
  })

  await test.step('it is closed, and comes back by the toast', async () => {
    const before = await groups(page)
    await pane(page, 'log').getByRole('button', { name: 'Pane menu' }).click()
    await page
      .getByRole('button', { name: /^Close/ })
      .last()
      .click()
    await expect(pane(page, 'log')).toHaveCount(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(pane(page, 'log')).toBeVisible()
    expect(await groups(page)).toEqual(before)
  })

  await test.step('a pane floats, and takes the whole dock', async () => {
    await pane(page, 'log').getByRole('button', { name: 'Pane menu' }).click()
    await page.getByRole('button', { name: 'Float' }).click()
    await expect(page.locator('.dv-resize-container').getByRole('tab', { name: 'Log' })).toBeVisible()
    await audit(page, 'a floating pane')
    await screen.quote().getByRole('button', { name: 'Pane menu' }).click()
    await page.getByRole('button', { name: /^Maximize/ }).click()
    await expect(screen.watchlist()).toBeHidden()
    await page.keyboard.press('Alt+Enter')
    await expect(screen.watchlist()).toBeVisible()
  })

  await test.step('a pane moves into a window of its own, follows there, and comes back with its end', async () => {
    const opened = app.electron ? app.electron.waitForEvent('window') : page.context().waitForEvent('page')
    await screen.quote().getByRole('button', { name: 'Pane menu' }).click()
    await page.getByRole('button', { name: 'Move to new window' }).click()
    const other = new Screen(await opened)
    await expect(other.bigPrice()).toHaveText(/\d/, { timeout: 30_000 })
    await expect(screen.quote()).toHaveCount(0)
    await screen.row('ETH-USD').click()
    await expect(other.page.getByRole('region', { name: /^Quote/ })).toContainText('Ether')
    await audit(other.page, 'a window of its own')
    await other.page.close()
    await expect(screen.quote()).toBeVisible({ timeout: 20_000 })
    expect(host === 'electron' ? app.electron?.windows().length : page.context().pages().length).toBe(1)
  })
})

test('workspaces are named, copied, kept over a start, reset, restored and opened from files', async ({ open }) => {
  test.setTimeout(180_000)
  let app = await open()
  let screen = new Screen(app.page)
  await screen.trades('BTC-USD')
  const overview = await groups(app.page)

  await test.step('a copy under a name of its own', async () => {
    await inMenu(app.page, 'Duplicate')
    await expect(app.page.getByRole('banner').getByRole('button', { name: 'Workspace: Overview 2' })).toBeVisible()
    await inMenu(app.page, 'Rename…')
    await menu(app.page).getByLabel('Workspace name').fill('Mine')
    await app.page.keyboard.press('Enter')
    await app.page.keyboard.press('Escape')
    await openPane(app.page, 'log')
    await expect(pane(app.page, 'log')).toBeVisible()
  })
  await test.step('every ready-made one is there, and keeps the rules of accessibility', async () => {
    for (const name of ['Day trading', 'Review', 'Research', 'Charts 2 × 2', 'Charts 3 × 3', 'Overview']) {
      await inMenu(app.page, name)
      await expect(app.page.getByRole('banner').getByRole('button', { name: `Workspace: ${name}` })).toBeVisible()
      if (name === 'Charts 3 × 3') await expect(app.page.getByRole('region', { name: /^Chart of / })).toHaveCount(9)
      await audit(app.page, name)
    }
    expect((await groups(app.page)).flat().length).toBe(overview.flat().length)
    await inMenu(app.page, 'Mine')
    await expect(pane(app.page, 'log')).toBeVisible()
  })
  await test.step('it is there again after a start', async () => {
    await app.close()
    app = await open()
    screen = new Screen(app.page)
    await screen.trades('BTC-USD')
    await expect(app.page.getByRole('banner').getByRole('button', { name: 'Workspace: Mine' })).toBeVisible()
    await expect(pane(app.page, 'log')).toBeVisible()
  })
  await test.step('reset, and back', async () => {
    await inMenu(app.page, 'Reset')
    await expect(pane(app.page, 'log')).toHaveCount(0)
    await app.page.getByRole('button', { name: 'Undo' }).click()
    await expect(pane(app.page, 'log')).toBeVisible()
  })
  await test.step('a file is saved, opened again, and a hostile one refused with a sentence', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tapedeck-workspace-'))
    try {
      const download = app.page.waitForEvent('download')
      await inMenu(app.page, 'Save as file…')
      const file = join(folder, 'mine.workspace.json')
      await (await download).saveAs(file)
      expect(await readFile(file, 'utf8')).toContain('tapedeck workspace')
      const chooser = app.page.getByLabel('Workspace file')
      await chooser.setInputFiles(file)
      await expect(app.page.getByRole('banner').getByRole('button', { name: 'Workspace: Mine 2' })).toBeVisible()
      await expect(pane(app.page, 'log')).toBeVisible()
      const bad = join(folder, 'bad.json')
      await writeFile(bad, '{"kind":"tapedeck workspace","workspace":{"version":2,"dock":[]}}')
      await chooser.setInputFiles(bad)
      await expect(app.page.getByText('it has no pane that can be shown').first()).toBeVisible()
      await expect(pane(app.page, 'log')).toBeVisible()
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

test('panes and workspaces by keyboard alone', async ({ open }) => {
  test.setTimeout(120_000)
  const { page } = await open()
  page.setDefaultTimeout(15_000)
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  const first = await groups(page)
  // From pane to pane: the fourth step is where it began.
  const front = () => page.locator('.dv-groupview.dv-active-group').getAttribute('data-pane')
  const seen: (string | null)[] = [await front()]
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press('F6')
    await expect.poll(front).not.toBe(seen.at(-1))
    seen.push(await front())
  }
  expect(new Set(seen)).toEqual(new Set(['chart', 'quote', 'tape', 'watchlist']))
  await page.keyboard.press('F6')
  await expect.poll(front).toBe('chart')
  // Wider, and back.
  const width = async () => Math.round((await screen.chart('BTC-USD').boundingBox())?.width ?? 0)
  const before = await width()
  await page.keyboard.press('Alt+Shift+ArrowRight')
  await expect.poll(width).toBe(before + 40)
  await page.keyboard.press('Control+Alt+z')
  await expect.poll(width).toBe(before)
  // A pane is opened, moved below another, maximised, closed and brought back.
  await page.keyboard.press('Alt+l')
  await expect(pane(page, 'log')).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Log', exact: true })).toBeFocused()
  await page.keyboard.press('Control+Alt+ArrowLeft')
  await expect.poll(async () => (await groups(page)).find((one) => one.includes('Log'))).toEqual(['Watchlist', 'Log'])
  await page.keyboard.press('Alt+Enter')
  await expect(screen.quote()).toBeHidden()
  await page.keyboard.press('Alt+Enter')
  await expect(screen.quote()).toBeVisible()
  await page.keyboard.press('Control+Alt+w')
  await expect(pane(page, 'log')).toHaveCount(0)
  await page.keyboard.press('Control+Alt+z')
  await expect(pane(page, 'log')).toBeVisible()
  // Whole again, maximised, moved, opened: back over each of them.
  for (let i = 0; i < 4; i++) await page.keyboard.press('Control+Alt+z')
  await expect.poll(() => groups(page)).toEqual(first)
  await page.keyboard.press('Control+Alt+y')
  await expect(pane(page, 'log')).toBeVisible()
  // Tabs that do not fit are listed behind them.
  await page.setViewportSize(SMALL)
  await fitted(page, SMALL)
  for (const keys of ['Alt+s', 'Alt+v', 'Alt+n', 'Alt+c']) await page.keyboard.press(keys)
  const company = page.getByRole('tab', { name: 'Company', exact: true })
  await expect(company).toBeFocused()
  // While the window is resized, the focus stays where it was.
  const all = groupOf(page, 'Company').getByRole('button', { name: 'All tabs here' })
  const resize = async (size: typeof SMALL): Promise<void> => {
    await page.setViewportSize(size)
    await fitted(page, size)
  }
  for (const more of [60, 0]) {
    await resize({ ...SMALL, width: SMALL.width + more })
    await expect(company).toBeFocused()
  }
  await expect(all).toBeVisible()
  await page.keyboard.press('Tab')
  for (const more of [20, 0]) {
    await resize({ ...SMALL, width: SMALL.width + more })
    await expect(all).toBeFocused()
  }
  // Where every tab fits, the tab takes the focus.
  await resize({ ...SMALL, width: SMALL.width + 400 })
  await expect(all).toHaveCount(0)
  await expect(company).toBeFocused()
  await resize(SMALL)
  await expect(all).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(all).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(allTabs(page).getByRole('button')).toHaveText(['Log', 'Sessions', 'Evidence', 'News', 'Company'])
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(allTabs(page).getByRole('button', { name: 'Sessions' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(allTabs(page)).toHaveCount(0)
  await expect(page.getByRole('tab', { name: 'Sessions', exact: true })).toBeFocused()
  await expect(pane(page, 'sessions')).toBeVisible()
  // Another workspace.
  await page.keyboard.press('Control+Alt+s')
  await menu(page).getByRole('button', { name: 'Review' }).focus()
  await page.keyboard.press('Enter')
  await expect(pane(page, 'sessions')).toBeVisible()
})
