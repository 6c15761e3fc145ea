/** How the window begins: the first start on a system of another zone and language, and safe mode. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../fixtures.ts'
import { Screen } from '../screen.ts'

test('a first start takes the system’s zone and numbers, tells it once, and a change is kept', async ({
  open,
  home,
}) => {
  const system = { zone: 'Asia/Tokyo', locale: 'de-DE' }
  const first = await open(system)
  const told = first.page.getByText('Times are shown in your time zone, Tokyo.')
  await expect(told.first()).toBeVisible()
  await new Screen(first.page).trades('BTC-USD')
  await expect(first.page.getByRole('button', { name: /^Time zone: Local/ })).toBeVisible()
  // A German number has its comma before the decimals.
  await expect(new Screen(first.page).last('BTC-USD')).toHaveText(/^\D*[\d.]+,\d+/)
  await first.page.reload()
  await new Screen(first.page).trades('BTC-USD')
  await expect(told).toHaveCount(0)
  await first.close()
  // What the file holds, the settings' own schema wrote.
  const kept = JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')) as Record<string, unknown>
  expect(kept).toMatchObject({ zone: 'local', numbers: 'system', dates: 'system', help: { looksTaken: true } })
})

test('privacy is said in three lines on the card of the demo market and in the account', async ({ open }) => {
  const { page } = await open()
  await new Screen(page).trades('BTC-USD')
  const card = page.getByRole('complementary', { name: 'Connect your account' })
  await card.getByText('What leaves this computer').click()
  await expect(card.getByRole('listitem')).toHaveCount(3)
  await card.getByRole('button', { name: 'Connect your account' }).click()
  const form = page.getByRole('dialog', { name: 'Connect your account' })
  await expect(form.getByRole('list', { name: 'What leaves this computer' }).getByRole('listitem')).toHaveCount(3)
})

test('the store moves to another folder from the settings, and recording goes on there', async ({ open, home }) => {
  const { page } = await open()
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  await page.keyboard.press('Control+,')
  const settings = screen.dialog('Settings')
  await settings.getByRole('tab', { name: 'Recording' }).click()
  const folder = settings.getByRole('textbox', { name: /^Full path of the new folder/ })
  await folder.fill('not from its root')
  await settings.getByRole('button', { name: 'Move store' }).click()
  await expect(settings.getByRole('alert')).toContainText('Enter the full path of the folder.')
  const target = join(home, 'large')
  await folder.fill(target)
  await settings.getByRole('button', { name: 'Move store' }).click()
  await expect(settings.locator('output')).toContainText(join(target, 'tapedeck.db'))
  await expect(settings.locator('.path').first()).toHaveText(join(target, 'tapedeck.db'))
  await page.keyboard.press('Escape')
  await expect(screen.recorder()).toHaveAccessibleName(/^Recording/)
  await screen.ticks('BTC-USD')
  expect(existsSync(join(home, 'tapedeck.db'))).toBe(false)
})
