/** How the window begins: the first start on a system of another zone and language, and safe mode. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../fixtures.ts'
import { Screen } from '../screen.ts'

test('a first start takes the system’s zone and numbers, tells it once, and a change is kept', async ({
  open,
  home,
}) => {
  const system = { zone: 'Asia/Tokyo', locale: 'de-DE' }
  const first = await open(system)
  const told = first.page.getByText('Times are shown in your zone, Tokyo.')
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
