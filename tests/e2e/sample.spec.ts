/** A first start shows a market with a past: a sample session that is listed, replays, and is the charts' history. */
import { expect, test } from './fixtures.ts'
import { openPane, pane } from './panes.ts'
import { Screen } from './screen.ts'

const SAMPLE = /Demo sample session/
/** Three hours of market are computed and sealed beside everything else. */
const STORED_MS = 180_000

test('a first start brings a sample session', async ({ open }) => {
  test.setTimeout(STORED_MS + 120_000)
  const { page } = await open({ sample: true, args: ['--demo'] })
  const sessions = await openPane(page, 'sessions')
  const row = sessions.getByRole('row', { name: SAMPLE })

  await test.step('it is listed by itself, marked as demo, and is closed', async () => {
    await expect(row).toBeVisible({ timeout: STORED_MS })
    await expect(row).toContainText('03:00:00')
    await row.click()
    await expect(row.getByText('Demo sample', { exact: true })).toBeVisible()
  })

  await test.step('charts have its hours behind the present', async () => {
    const chart = pane(page, 'chart')
    await new Screen(page).interval('5m').click()
    await chart.getByRole('button', { name: 'Table', exact: true }).click()
    const bars = chart.getByRole('region', { name: 'Visible bars' }).locator('tbody tr')
    // Three hours of five minutes, and what is forming.
    await expect(bars.nth(20)).toBeAttached()
    await chart.getByRole('button', { name: 'Table', exact: true }).click()
  })

  await test.step('it replays at once', async () => {
    await openPane(page, 'sessions')
    await row.click()
    await sessions.getByRole('button', { name: 'Replay', exact: true }).click()
    await expect(page.getByRole('region', { name: 'Replay' })).toBeVisible()
  })
})
