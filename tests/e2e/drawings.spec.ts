/** Drawing on a chart, in both hosts: by mouse, by the keyboard alone, and what is kept. */
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { Screen } from './screen.ts'
import { BROWSER_ONLY } from './tags.ts'

/** Every tool and where it is clicked, as parts of the chart's width and height. */
const TOOLS: readonly { readonly name: string; readonly at: readonly (readonly [number, number])[] }[] = [
  { name: 'Trend line', at: [[0.3, 0.6], [0.4, 0.5]] },
  { name: 'Ray', at: [[0.3, 0.65], [0.4, 0.6]] },
  { name: 'Extended line', at: [[0.3, 0.7], [0.4, 0.65]] },
  { name: 'Horizontal line', at: [[0.5, 0.25]] },
  { name: 'Vertical line', at: [[0.2, 0.4]] },
  { name: 'Channel', at: [[0.1, 0.6], [0.2, 0.5], [0.15, 0.65]] },
  { name: 'Regression channel', at: [[0.15, 0.5], [0.7, 0.5]] },
  { name: 'Andrews’ pitchfork', at: [[0.1, 0.5], [0.2, 0.4], [0.22, 0.55]] },
  { name: 'Fibonacci retracement', at: [[0.6, 0.6], [0.65, 0.4]] },
  { name: 'Fibonacci extension', at: [[0.6, 0.7], [0.64, 0.6], [0.66, 0.65]] },
  { name: 'Rectangle', at: [[0.42, 0.6], [0.5, 0.7]] },
  { name: 'Arrow', at: [[0.52, 0.5], [0.55, 0.4]] },
  { name: 'Text', at: [[0.25, 0.3]] },
  { name: 'Note', at: [[0.3, 0.4], [0.4, 0.2]] },
  { name: 'Brush', at: [[0.1, 0.3], [0.2, 0.25]] },
  { name: 'Long position', at: [[0.05, 0.5], [0.09, 0.4]] },
  { name: 'Short position', at: [[0.68, 0.5], [0.72, 0.6]] },
  { name: 'Measure', at: [[0.73, 0.3], [0.78, 0.4]] },
] // oxfmt-ignore

/**
 * In Electron one tool for each way to draw: by clicks, by text, by holding the button. The window is the same in both
 * hosts, and every tool draws in the browser's. What differs is how drawings are saved and read again.
 */
const ONE_OF_EACH = new Set(['Trend line', 'Channel', 'Text', 'Brush'])

/** Drawings that are there for their text. */
const WRITTEN = new Set(['Text', 'Note'])

