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
