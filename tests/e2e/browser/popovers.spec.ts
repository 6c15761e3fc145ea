/** Popovers show what is in them: a rule for a button once squeezed the one that it opens to a single row. */
import { expect, test } from '../fixtures.ts'
import { openPane, pane } from '../panes.ts'
import { Screen } from '../screen.ts'

test('the options of a watchlist show their last entry', async ({ open }) => {
  const { page } = await open()
  await new Screen(page).watchlist().getByRole('button', { name: 'List and columns' }).click()
  const options = page.getByRole('dialog', { name: 'List and columns' })
  for (const [i, entry] of [options.getByText('Last price'), options.getByRole('button').last()].entries()) {
    await expect(entry).toBeInViewport({ ratio: 1 })
    const box = await entry.boundingBox()
    const panel = await options.boundingBox()
    expect(box && panel && box.y + box.height <= panel.y + panel.height, `entry ${i}`).toBe(true)
  }
})

test('a popover that begins with a field gives it the focus', async ({ open }) => {
  const { page } = await open()
  await new Screen(page).trades('BTC-USD')
  const screener = await openPane(page, 'screener')
  const filters = page.getByRole('dialog', { name: 'Filters' })
  await screener.getByRole('button', { name: 'Filters' }).click()
  await filters.getByRole('button', { name: 'Add filter' }).click()
  await page.keyboard.press('Escape')
  await expect(filters).toBeHidden()
  await screener.getByRole('button', { name: 'Filters' }).click()
  await expect(filters.getByRole('combobox', { name: 'Figure' })).toBeFocused()
})

test('an open popover stays at its button when the window is resized', async ({ open }) => {
  const { page } = await open()
  const button = page.getByRole('banner').getByRole('button', { name: /^Time zone: / })
  await button.click()
  await page.setViewportSize({ width: 1024, height: 640 })
  const right = (box: { x: number; width: number } | null) => (box ? Math.round(box.x + box.width) : NaN)
  const panel = page.getByRole('dialog', { name: /^Time zone: / })
  await expect.poll(async () => right(await panel.boundingBox()) - right(await button.boundingBox())).toBe(0)
})

for (const [where, keys] of [
  ['a pane at the right', []],
  ['a maximized pane', ['Alt+Enter']],
] as const)
  test(`an open panel in ${where} stays at its button when the window is resized`, async ({ open }) => {
    const { page } = await open()
    const screen = new Screen(page)
    await screen.trades('BTC-USD')
    // A click focuses the pane.
    await screen.quote().getByTestId('big-price').click()
    for (const key of keys) await page.keyboard.press(key)
    const button = screen.quote().getByRole('button', { name: 'Pane menu' })
    await button.click()
    const panel = page.getByRole('dialog', { name: 'Pane menu' })
    await expect(panel).toBeVisible()
    const offset = async () => {
      const [a, b] = [await button.boundingBox(), await panel.boundingBox()]
      return a && b && [Math.round(b.x + b.width - a.x - a.width), Math.round(b.y - a.y - a.height)]
    }
    const before = await offset()
    expect(before).not.toBeNull()
    const sizes = [
      [1_024, 640],
      [1_440, 900],
      [1_200, 700],
    ] as const
    for (const [width, height] of sizes) {
      const last = await button.boundingBox()
      await page.setViewportSize({ width, height })
      await expect.poll(() => button.boundingBox()).not.toEqual(last)
      await expect.poll(offset).toEqual(before)
    }
  })

test('what is typed in a panel and in a list survives a resized window and moved panes', async ({ open }) => {
  const { page } = await open()
  await new Screen(page).trades('BTC-USD')
  const dock = page.locator('.dock')
  const resize = async (width: number, height: number): Promise<void> => {
    const before = (await dock.getAttribute('data-fitted')) ?? ''
    await page.setViewportSize({ width, height })
    await expect(dock).not.toHaveAttribute('data-fitted', before)
  }
  await new Screen(page).chart('BTC-USD').getByRole('button', { name: 'Indicators' }).click()
  const indicators = page.getByRole('dialog', { name: 'Indicators' })
  await page.keyboard.type('aver')
  // The pane opens below the chart. The browser hides panels in panes that move.
  await page.getByRole('contentinfo').getByRole('button', { name: 'Log' }).dispatchEvent('click')
  await expect(pane(page, 'log')).toBeVisible()
  await expect(indicators.getByRole('searchbox')).toHaveValue('aver')
  await expect(indicators.getByRole('searchbox')).toBeInViewport()
  // The first one empties the search box.
  for (let i = 0; i < 2; i++) await page.keyboard.press('Escape')
  await expect(indicators).toBeHidden()

  const screener = await openPane(page, 'screener')
  await screener.getByRole('button', { name: 'Saved screens' }).click()
  const name = page.getByRole('dialog', { name: 'Saved screens' }).getByRole('textbox')
  await page.keyboard.type('Large coins')
  await resize(1_024, 640)
  await expect(name).toBeFocused()
  await page.keyboard.type(' today')
  await expect(name).toHaveValue('Large coins today')
  await page.keyboard.press('Escape')
  await expect(name).toBeHidden()

  const sessions = await openPane(page, 'sessions')
  await sessions.getByRole('row').nth(1).click()
  await page.keyboard.press('F2')
  await page.keyboard.type('Morning')
  await resize(1_440, 900)
  await page.keyboard.type(' walk')
  await page.keyboard.press('Enter')
  await expect(sessions).toContainText('Morning walk')
})

test('an open popover follows its button without reading the layout while nothing moves', async ({ open }) => {
  const { page } = await open()
  const button = new Screen(page).watchlist().getByRole('button', { name: 'List and columns' })
  await button.click()
  const panel = page.getByRole('dialog', { name: 'List and columns' })
  const offset = async () => {
    const [a, b] = [await button.boundingBox(), await panel.boundingBox()]
    return a && b ? Math.round(b.y - a.y - a.height) : NaN
  }
  const before = await offset()
  // Something above grows, which no event tells.
  await page.evaluate(() => {
    const bar = document.createElement('div')
    bar.style.cssText = 'height: 60px; flex: none'
    document.querySelector('header')?.before(bar)
  })
  await expect.poll(offset).toBe(before)
  const reads = () =>
    button.evaluate(
      (element) =>
        new Promise<number>((resolve) => {
          let count = 0
          element.getBoundingClientRect = () => {
            count += 1
            return Element.prototype.getBoundingClientRect.call(element)
          }
          let left = 20
          const next = () => (left-- === 0 ? resolve(count) : requestAnimationFrame(next))
          next()
        }),
    )
  await expect.poll(reads).toBe(0)
})

test('an open popover closes when its pane is moved', async ({ open }) => {
  const { page } = await open()
  const button = new Screen(page).watchlist().getByRole('button', { name: 'List and columns' })
  await button.click()
  await expect(button).toHaveAttribute('aria-expanded', 'true')
  // The browser hides a popover that leaves the document, without an event.
  await button.evaluate((element) => {
    const pane = element.closest('[data-pane]')
    pane?.parentElement?.append(pane)
  })
  await expect(button).toHaveAttribute('aria-expanded', 'false')
  await expect(page.getByRole('dialog', { name: 'List and columns' })).toBeHidden()
})
