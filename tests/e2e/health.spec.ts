/** The status dot and the page behind it: silent while everything works, and a sentence where it doesn't. */
import { line, violations } from './accessibility.ts'
import { expect, test } from './fixtures.ts'
import { openPane, pane } from './panes.ts'
import { Screen } from './screen.ts'

const SMALL = { width: 1024, height: 640 }

test('health is a silent dot, and a page that says what is wrong and what to do', async ({ open, simulator }) => {
  test.setTimeout(180_000)
  const app = await open({
    args: ['--base-url', simulator.baseUrl, '--user', simulator.username],
    env: { TAPEDECK_PASSWORD: simulator.password, TAPEDECK_API_KEY: simulator.apiKey },
  })
  const { page } = app
  const screen = new Screen(page)
  const health = pane(page, 'health')
  await screen.allFeedsOpen(60_000)

  await test.step('while everything works it has no words, and no figures are on screen', async () => {
    await expect(screen.health()).toHaveText('')
    await expect(screen.health()).toHaveAccessibleName(/Everything works\.$/)
    await expect(page.getByRole('banner')).not.toContainText('p99')
    await expect(page.getByRole('contentinfo')).not.toContainText(/ free|Store /)
  })

  await test.step('a click opens the page, with every figure', async () => {
    await screen.health().click()
    await expect(health.getByRole('status')).toHaveText('Everything works.')
    await expect(health).toContainText('crypto/XT')
    await expect(health.getByRole('row', { name: /^Receive to store/ })).toContainText(/\d/)
    await expect(health).toContainText(/Free on the disk.*GB/)
    await expect(health.getByRole('row', { name: /^crypto\/XT/ })).toContainText('%')
    for (const size of [SMALL, { width: 1440, height: 900 }]) {
      await page.setViewportSize(size)
      expect((await violations(page)).map((one) => line(`health at ${size.width}`, one))).toEqual([])
    }
    await screen.health().click()
    await expect(health).toHaveCount(0)
  })

  await test.step('a feed that went silent speaks beside the dot, and on the page with what to do', async () => {
    await simulator.fault('half-open')
    await expect(screen.health()).toHaveText(/feeds? (silent|open|refused)$/, { timeout: 60_000 })
    await openPane(page, 'health')
    await expect(health.getByRole('status')).toContainText(/nothing arrives|Not connected/)
  })
})
