/** Popovers show what is in them: a rule for a button once squeezed the one that it opens to a single row. */
import { expect, test } from '../fixtures.ts'
import { openPane } from '../panes.ts'
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
