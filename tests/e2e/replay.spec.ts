/** A recording with two gaps, played back in the window: the same market again, to the bit, and never ahead of its clock. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Locator, Page } from '@playwright/test'
import { line, violations } from './accessibility.ts'
import { appEnv, CLI, pinnedNode, ROOT } from './app.ts'
import { expect, test } from './fixtures.ts'
import { Screen } from './screen.ts'
import type { SimulatorProcess } from './simulator.ts'

const FEEDS = ['crypto/XT:BTC-USD,ETH-USD', 'crypto/XQ:BTC-USD,ETH-USD', 'forex/C:EURUSD', 'stocks/T:AAPL']
const MINUTE = 60_000

/** Records the service over a turn of the minute, since digests are written there, with two gaps before or after it. */
async function recordWithGaps(simulator: SimulatorProcess, home: string): Promise<void> {
  const args = ['record', '--base-url', simulator.baseUrl, '--user', simulator.username, '--duration']
  const env = appEnv(home, { TAPEDECK_PASSWORD: simulator.password, TAPEDECK_API_KEY: simulator.apiKey })
  const feeds = FEEDS.flatMap((feed) => ['--feed', feed])
  const child = spawn(pinnedNode(), [CLI, ...args, '10m', ...feeds], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const closed = once(child, 'close')
  // Each feed trades for a while before it is lost, however long the start took.
  const trading = async () => (await simulator.sent()).connections.filter(({ market }) => market > 0).length
  await expect.poll(trading, { timeout: 60_000 }).toBe(FEEDS.length)
  const toMinute = MINUTE - (Date.now() % MINUTE)
  const turned = pause(toMinute + 3_000)
  await pause(4_000)
  await simulator.fault('drop')
  await pause(4_000)
  await simulator.fault('restart', { ms: 2_000 })
  await pause(5_000)
  await turned
  // As with Ctrl+C, which ends it in order.
  child.kill('SIGINT')
  await closed
  expect(child.exitCode, said).toBe(130)
}

class ReplayScreen extends Screen {
  dock(): Locator {
    return this.page.getByRole('region', { name: 'Replay' })
  }
  timeline(): Locator {
    return this.dock().getByRole('slider', { name: 'Replay position' })
  }
  /** Time of day of the replay's clock in UTC, ms. */
  async clockMs(): Promise<number> {
    return dayMs(await this.dock().getByTestId('replay-clock').innerText())
  }
  exactness(): Locator {
    return this.dock().getByTestId('exactness')
  }
  async setSpeed(speed: string): Promise<void> {
    await this.dock().getByRole('combobox', { name: 'Speed' }).selectOption(speed)
  }
  /** The clock and the market once both stand still: a seek puts them there a frame or two apart. */
  async steady(): Promise<{ clock: string; market: string }> {
    let before = ''
    let seen = { clock: '', market: '' }
    await expect
      .poll(
        async () => {
          seen = { clock: await this.dock().getByTestId('replay-clock').innerText(), market: await this.market() }
          const same = JSON.stringify(seen) === before
          before = JSON.stringify(seen)
          return same
        },
        { intervals: [500] },
      )
      .toBe(true)
    return seen
  }
  /** What the whole frame shows of the market, as text. */
  async market(): Promise<string> {
    // How a row's text is parted depends on whether it is laid out just then.
    const plain = (texts: readonly string[]) => texts.map((text) => text.replace(/\s+/g, ' ').trim())
    const rows = plain(await this.watchlist().getByRole('row').allInnerTexts())
    const prints = plain(await this.prints().allInnerTexts())
    // The mouse may stop within a millisecond, a typed time does not: an age can differ in its last digit.
    const ageless = rows.map((row) => row.replace(/ [\d.]+[smhd]$/, ''))
    return JSON.stringify([ageless, await this.bigPrice().innerText(), prints.slice(0, 12)])
  }
}
function dayMs(text: string): number {
  const [, h, m, s, ms] = /(\d\d):(\d\d):(\d\d)\.(\d{3})/.exec(text) ?? []
  return ((Number(h) * 60 + Number(m)) * 60 + Number(s)) * 1000 + Number(ms)
}

/** Nothing on screen may be later than the clock. Read in one turn of the page, so that both are of one frame. */
async function expectNothingAhead(page: Page): Promise<void> {
  const seen = await page.evaluate(() => ({
    clock: document.querySelector('[data-testid="replay-clock"]')?.textContent ?? '',
    prints: [...document.querySelectorAll('[aria-label="Prints, newest first"] .time')].map((cell) => cell.textContent),
  }))
  for (const print of seen.prints)
    expect.soft(dayMs(print), `${print} at ${seen.clock}`).toBeLessThanOrEqual(dayMs(seen.clock))
}

async function audit(page: Page, what: string): Promise<void> {
  const found = await violations(page)
  expect.soft(found.map((one) => line(what, one))).toEqual([])
}

test('a recording with gaps is played back as it was', async ({ open, home, simulator }) => {
  test.setTimeout(360_000)
  await recordWithGaps(simulator, home)
  const app = await open()
  const { page } = app
  const screen = new ReplayScreen(page)
  await screen.trades('BTC-USD')

  await test.step('the newest session that ended is opened by a key; the frame says so, and recording goes on', async () => {
    await page.keyboard.press('Alt+r')
    await expect(screen.dock()).toBeVisible()
    await expect(screen.source(/This is a replay/)).toContainText('REPLAY')
    await expect(page.getByRole('contentinfo')).toContainText('Live recording continues in the background')
    await expect(screen.recorder()).toHaveAccessibleName(/^Recording/)
    // It opens where there is something to see, and nothing of later.
    await expect(screen.bigPrice()).toHaveText(/\d/)
    await expect.poll(() => screen.prints().count()).toBeGreaterThan(0)
    await expectNothingAhead(page)
    // At the start nothing was received yet: no price of the live market may be left.
    await page.keyboard.press('Home')
    await expect(screen.last('BTC-USD')).not.toHaveText(/\d/)
    await expect(screen.bigPrice()).toHaveText('\u2014')
    await expect(screen.prints()).toHaveCount(0)
  })

  await test.step('it plays at three speeds, each time exactly what live was', async () => {
    const play = screen.dock().getByRole('button', { name: 'Play', exact: true })
    const start = await screen.clockMs()
    await page.keyboard.press('End')
    await expect.poll(() => screen.clockMs()).not.toBe(start)
    const end = await screen.clockMs()
    for (const speed of ['10', '100', 'max']) {
      await page.keyboard.press('Home')
      await expect(screen.bigPrice()).toHaveText('\u2014')
      await screen.setSpeed(speed)
      await play.click()
      if (speed === '10') for (let i = 0; i < 5; i++) await expectNothingAhead(page)
      // The button still says Play until playback has begun, so only the clock tells that it came to the end.
      await expect.poll(() => screen.clockMs(), { timeout: 60_000 }).toBe(end)
      await expect(play).toBeVisible()
      await expect(screen.exactness()).toHaveText(/^identical ✓ [12] minutes?$/)
      await expectNothingAhead(page)
    }
  })

  await test.step('it steps by message, second and bar, forward and back', async () => {
    // Playing as fast as it can, the clock is at the end a few frames before the market is.
    const { market: end } = await screen.steady()
    const last = await screen.clockMs()
    await page.keyboard.press('Control+ArrowLeft')
    await expect.poll(() => screen.clockMs()).toBe(last - 1_000)
    await page.keyboard.press('Control+ArrowLeft')
    await expect.poll(() => screen.clockMs()).toBe(last - 2_000)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => screen.clockMs()).toBeGreaterThan(last - 2_000)
    await page.keyboard.press('Shift+ArrowLeft')
    await expect.poll(async () => (await screen.clockMs()) % 1_000).toBe(0)
    await expectNothingAhead(page)
    // Wherever the focus is.
    await screen.row('ETH-USD').click()
    await page.keyboard.press('End')
    await expect.poll(() => screen.clockMs()).toBe(last)
    await screen.row('BTC-USD').click()
    await expect.poll(() => screen.market()).toBe(end)
  })

  await test.step('the same moment shows the same market, however it was reached', async () => {
    const box = await screen.timeline().boundingBox()
    if (!box) throw new Error('no timeline')
    await screen.timeline().click({ position: { x: box.width * 0.7, y: box.height / 2 } })
    await expect(screen.dock()).toBeVisible()
    await expect.poll(() => screen.last('BTC-USD').innerText()).toMatch(/\d/)
    const { clock, market: byMouse } = await screen.steady()
    await page.keyboard.press('Home')
    await expect(screen.bigPrice()).toHaveText('\u2014')
    await page.keyboard.press('Control+g')
    const jump = screen.dialog('Go to time')
    await jump.getByRole('textbox').fill('27:00')
    await page.keyboard.press('Enter')
    await expect(jump.getByRole('alert')).toContainText('Hours go up to 23')
    await jump.getByRole('textbox').fill(clock.replace(/\s+/g, ' '))
    await page.keyboard.press('Enter')
    await expect(jump).toHaveCount(0)
    await expect.poll(() => screen.market()).toBe(byMouse)
    expect(await screen.clockMs()).toBe(dayMs(clock))
    await expectNothingAhead(page)
  })

  await test.step('gaps are places to go to, by key and in a list', async () => {
    await page.keyboard.press('Home')
    await expect(screen.bigPrice()).toHaveText('\u2014')
    await page.keyboard.press('.')
    await expect(screen.bigPrice()).toHaveText(/\d/)
    const first = await screen.clockMs()
    for (let i = 0; i < 9 && (await screen.clockMs()) - first < 2_000; i++) {
      const before = await screen.clockMs()
      await page.keyboard.press('.')
      await expect.poll(() => screen.clockMs()).toBeGreaterThan(before)
    }
    expect((await screen.clockMs()) - first).toBeGreaterThanOrEqual(2_000)
    await screen
      .dock()
      .getByRole('button', { name: /^Go to, loop/ })
      .click()
    const gaps = page.getByRole('list', { name: 'Gaps' }).getByRole('button')
    await expect(gaps.filter({ hasText: 'connection lost' }).first()).toBeVisible()
    await audit(page, 'go panel')
    await page.keyboard.press('Escape')
  })

  await test.step('a bookmark keeps a moment', async () => {
    const at = await screen.clockMs()
    await page.keyboard.press('Control+b')
    await screen.dialog('Add bookmark').getByRole('textbox').fill('second gap')
    await page.keyboard.press('Enter')
    await expect(screen.dialog('Add bookmark')).toHaveCount(0)
    await page.keyboard.press('Home')
    await expect.poll(() => screen.clockMs()).toBeLessThan(at)
    await page.keyboard.press('>')
    await expect.poll(() => screen.clockMs()).toBe(at)
  })

  await test.step('a loop stays within its range', async () => {
    // In a gap the price is a dash too: only the clock tells that the beginning is reached.
    const before = await screen.clockMs()
    await page.keyboard.press('Home')
    await expect.poll(() => screen.clockMs()).toBeLessThan(before)
    await expect(screen.bigPrice()).toHaveText('\u2014')
    const from = await screen.clockMs()
    const to = from + 2_000
    await page.keyboard.press('[')
    for (const by of [1_000, 2_000]) {
      await page.keyboard.press('Control+ArrowRight')
      await expect.poll(() => screen.clockMs()).toBe(from + by)
    }
    await page.keyboard.press(']')
    await screen.setSpeed('5')
    await page.locator('body').click({ position: { x: 5, y: 5 } })
    await page.keyboard.press('Space')
    const seen: number[] = []
    await expect
      .poll(async () => {
        seen.push(await screen.clockMs())
        return seen.some((ms, i) => ms < (seen[i - 1] ?? 0))
      })
      .toBe(true)
    expect(Math.max(...seen)).toBeLessThanOrEqual(to)
    await page.keyboard.press('Space')
    await page.keyboard.press('\\')
  })

  await test.step('the frame of a replay keeps the rules of accessibility in both looks', async () => {
    for (const theme of ['dark', 'light']) {
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
      await audit(page, `replay, ${theme}`)
      await page.keyboard.press('Alt+t')
    }
  })

  await test.step('one key is back to live', async () => {
    await page.keyboard.press('Alt+End')
    await expect(screen.dock()).toHaveCount(0)
    await expect(screen.source(/demo market/i)).toBeVisible()
    await screen.trades('BTC-USD')
    await screen.ticks('BTC-USD')
  })

  await test.step('a bar of the live chart is gone back to, in a recording whose range grows as it goes on', async () => {
    await page.keyboard.press('5')
    await page.keyboard.press('s')
    const chart = page.getByRole('application', { name: /^Chart of BTC-USD/ })
    await chart.focus()
    await expect(async () => {
      await chart.press('ArrowLeft')
      await chart.press('Shift+Enter')
      await expect(screen.dock()).toBeVisible({ timeout: 10_000 })
    }).toPass({ timeout: 45_000 })
    await expect(screen.source(/This is a replay/)).toBeVisible()
    const end = async () => Number(await screen.timeline().getAttribute('aria-valuemax'))
    const before = await end()
    await expect.poll(end, { timeout: 20_000 }).toBeGreaterThan(before)
    await page.keyboard.press('Alt+End')
    await expect(screen.dock()).toHaveCount(0)
    // Between the words before the first bar and the room behind the last one, once the live bars are back.
    const box = await chart.boundingBox()
    if (!box) throw new Error('no chart')
    await expect(async () => {
      await page.keyboard.press('Escape')
      await chart.click({ button: 'right', position: { x: box.width * 0.62, y: box.height * 0.25 } })
      await expect(page.getByRole('menuitem', { name: /^Replay from here/ })).toBeVisible({ timeout: 5_000 })
    }).toPass({ timeout: 60_000 })
    await page.keyboard.press('Escape')
    await expect(page.getByRole('menu')).toHaveCount(0)
  })

  await test.step('a replay in a window of its own stands beside the live one', async () => {
    await page.keyboard.press('Alt+r')
    await expect(screen.dock()).toBeVisible()
    const opened = app.electron ? app.electron.waitForEvent('window') : page.context().waitForEvent('page')
    await page.keyboard.press('Alt+w')
    const other = new ReplayScreen(await opened)
    await expect(other.dock()).toBeVisible({ timeout: 30_000 })
    await expect(other.source(/This is a replay/)).toBeVisible()
    await expect(screen.dock()).toHaveCount(0)
    await screen.ticks('BTC-USD')
    await other.page.keyboard.press('End')
    await expect.poll(() => other.bigPrice().innerText()).toMatch(/\d/)
    // Each looks at a symbol of its own.
    await other.row('ETH-USD').click()
    await expect(other.chart('ETH-USD')).toBeVisible()
    await expect(screen.chart('BTC-USD')).toBeVisible()
    await screen.ticks('BTC-USD')
    await screen.row('AAPL').click()
    await expect(screen.chart('AAPL')).toBeVisible()
    await expect(other.chart('ETH-USD')).toBeVisible()
    await screen.row('BTC-USD').click()
    await expect(screen.chart('BTC-USD')).toBeVisible()
    expect((app.electron ? app.electron.windows() : page.context().pages()).length).toBe(2)
    await other.page.close()
    await screen.ticks('BTC-USD', 1)
  })
})
