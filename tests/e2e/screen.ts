/** What a user finds on the window, by role and name: what a screen reader hears is what the tests look for. */
import { expect, type Locator, type Page } from '@playwright/test'

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

export class Screen {
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }

  /** The pill of the source; its name tells where the prices come from. */
  source(name: RegExp = /^Source: /): Locator {
    return this.page.getByRole('banner').getByRole('button', { name })
  }
  /** The status dot, which opens the Health page. Its name says how many feeds are open. */
  health(): Locator {
    return this.page.getByRole('banner').getByRole('button', { name: /^Health: / })
  }
  /** Waits until every feed that something wants is open. */
  async allFeedsOpen(timeout: number): Promise<void> {
    await expect(this.health()).toHaveAccessibleName(/^Health: ([1-9]\d*) of \1 feeds open/, { timeout })
  }
  recorder(): Locator {
    return this.page.getByRole('banner').getByRole('button', { name: /recording/i })
  }
  watchlist(): Locator {
    return this.page.getByRole('region', { name: 'Watchlist' })
  }
  /** The row of a symbol in the watchlist on screen. */
  row(symbol: string): Locator {
    const head = this.page.getByRole('rowheader', { name: new RegExp(`^${escape(symbol)}( ?,|$)`) })
    return this.watchlist().getByRole('row').filter({ has: head })
  }
  last(symbol: string): Locator {
    return this.row(symbol).getByRole('gridcell').first()
  }
  chart(symbol: string): Locator {
    return this.page.getByRole('region', { name: `Chart of ${symbol}` })
  }
  interval(name: string): Locator {
    return this.page.getByRole('radiogroup', { name: 'Interval' }).getByRole('radio', { name, exact: true })
  }
  quote(): Locator {
    return this.page.getByRole('region', { name: 'Quote' })
  }
  bigPrice(): Locator {
    return this.quote().getByTestId('big-price')
  }
  tape(): Locator {
    return this.page.getByRole('region', { name: 'Time & sales' })
  }
  prints(): Locator {
    return this.tape()
      .getByRole('table')
      .getByRole('row')
      .filter({ has: this.page.getByRole('cell') })
  }
  dialog(name: string): Locator {
    return this.page.getByRole('dialog', { name })
  }

  /** The bars on screen, as the chart's own table tells them; the table is put away again. */
  async bars(symbol: string): Promise<string[][]> {
    const chart = this.chart(symbol)
    const toggle = chart.getByRole('button', { name: 'Table' })
    await toggle.click()
    const table = chart.getByRole('region', { name: 'Visible bars' })
    await expect(table).toBeVisible()
    const rows = await table
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent.trim())))
    await toggle.click()
    await expect(table).toBeHidden()
    return rows
  }

  /** Waits until a symbol trades: its price is there and its row is not marked as anything but live. */
  async trades(symbol: string): Promise<void> {
    // The first price comes after all of a start, which is long on a machine that does other things too.
    await expect(this.last(symbol)).toHaveText(/\d/, { timeout: 30_000 })
    await expect(this.row(symbol).getByRole('rowheader', { name: symbol, exact: true })).toBeVisible()
  }

  /** Waits until the price of a symbol has changed `times` times from what it is now. */
  async ticks(symbol: string, times = 2): Promise<void> {
    for (let i = 0; i < times; i++) {
      const before = await this.last(symbol).innerText()
      await expect(this.last(symbol)).not.toHaveText(before)
    }
  }

  /** Replays the newest session that has ended, else the present one, from its very start. */
  async replayFromStart(): Promise<void> {
    await this.page.keyboard.press('Alt+r')
    const dock = this.page.getByRole('region', { name: 'Replay' })
    await expect(dock).toBeVisible()
    // It opens a tenth into a short session, which can be after what a test has just done on a busy machine.
    await dock.getByRole('button', { name: 'Go to start' }).click()
  }

  async addSymbol(typed: string, symbol: string): Promise<void> {
    const box = this.watchlist().getByRole('combobox')
    await box.click()
    await box.fill(typed)
    await expect(this.watchlist().getByRole('option', { name: symbol }).first()).toBeVisible()
    await box.press('Enter')
    // Enter waits for the answer to what was typed, and Escape takes it back.
    await expect(this.row(symbol)).toBeVisible()
    await box.press('Escape')
  }
}
