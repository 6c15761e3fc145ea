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

  await test.step('its bar stays in a small window with large text', async () => {
    const bar = page.getByRole('region', { name: 'Replay' })
    const live = bar.getByRole('button', { name: 'Back to live' })
    await page.setViewportSize({ width: 1024, height: 640 })
    const before = await live.evaluate((one) => one.clientWidth)
    for (let step = 0; step < 5; step++) await page.keyboard.press('Alt++')
    await expect.poll(() => live.evaluate((one) => one.clientWidth)).toBeGreaterThan(before)
    // All of it, in one row.
    await expect(live).toBeInViewport({ ratio: 1 })
    expect(await bar.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    const timeline = await bar.getByRole('slider', { name: 'Replay position' }).boundingBox()
    const button = await live.boundingBox()
    expect(timeline && button && button.y > timeline.y && button.y < timeline.y + timeline.height).toBe(true)
  })
})