class HostBridge {
  readonly page: Page
  readonly chart: Locator
  constructor(page: Page) {
    this.page = page
    this.chart = page.getByRole('application', { name: /^Chart of / }).first()
  }
  get opener(): Locator {
    return this.page.getByRole('button', { name: 'Drawings', exact: true }).first()
  }
  get panel(): Locator {
    return this.page.getByRole('dialog', { name: 'Drawings', exact: true })
  }
  get bar(): Locator {
    return this.page.getByRole('toolbar', { name: /^Style of / })
  }
  async px([x, y]: readonly [number, number]): Promise<{ x: number; y: number }> {
    const box = await this.chart.boundingBox()
    if (!box) throw new Error('the chart is not there')
    return { x: Math.round(box.x + box.width * x), y: Math.round(box.y + box.height * y) }
  }
  async click(at: readonly [number, number]): Promise<void> {
    const { x, y } = await this.px(at)
    await this.page.mouse.move(x, y)
    await this.page.mouse.click(x, y)
  }
  async choose(tool: string): Promise<void> {
    await this.opener.click()
    await this.panel.getByRole('button', { name: tool, exact: true }).click()
    await expect(this.panel).toBeHidden()
  }
  /** What the list of drawings says, the topmost first: "Trend line 61,640.12 → 61,655.02". */
  async list(): Promise<string[]> {
    await this.opener.click()
    await expect(this.panel).toBeVisible()
    const rows = this.panel.getByRole('list').getByRole('listitem')
    const texts = (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
    await this.page.keyboard.press('Escape')
    await expect(this.panel).toBeHidden()
    return texts
  }
  /** Draws with a tool chosen, and ends it. */
  async draw(tool: (typeof TOOLS)[number]): Promise<void> {
    await this.choose(tool.name)
    if (tool.name === 'Brush') {
      const [from, to] = [await this.px(tool.at[0]), await this.px(tool.at[1])]
      await this.page.mouse.move(from.x, from.y)
      await this.page.mouse.down()
      await this.page.mouse.move(to.x, to.y, { steps: 12 })
      await this.page.mouse.move(to.x, to.y + 30, { steps: 6 })
      await this.page.mouse.up()
      // The brush stays in the hand.
      await this.page.keyboard.press('Escape')
      return
    }
    for (const at of tool.at) await this.click(at)
    if (WRITTEN.has(tool.name)) {
      await this.page.keyboard.type('supply here')
      await this.page.keyboard.press('Enter')
    }
    await expect(this.bar).toBeVisible()
    await this.page.keyboard.press('Escape')
    await expect(this.bar).toBeHidden()
  }
}

/** Waits until the chart has a bar before the one that forms: the crosshair can step to it. */
async function ready(page: Page): Promise<HostBridge> {
  const desk = new HostBridge(page)
  await new Screen(page).trades('BTC-USD')
  await expect(async () => {
    await desk.chart.focus()
    await page.keyboard.press('ArrowLeft')
    await expect(page.getByText(/: open [\d,.]+, high/).first()).toBeAttached({ timeout: 1_000 })
  }).toPass()
  await page.keyboard.press('Escape')
  return desk
}

test('every tool draws by mouse; all of it is there after a restart, and at the same prices at another interval', async ({
  open,
  host,
}) => {
  test.setTimeout(300_000)
  const tools = host === 'electron' ? TOOLS.filter(({ name }) => ONE_OF_EACH.has(name)) : TOOLS
  let app = await open()
  let desk = await ready(app.page)
  for (const tool of tools) await desk.draw(tool)
  const drawn = await desk.list()
  expect(drawn.map((text) => text.replace(/ [\d,.]+.*$/, ''))).toEqual(
    tools.map(({ name }) => (WRITTEN.has(name) ? 'supply here' : name)).toReversed(),
  )

  await test.step('undo takes the last one back, redo brings it again', async () => {
    await desk.chart.focus()
    await app.page.keyboard.press('Control+z')
    expect(await desk.list()).toEqual(drawn.slice(1))
    await desk.chart.focus()
    await app.page.keyboard.press('Control+y')
    expect(await desk.list()).toEqual(drawn)
  })
  await test.step('another interval', async () => {
    await new Screen(app.page).interval('5m').click()
    await expect(desk.chart).toBeVisible()
    expect(await desk.list()).toEqual(drawn)
  })
  await test.step('a reload, and a new start', async () => {
    await app.page.reload()
    desk = new HostBridge(app.page)
    await desk.chart.waitFor()
    await expect.poll(() => desk.list(), { timeout: 30_000 }).toEqual(drawn)
    await app.close()
    app = await open()
    desk = new HostBridge(app.page)
    await desk.chart.waitFor()
    await expect.poll(() => desk.list(), { timeout: 30_000 }).toEqual(drawn)
  })
  await test.step('all deleted at once, and given back', async () => {
    await desk.opener.click()
    await desk.panel.getByRole('button', { name: 'Delete all drawings' }).click()
    await app.page.keyboard.press('Escape')
    expect(await desk.list()).toEqual([])
    await desk.chart.focus()
    await app.page.keyboard.press('Control+z')
    await expect.poll(() => desk.list()).toEqual(drawn)
  })
})

test(
  'a drawing is selected, moved, styled, locked, ordered, copied and deleted by mouse',
  { tag: BROWSER_ONLY },
  async ({ open }) => {
    test.setTimeout(180_000)
    const { page } = await open()
    const desk = await ready(page)
    await test.step('drawn and moved by its line', async () => {
      const { x, y } = await desk.px([0.4, 0.3])
      await expect(async () => {
        await desk.choose('Horizontal line')
        await desk.click([0.4, 0.3])
        await page.mouse.down()
        await page.mouse.move(x, y + 40, { steps: 5 })
        // The scale may have followed the market just then: the line is elsewhere, and the next try takes its own.
        const held = await desk.chart.getAttribute('data-drawing')
        await page.mouse.up()
        expect(held).toBe('grabbing')
      }).toPass()
      await expect(desk.bar).toHaveAccessibleName('Style of Horizontal line')
      const [moved] = await desk.list()
      await desk.chart.focus()
      await page.keyboard.press('Control+z')
      const [before] = await desk.list()
      expect(before).not.toBe(moved)
      await desk.chart.focus()
      await page.keyboard.press('Control+y')
      expect((await desk.list())[0]).toBe(moved)
    })
    await test.step('styled', async () => {
      await desk.bar.getByRole('radio', { name: 'Orange' }).click()
      await desk.bar.getByLabel('Width', { exact: true }).selectOption('3')
      await desk.bar.getByLabel('Line style', { exact: true }).selectOption('dashed')
      await expect(desk.bar.getByRole('radio', { name: 'Orange' })).toBeChecked()
      // The next of its kind looks alike: drawn, seen, and taken back.
      await desk.choose('Horizontal line')
      await desk.click([0.4, 0.6])
      await expect(desk.bar.getByRole('radio', { name: 'Orange' })).toBeChecked()
      await page.keyboard.press('Delete')
      await page.keyboard.press('Escape')
    })
    await test.step('duplicated, ordered, locked and hidden from the list', async () => {
      await desk.chart.focus()
      // Only one is left, whatever it took to hold it.
      await expect(async () => {
        await page.keyboard.press('Alt+d')
        if ((await desk.list()).length === 1) return
        await desk.chart.focus()
        await page.keyboard.press('Delete')
        throw new Error('there are more')
      }).toPass()
      await desk.chart.focus()
      await page.keyboard.press('Control+d')
      const [copy, first] = await desk.list()
      expect(copy).not.toBe(first)
      await desk.opener.click()
      const rows = desk.panel.getByRole('listitem')
      await rows.first().hover()
      await rows.first().getByRole('button', { name: 'Send Horizontal line backward' }).click()
      await expect(rows.last()).toContainText(copy.replace('Horizontal line ', ''))
      await rows.last().getByRole('button', { name: 'Lock Horizontal line' }).click()
      await expect(rows.last().getByRole('button', { name: 'Delete Horizontal line' })).toBeDisabled()
      await rows.first().getByRole('button', { name: 'Delete Horizontal line' }).click()
      await expect(rows).toHaveCount(1)
      await rows.first().getByRole('button', { name: 'Hide Horizontal line' }).click()
      await expect(rows.first().getByRole('button', { name: 'Hide Horizontal line' })).toHaveAttribute(
        'aria-pressed',
        'true',
      )
      await page.keyboard.press('Escape')
    })
  },
)

test('every tool draws, and a drawing is changed, by the keyboard alone', { tag: BROWSER_ONLY }, async ({ open }) => {
  test.setTimeout(300_000)
  const { page } = await open()
  const desk = await ready(page)
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await desk.chart.focus()
  // The ready key of the trend line; the others by the menu.
  await press('Alt+k', 'ArrowLeft', 'Enter', 'ArrowRight', 'Shift+ArrowUp', 'Enter')
  await expect(desk.bar).toHaveAccessibleName('Style of Trend line')
  await press('Escape')
  for (const { name, at } of TOOLS.slice(1)) {
    await desk.opener.focus()
    await press('Enter')
    await desk.panel.getByRole('button', { name, exact: true }).focus()
    await press('Enter')
    await expect(desk.chart).toBeFocused()
    await press('Enter')
    if (name === 'Brush') await press('ArrowRight', 'Shift+ArrowUp', 'ArrowRight', 'Enter')
    else for (let i = 1; i < at.length; i++) await press('ArrowRight', 'Shift+ArrowUp', 'Enter')
    if (WRITTEN.has(name)) {
      await page.keyboard.type('noted')
      await press('Enter')
    }
    await press('Escape')
    await expect(desk.chart).toBeFocused()
  }
  const drawn = await desk.list()
  expect(drawn).toHaveLength(TOOLS.length)

  await test.step('selected, moved, its points changed, undone step by step', async () => {
    await desk.chart.focus()
    await press('Alt+d')
    await expect(desk.bar).toHaveAccessibleName('Style of Trend line')
    await press('Shift+ArrowUp', 'Shift+ArrowUp')
    const moved = await desk.list()
    expect(moved.at(-1)).not.toBe(drawn.at(-1))
    await desk.chart.focus()
    await press('Enter', 'Tab', 'Shift+ArrowDown', 'Escape')
    const bent = await desk.list()
    expect(bent.at(-1)).not.toBe(moved.at(-1))
    expect(bent.at(-1)?.split('→')[0]).toBe(moved.at(-1)?.split('→')[0])
    await desk.chart.focus()
    await press('Control+z')
    expect(await desk.list()).toEqual(moved)
    await desk.chart.focus()
    await press('Control+z')
    expect(await desk.list()).toEqual(drawn)
  })
  await test.step('the next by Tab, the menu by its key, copied, pasted, deleted', async () => {
    await desk.chart.focus()
    await press('Tab')
    await expect(desk.bar).toHaveAccessibleName('Style of Ray')
    await press('Shift+F10')
    await expect(page.getByRole('menu', { name: 'Ray' })).toBeVisible()
    await press('ArrowDown', 'Enter')
    await expect(page.getByRole('menu', { name: 'Ray' })).toBeHidden()
    await expect(desk.chart).toBeFocused()
    await press('Control+v')
    await expect.poll(async () => (await desk.list()).length).toBe(TOOLS.length + 1)
    await desk.chart.focus()
    await press('Delete')
    await expect.poll(() => desk.list()).toEqual(drawn)
    // With nothing selected Tab goes on to the next control: no trap.
    await desk.chart.focus()
    await press('Escape', 'Tab')
    await expect(desk.chart).not.toBeFocused()
  })
})

test(
  'templates: a long name leaves room for its buttons, Esc closes the panel, a deletion is undone',
  { tag: BROWSER_ONLY },
  async ({ open }) => {
    const { page } = await open()
    const desk = await ready(page)
    // A drawing is selected once it is drawn. Later, the scale may have followed the market.
    await desk.choose(TOOLS[0].name)
    for (const at of TOOLS[0].at) await desk.click(at)
    const opener = desk.bar.getByRole('button', { name: 'Templates' })
    const panel = page.getByRole('dialog', { name: 'Templates' })
    const name = 'Support and resistance of the weekly chart, dashed, wide'
    await opener.click()
    await panel.getByRole('textbox', { name: 'Template name' }).fill(name)
    await page.keyboard.press('Enter')
    const remove = panel.getByRole('button', { name: `Delete template ${name}` })
    for (const button of [remove, panel.getByRole('button', { name: 'Save' })])
      await expect(button).toBeInViewport({ ratio: 1 })
    await remove.focus()
    await page.keyboard.press('Escape')
    await expect(panel).toBeHidden()
    await expect(opener).toBeFocused()
    await page.keyboard.press('Enter')
    await remove.click()
    await expect(remove).toBeHidden()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await opener.click()
    await expect(remove).toBeVisible()
  },
)

// Another page of the browser host is another window.
test('another window of the same terminal shows what is drawn', { tag: BROWSER_ONLY }, async ({ open }) => {
  const { page } = await open()
  const desk = await ready(page)
  const other = await page.context().newPage()
  // The secret of the session lies in the page that was opened first.
  const secret = await page.evaluate(() => JSON.stringify({ ...sessionStorage }))
  await other.addInitScript((kept) => {
    for (const [key, value] of Object.entries(JSON.parse(kept) as Record<string, string>))
      sessionStorage.setItem(key, value)
  }, secret)
  await other.goto(page.url())
  const there = new HostBridge(other)
  await there.chart.waitFor()
  await desk.draw(TOOLS[3])
  await expect.poll(() => there.list()).toEqual(await desk.list())
  await other.close()
})
