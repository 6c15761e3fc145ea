/**
 * The ready-made workspaces as pictures, dark and light, over a recording that is the same each time and stands still at its
 * end. `npx playwright test snapshots --project=browser --update-snapshots` takes them anew.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { DEFAULT_SETTINGS, mergeSettings } from '../../kit/settings.ts'
import type { FeedId } from '../../../src/shared/base/units.ts'
import { createLoad, writersOf } from '../../../src/simulator/pump.ts'
import { appEnv, CLI, pinnedNode, ROOT, type OpenApp, type OpenOptions } from '../app.ts'
import { expect, test } from '../fixtures.ts'
import { orderFlowMarket } from '../order-flow-market.ts'
import { Screen } from '../screen.ts'

const FROM_MS = Date.UTC(2026, 2, 4, 15)
const EVERY_MS = 200
const MESSAGES = 9_000
const CRYPTO = ['BTC-USD', 'ETH-USD', 'SOL-USD', 'DOGE-USD']
const FOREX = ['EURUSD', 'USDJPY', 'GBPUSD', 'NZDUSD']
const STOCKS = ['AAPL', 'SPY', 'IBM', 'NVDA']
const SYMBOLS: readonly (readonly [FeedId, string])[] = [
  ...CRYPTO.flatMap((one) => [['crypto/XT', one] as const, ['crypto/XQ', one] as const]),
  ...FOREX.map((one) => ['forex/C', one] as const),
  ...STOCKS.flatMap((one) => [['stocks/T', one] as const, ['stocks/Q', one] as const]),
]
const NAMES = ['Overview', 'Day trading', 'Review', 'Research', 'Charts 2 × 2', 'Charts 3 × 3']
/** What tells of this very run: the recorder and the latency, when and how large the store is. */
const varies = (page: Page) => [
  page.getByRole('banner'),
  page.getByRole('contentinfo'),
  page.locator('[data-pane="sessions"] [role="gridcell"]'),
]
/** Two runs on one machine differ by 27 of 655,360 pixels at most. Three candles of another color are above this. */
const ROOM = { threshold: 0.25, maxDiffPixels: 300 }

/** Messages of a market that walks the same way each time, as lines of our own JSON. */
function recording(): string {
  const load = createLoad(writersOf('javascript'))
  return Array.from({ length: MESSAGES }, (_, i) => {
    const [feed, symbol] = SYMBOLS[(i * 7) % SYMBOLS.length]
    const ms = FROM_MS + i * EVERY_MS
    return JSON.stringify({ feed, symbol, recv_ms: ms + 3, seq: i + 1, raw: load(feed, symbol, ms) })
  }).join('\n')
}

/** A market that falls twice a second, with 12 seconds missing; and the manifest that tells of the gap. */
async function fallWithGap(file: string): Promise<void> {
  const lines: string[] = []
  for (let i = 0; i < 160; i++) {
    if (i >= 80 && i < 104) continue
    const ms = FROM_MS + i * 500
    const raw = JSON.stringify({ ev: 'XT', pair: 'BTC-USD', p: 62_000 - i / 2, t: ms, s: 0.5 })
    lines.push(JSON.stringify({ feed: 'crypto/XT', symbol: 'BTC-USD', recv_ms: ms + 3, seq: i + 1, raw }))
  }
  const text = `${lines.join('\n')}\n`
  await writeFile(file, text)
  const gap = {
    session: 'fall',
    feed: 'crypto/XT',
    symbols: [],
    cause: 'drop',
    from: new Date(FROM_MS + 39_503).toISOString(),
    to: new Date(FROM_MS + 52_003).toISOString(),
    from_seq: 81,
    to_seq: 104,
  }
  const sha256 = createHash('sha256').update(text).digest('hex')
  const manifest = { schema: 'tapedeck/ticks/1', sessions: ['fall'], sha256, gaps: [gap] }
  await writeFile(`${file}.manifest.json`, JSON.stringify(manifest))
}

