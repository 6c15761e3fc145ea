/** A footprint of a recording: each figure is that of the exported trades, and the messages of a row are a key away. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { runCli } from './app.ts'
import { expect, test } from './fixtures.ts'
import { FLOW_BARS, orderFlowMarket, type FlowTrade } from './order-flow-market.ts'
import { Screen } from './screen.ts'
import { tradesOf } from './trades-file.ts'

const MINUTE = 60_000

// It goes through the messages of a row one by one: on a busy machine that takes its time.
test.setTimeout(180_000)

/** One price row of a bar, as the table lists it. */
interface Row {
  readonly from: number
  readonly sold: number
  readonly bought: number
  readonly delta: number
  readonly unknown: number
  readonly trades: number
}

/** The rows of bars of a minute, the newest bar and the highest price first. */
function rowsOf(trades: readonly FlowTrade[], step: number): Row[] {
  const rows = new Map<string, { minute: number; row: Row }>()
  for (const { ms, price, size, side } of trades) {
    const [minute, from] = [Math.floor(ms / MINUTE), Math.floor(price / step) * step]
    const before = rows.get(`${minute} ${from}`)?.row ?? { from, sold: 0, bought: 0, delta: 0, unknown: 0, trades: 0 }
    const row: Row = {
      from,
      sold: before.sold + (side === -1 ? size : 0),
      bought: before.bought + (side === 1 ? size : 0),
      delta: before.delta + side * size,
      unknown: before.unknown + (side === 0 ? size : 0),
      trades: before.trades + 1,
    }
    rows.set(`${minute} ${from}`, { minute, row })
  }
  return [...rows.values()].sort((a, b) => b.minute - a.minute || b.row.from - a.row.from).map(({ row }) => row)
}

const number = (text: string): number => Number(text.replaceAll(',', '').replace('−', '-'))

/** The rows of the chart's table, which must be open. */
async function listed(page: Page): Promise<Row[]> {
  const table = page.getByRole('region', { name: 'Footprint of the visible bars' })
  const cells = await table
    .locator('tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent.trim())))
  return cells.map(([, ...figures]) => {
    const [from, sold, bought, delta, unknown, trades] = figures.map(number)
    return { from, sold, bought, delta, unknown, trades }
  })
}

test('the figures of a footprint are those of the messages, which open from its rows', async ({ open, home }) => {
  const { lines, trades } = orderFlowMarket()
  const file = join(home, 'flow.jsonl')
  await writeFile(file, lines)
  for (const args of [
    ['import', file],
    ['export', '--feed', 'crypto/XT', '--symbol', 'BTC-USD', '--out', join(home, 'trades.csv')],
  ]) {
    const { code, err } = await runCli(args, home)
    expect(code, err).toBe(0)
  }
  const exported = await tradesOf(join(home, 'trades.csv'), 'BTC-USD')
  expect(exported).toEqual(trades.map(({ ms, price, size }) => ({ eventMs: ms, price, size })))

  const { page } = await open()
  page.setDefaultTimeout(15_000)
  const screen = new Screen(page)
  const chart = page.getByRole('application', { name: /^Chart of BTC-USD/ })
  const region = screen.chart('BTC-USD')
  let rows: Row[] = []

  await test.step('every row of every bar has what was traded there', async () => {
    await expect(page.getByRole('banner')).toBeVisible({ timeout: 30_000 })
    await page.keyboard.press('Alt+r')
    await page.getByRole('region', { name: 'Replay' }).getByRole('slider', { name: 'Replay position' }).focus()
    await page.keyboard.press('End')
    await expect(screen.bigPrice()).toHaveText(/\d/)
    await screen.interval('1m').click()
    await chart.focus()
    await page.keyboard.press('Control+Shift+f')
    await expect.poll(() => region.locator('.legend').first().innerText()).toMatch(/Rows of [\d.]+ \(auto\)/)
    const [, step = ''] = /Rows of ([\d.]+)/.exec(await region.locator('.legend').first().innerText()) ?? []
    rows = rowsOf(trades, Number(step))
    expect(rows.length).toBeGreaterThan(FLOW_BARS * 4)
    await region.getByRole('button', { name: 'Table' }).click()
    await expect.poll(() => listed(page)).toEqual(rows)
    await region.getByRole('button', { name: 'Table' }).click()
  })

  const said = region.locator('p[aria-live]').first()
  const last = rows.slice(
    0,
    rows.findIndex((row, i) => i > 0 && row.from >= rows[i - 1].from),
  )
  const most = last.reduce((best, row) => (volume(row) > volume(best) ? row : best))
  const above = last[last.indexOf(most) - 1]

  await test.step('keys move over the rows of a bar, and say each one', async () => {
    await chart.focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowUp')
    await expect(said).toContainText(sentence(most))
    await expect(said).toContainText('most volume of the bar')
    await page.keyboard.press('ArrowUp')
    await expect(said).toContainText(sentence(above))
    await page.keyboard.press('ArrowDown')
    await expect(said).toContainText(sentence(most))
  })

  await test.step('Enter opens the messages of the row: their sizes are its volume', async () => {
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: /^Messages behind BTC-USD .* to below / })
    await expect(dialog.getByRole('status')).toHaveText(`${most.trades} messages`)
    let total = 0
    for (let i = 0; i < most.trades; i++) {
      await expect(dialog.getByRole('option', { selected: true })).toHaveId(`message-${i}`)
      const raw = JSON.parse(await dialog.locator('pre').innerText()) as { p: number; s: number } // as it was made
      expect(raw.p).toBeGreaterThanOrEqual(most.from)
      total += raw.s
      await page.keyboard.press('ArrowDown')
    }
    expect(total).toBe(volume(most))
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  })

  await test.step('a screen reader hears how far the figures can be trusted', async () => {
    await expect(chart).toHaveAccessibleDescription(
      /^Footprint: Sides inferred, 9\d\.\d % explained by quotes\. \d\.\d % of trades have no side\. Counted over/,
    )
  })

  const legend = async () => (await region.locator('.legend').allInnerTexts()).join(' ').replace(/\s+/g, ' ')
  await test.step('a volume profile of a range takes two keys, or two clicks', async () => {
    await chart.focus()
    await page.keyboard.press('Control+Alt+v')
    const prompt = region.getByText('Click the first bar, or drag over the range')
    await expect(prompt).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(prompt).toBeHidden()
    await page.keyboard.press('Control+Alt+v')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await expect.poll(legend).toMatch(/VP .*value area .*from trades/)
    await expect(chart).toHaveAccessibleDescription(/ VP .*: Sides inferred, /)

    await page.keyboard.press('Control+Shift+v')
    await expect.poll(legend).not.toContain('value area')
    const area = await chart.boundingBox()
    if (!area) throw new Error('the chart is not there')
    const point = { x: area.x + area.width * 0.5, y: area.y + area.height * 0.5 }
    await page.mouse.click(point.x, point.y, { button: 'right' })
    await page.getByRole('menuitem', { name: 'Volume profile of a range…' }).click()
    await page.mouse.click(point.x, point.y)
    await expect(region.getByText('Click the last bar')).toBeVisible()
    await page.mouse.click(area.x + area.width * 0.9, point.y)
    await expect.poll(legend).toMatch(/VP .*value area .*from trades/)
  })
})

