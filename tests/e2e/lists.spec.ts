/** Lists of symbols from elsewhere, and symbols that nobody has seen. */
import { line, violations } from './accessibility.ts'
import { expect, test } from './fixtures.ts'
import { Screen } from './screen.ts'

const SMALL = { width: 1024, height: 640 }
const TRADINGVIEW = '###COINS,COINBASE:BTCUSD,BINANCE:LTCUSD,###ODD ONES,NASDAQ:AAPL,NASDAQ:QWXZ'

test('a list is pasted, its unknown symbols are asked for, and rows keep flags and notes', async ({ open }) => {
  test.setTimeout(180_000)
  const { page } = await open()
  const screen = new Screen(page)
  await screen.trades('BTC-USD')
  const watchlist = screen.watchlist()

  await test.step('a pasted list opens the import, which says what is unknown', async () => {
    await watchlist.getByRole('combobox', { name: /^Add a symbol/ }).focus()
    await page.evaluate((text) => {
      const data = new DataTransfer()
      data.setData('text/plain', text)
      const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
      document.activeElement?.dispatchEvent(paste)
    }, TRADINGVIEW)
    const dialog = screen.dialog('Import symbols')
    await expect(dialog.getByRole('textbox')).toHaveValue(TRADINGVIEW)
    await expect(dialog.getByRole('textbox')).toBeFocused()
    await expect(dialog.getByRole('list', { name: /never seen one of these/ })).toContainText('QWXZ')
    await expect(dialog.getByRole('combobox', { name: 'Into' })).toHaveValue('sections')
    for (const size of [SMALL, { width: 1440, height: 900 }]) {
      await page.setViewportSize(size)
      expect((await violations(page)).map((one) => line(`import at ${size.width}`, one))).toEqual([])
    }
    await page.keyboard.press('Control+Enter')
    await expect(dialog).toHaveCount(0)
    await expect(watchlist.getByRole('tab', { name: 'COINS' })).toHaveAttribute('aria-selected', 'true')
    await expect(screen.row('LTC-USD')).toBeVisible()
    await watchlist.getByRole('tab', { name: 'ODD ONES' }).click()
    await expect(screen.row('AAPL')).toBeVisible()
    await expect(screen.row('QWXZ')).toHaveCount(0)
  })

  await test.step('a row is flagged and noted by its menu, and columns belong to the list', async () => {
    await screen.row('AAPL').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Flag…' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Amber flag' }).click()
    await expect(screen.row('AAPL').getByRole('rowheader')).toHaveAccessibleName(/Amber flag/)
    await screen.row('AAPL').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Add note…' }).click()
    await expect(screen.dialog('Note on AAPL').getByRole('textbox')).toBeFocused()
    await page.keyboard.type('earnings on Thursday')
    await page.keyboard.press('Enter')
    await expect(screen.row('AAPL').getByRole('rowheader')).toHaveAccessibleName(/has a note/)
    await watchlist.getByRole('button', { name: 'List and columns' }).click()
    await page.getByRole('button', { name: 'Quotes', exact: true }).click()
    await page.keyboard.press('Escape')
    const heads = watchlist.getByRole('columnheader')
    await expect(heads).toHaveText(['Symbol', 'Bid', 'Ask', 'Spread', 'Last'])
    await watchlist.getByRole('tab', { name: 'COINS' }).click()
    await expect(heads).toHaveText(['Symbol', 'Last', 'Chg %', 'Spread', 'Age'])
  })

  await test.step('an unknown symbol isn’t charted before the second Enter', async () => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type('QWXZ')
    const found = page.getByRole('listbox', { name: 'Symbol or command' })
    await expect(found.getByRole('option').first()).toContainText('never seen')
    await page.keyboard.press('Enter')
    await expect(found.getByRole('option').first()).toContainText('Press Enter again')
    await expect(screen.chart('QWXZ')).toHaveCount(0)
    await page.keyboard.press('Enter')
    await expect(screen.chart('QWXZ')).toBeVisible()
  })
})