async function run(home: string, ...args: string[]): Promise<void> {
  const child = spawn(pinnedNode(), [CLI, ...args], {
    cwd: ROOT,
    env: appEnv(home),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = (await once(child, 'close')) as [number | null] // what the process module gives
  expect(code, said).toBe(0)
}

/** Everything that was asked for is painted: nothing on screen changes any more. */
async function still(page: Page): Promise<void> {
  await page.mouse.move(2, 2)
  await page.evaluate(async () => {
    await document.fonts.ready
    for (let i = 0; i < 12; i++) await new Promise((next) => requestAnimationFrame(next))
  })
}

/** Imports a file and opens it as a replay that stands still at its end. */
async function openAtEnd(
  { open, home }: { readonly open: (options: Partial<OpenOptions>) => Promise<OpenApp>; readonly home: string },
  file: string,
): Promise<Page> {
  await run(home, 'import', file)
  const settings = mergeSettings(DEFAULT_SETTINGS, {
    recording: { enabled: false },
    help: { tourSeen: true },
    zone: 'UTC',
  })
  await writeFile(join(home, 'settings.json'), JSON.stringify(settings))
  const { page } = await open({ size: { width: 1024, height: 640 } })
  await expect(page.getByRole('banner')).toBeVisible({ timeout: 30_000 })
  await page.keyboard.press('Alt+r')
  const dock = page.getByRole('region', { name: 'Replay' })
  await expect(dock).toBeVisible({ timeout: 30_000 })
  await dock.getByRole('slider', { name: 'Replay position' }).focus()
  await page.keyboard.press('End')
  await expect(new Screen(page).bigPrice()).toHaveText(/\d/)
  return page
}

async function dress(page: Page, theme: string): Promise<void> {
  const root = page.locator('html')
  if ((await root.getAttribute('data-theme')) !== theme) await page.keyboard.press('Alt+t')
  await expect(root).toHaveAttribute('data-theme', theme)
}

/** The chart with all of its bars, which has the focus, looks as in a picture. */
async function expectFitted(page: Page, picture: string): Promise<void> {
  // Bars from before may come a moment later than the newest: Home fits those that are there.
  await expect(async () => {
    await page.keyboard.press('Home')
    await still(page)
    const look = { ...ROOM, animations: 'disabled', caret: 'hide', timeout: 2_000 } as const
    await expect(page.getByRole('application', { name: /^Chart of BTC-USD/ })).toHaveScreenshot(picture, look)
  }).toPass({ timeout: 30_000 })
}

test('a falling market with a gap looks as it did [needs linux]', async ({ open, home }) => {
  test.skip(process.platform !== 'linux', 'letters are drawn otherwise on other systems')
  const file = join(home, 'fall.jsonl')
  await fallWithGap(file)
  const page = await openAtEnd({ open, home }, file)
  const chart = page.getByRole('application', { name: /^Chart of BTC-USD/ })
  for (const [theme, picture] of [
    ['dark', 'falling-with-gap.png'],
    ['light', 'falling-with-gap-light.png'],
  ]) {
    await dress(page, theme)
    await chart.focus()
    await expectFitted(page, picture)
  }
})

test('a footprint looks as it did [needs linux]', async ({ open, home }) => {
  test.skip(process.platform !== 'linux', 'letters are drawn otherwise on other systems')
  test.setTimeout(120_000)
  const file = join(home, 'flow.jsonl')
  await writeFile(file, orderFlowMarket().lines)
  const page = await openAtEnd({ open, home }, file)
  const region = new Screen(page).chart('BTC-USD')
  await region.getByRole('application').focus()
  await page.keyboard.type('1m')
  await expect(region.locator('.legend').first()).toContainText('Trades · 1m')
  await page.keyboard.press('Control+Shift+f')
  for (const theme of ['dark', 'light']) {
    await dress(page, theme)
    await region.getByRole('application').focus()
    await expectFitted(page, `footprint-${theme}.png`)
  }
})

test('the ready-made workspaces look as they did [needs linux]', async ({ open, home }) => {
  test.skip(process.platform !== 'linux', 'letters are drawn otherwise on other systems')
  test.setTimeout(120_000)
  const file = join(home, 'snapshots.jsonl')
  await writeFile(file, `${recording()}\n`)
  const page = await openAtEnd({ open, home }, file)
  for (const theme of ['dark', 'light']) {
    await dress(page, theme)
    for (const name of NAMES) {
      await test.step(`${name}, ${theme}`, async () => {
        await page
          .getByRole('banner')
          .getByRole('button', { name: /^Workspace: / })
          .click()
        await page.locator('[data-open]').getByRole('button', { name, exact: true }).click()
        const charts = page.getByRole('application', { name: /^Chart of / })
        const told = page.locator('.legend').filter({ hasText: /C\s*[\d.,]+/ })
        await expect(told.nth((await charts.count()) - 1)).toBeAttached()
        // Its chart has one bar, and says so after a rest.
        if (name === 'Research') await expect(page.getByText(/^The first bar starts /)).toBeVisible()
        await still(page)
        const picture = `${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-${theme}.png`
        await expect.soft(page).toHaveScreenshot(picture, {
          ...ROOM,
          animations: 'disabled',
          caret: 'hide',
          mask: varies(page),
          maskColor: '#808080',
        })
      })
    }
  }
})