const volume = (row: Row): number => row.sold + row.bought + row.unknown

/** How the chart says a row; the name of the price above it is left out. */
function sentence({ sold, bought, unknown, trades }: Row): string {
  const sides = `sold ${sold}, bought ${bought}`
  return `${sides}${unknown > 0 ? `, unknown ${unknown}` : ''}, ${trades} trade${trades === 1 ? '' : 's'}`
}

test('a profile over days has the trades of these days', async ({ open, home }) => {
  const DAY = 24 * 60 * MINUTE
  const fromMs = Date.UTC(2026, 2, 2)
  // Each day 16 trades at each of three prices: of 9 at 100 to 102, of 5 at 105 to 107, of 1 at 110 to 112.
  const days = [[100, 9], [105, 5], [110, 1]] as const // oxfmt-ignore
  const lines = days.flatMap(([price, size], day) =>
    Array.from({ length: 48 }, (_, i) => {
      const ms = fromMs + day * DAY + i * 30 * MINUTE + 1_000
      const raw = JSON.stringify({ ev: 'XT', pair: 'BTC-USD', p: price + (i % 3), t: ms, s: size })
      return JSON.stringify({ feed: 'crypto/XT', symbol: 'BTC-USD', recv_ms: ms + 3, seq: day * 48 + i + 1, raw })
    }),
  )
  const file = join(home, 'days.jsonl')
  await writeFile(file, `${lines.join('\n')}\n`)
  const { code, err } = await runCli(['import', file], home)
  expect(code, err).toBe(0)
  const { page } = await open()
  const screen = new Screen(page)
  await expect(page.getByRole('banner')).toBeVisible({ timeout: 30_000 })
  await page.keyboard.press('Alt+r')
  await page.getByRole('region', { name: 'Replay' }).getByRole('slider', { name: 'Replay position' }).press('End')
  await expect(screen.bigPrice()).toHaveText(/\d/)
  await screen.interval('1h').click()
  const chart = page.getByRole('application', { name: /^Chart of BTC-USD/ })
  await chart.focus()
  await page.keyboard.press('Control+Shift+v')
  await chart.focus()
  await page.keyboard.press('/')
  const box = page.getByRole('dialog', { name: 'Indicators', exact: true })
  await box.getByRole('button', { name: 'Settings for VP' }).click()
  await expect(box.getByRole('spinbutton', { name: 'Days' })).toHaveCount(0)
  await box.getByRole('combobox', { name: 'Range' }).selectOption({ label: 'Last days in view' })
  const legend = screen.chart('BTC-USD').locator('.legend').first()
  // By hand: 70 % of 288 are 208 = 107 + 106 + 110 to 112, and 70 % of 720 are 512 = 100 to 102 + 105. Of equal rows, the
  // one nearest the middle has the most; 48 levels share the range from the lowest price to the highest one.
  for (const [count, most, low, high] of [
    [2, 107, 105.8, 112.2],
    [3, 102, 100, 105.5],
  ] as const) {
    // oxfmt-ignore
    await box.getByRole('spinbutton', { name: 'Days' }).fill(String(count))
    await page.keyboard.press('Tab')
    await expect(legend).toContainText(new RegExp(`VP ${count} days`))
    await expect.poll(() => legend.innerText()).toMatch(/value area/)
    const levels = async (): Promise<readonly number[]> => {
      const said = (await legend.innerText()).replaceAll(/\s+/g, ' ')
      return (/days ([\d.]+) value area ([\d.]+) to ([\d.]+)/.exec(said) ?? []).slice(1).map(Number)
    }
    await expect
      .poll(async () => (await levels()).map((one, i) => Math.abs(one - [most, low, high][i]) < 0.3))
      .toEqual([true, true, true])
  }
})
