// What is photographed: each scene brings the window into a state and says what to wait for. A scene leaves
// nothing open that Escape does not close, so that the next one begins from the frame.

const banner = (page, name) => page.getByRole('banner').getByRole('button', { name })
const watchlist = (page) => page.getByRole('region', { name: 'Watchlist' })
const status = (page, name) => page.getByRole('contentinfo').getByRole('button', { name })
const dialog = (page, name) => page.getByRole('dialog', { name })

async function popover(page, button) {
  await button.click()
  await page.locator('[data-open]').waitFor()
}
async function select(page, symbol) {
  await page.keyboard.press('Control+k')
  await page.keyboard.type(symbol)
  await page.getByRole('option', { name: symbol }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: `Chart of ${symbol}` }).waitFor()
}
/** The interval by its button, or by the list that stands for the buttons where there is no room. */
async function interval(page, label) {
  const button = page.getByRole('radio', { name: label, exact: true })
  if (await button.isVisible()) await button.click()
  else await page.getByRole('combobox', { name: 'Interval' }).selectOption(label)
}
async function settings(page, tab) {
  await page.keyboard.press('Control+,')
  await dialog(page, 'Settings').getByRole('tab', { name: tab }).click()
}
async function account(page, { baseUrl, username, password }) {
  await page.getByRole('button', { name: 'Connect your account' }).first().click()
  const form = dialog(page, 'Connect your account')
  await form.getByLabel('Base URL').fill(baseUrl)
  await form.getByLabel('User', { exact: true }).fill(username)
  await form.getByLabel('Password', { exact: true }).fill(password)
  return form
}
const paneScene = (name) => ({
  arrange: (page) => status(page, name).click(),
  undo: (page) => status(page, name).click(),
})

/** @typedef {{ name: string, arrange: (page: any, service: any) => Promise<unknown>, undo?: (page: any) => Promise<unknown> }} Scene */

/** Of a window that trades. @type {readonly Scene[]} */
export const LIVE = [
  { name: 'live', arrange: async () => undefined },
  {
    name: 'crosshair',
    arrange: async (page) => {
      const chart = page.getByRole('application')
      await chart.focus()
      for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowLeft')
    },
    undo: (page) => page.getByRole('application').press('End'),
  },
  {
    name: 'chart-table',
    arrange: (page) => page.getByRole('button', { name: 'Table' }).click(),
    undo: (page) => page.getByRole('button', { name: 'Table' }).click(),
  },
  {
    name: 'chart-ticks',
    arrange: (page) => interval(page, 'Ticks'),
    undo: (page) => interval(page, '1m'),
  },
  { name: 'forex', arrange: (page) => select(page, 'EURUSD'), undo: (page) => select(page, 'BTC-USD') },
  { name: 'stocks', arrange: (page) => select(page, 'SPY'), undo: (page) => select(page, 'BTC-USD') },
  {
    name: 'symbol-box',
    arrange: async (page) => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type('s')
      await page.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'symbol-unknown',
    arrange: async (page) => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type('QQQQ')
      await page.getByRole('option', { name: 'QQQQ' }).first().waitFor()
    },
  },
  {
    name: 'add-symbol',
    arrange: async (page) => {
      await watchlist(page).getByRole('combobox').fill('usd')
      await watchlist(page).getByRole('option').first().waitFor()
    },
  },
  {
    name: 'removed',
    arrange: async (page) => {
      await watchlist(page).getByRole('grid').focus()
      await page.keyboard.press('End')
      await page.keyboard.press('Delete')
      await page.getByRole('button', { name: 'Undo' }).waitFor()
    },
    undo: async (page) => {
      await page.getByRole('button', { name: 'Undo' }).click()
      await select(page, 'BTC-USD')
    },
  },
  { name: 'source', arrange: (page) => popover(page, banner(page, /^Source: /)) },
  {
    name: 'feeds',
    arrange: async (page) => {
      await popover(page, banner(page, /^Feeds: /))
      for (const row of (await page.locator('[data-open] summary').all()).slice(0, 2)) await row.click()
    },
  },
  { name: 'recorder', arrange: (page) => popover(page, banner(page, /recording/i)) },
  { name: 'zone', arrange: (page) => popover(page, banner(page, /^Time zone/)) },
  {
    name: 'list-options',
    arrange: (page) => popover(page, watchlist(page).getByRole('button', { name: 'List and columns' })),
  },
  { name: 'log', ...paneScene('Log') },
  { name: 'sessions', ...paneScene('Sessions') },
  ...['Company', 'Earnings', 'News', 'Commodities', 'Technical', 'Evidence'].map((title) => ({
    name: `pane-${title.toLowerCase()}`,
    arrange: async (page) => {
      await watchlist(page).getByText('AAPL', { exact: true }).click()
      await status(page, 'Sessions').click()
      await page.getByRole('tab', { name: title, exact: true }).first().click()
      // The age of an answer stands there once it has come.
      if (title !== 'Evidence' && title !== 'Technical') await page.getByText(/ ago$/).first().waitFor()
    },
    undo: async (page) => {
      await page.getByRole('button', { name: 'Close the lower pane' }).click()
      await watchlist(page).getByText('BTC-USD', { exact: true }).click()
    },
  })),
  { name: 'export', arrange: (page) => page.keyboard.press('Alt+e') },
  ...['Connection', 'Recording', 'Research', 'Appearance', 'Time zone', 'Numbers'].map((tab) => ({
    name: `settings-${tab.toLowerCase().replace(' ', '-')}`,
    arrange: (page) => settings(page, tab),
  })),
  {
    name: 'shortcuts',
    arrange: async (page) => {
      await page.keyboard.press('?')
      await dialog(page, 'Keyboard shortcuts').waitFor()
    },
  },
  {
    name: 'account-missing',
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Connect your account' }).first().click()
      await dialog(page, 'Connect your account').getByRole('button', { name: 'Connect', exact: true }).click()
    },
  },
  {
    name: 'account-wrong-password',
    arrange: async (page, service) => {
      const form = await account(page, { ...service, password: 'not the password' })
      await form.getByRole('button', { name: 'Test connection' }).click()
      await form.getByText('not reached').first().waitFor()
    },
  },
  {
    name: 'account-tested',
    arrange: async (page, service) => {
      const form = await account(page, service)
      await form.getByRole('button', { name: 'Test connection' }).click()
      await form.getByText(/ came, /).waitFor()
    },
  },
]

/** Of a list without a symbol. @type {readonly Scene[]} */
export const EMPTY = [{ name: 'empty', arrange: (page) => page.getByText(/ is empty$/).waitFor() }]

/** Of a service that is gone. @type {readonly Scene[]} */
export const FAILING = [
  { name: 'offline', arrange: (page) => banner(page, /Not connected/).waitFor() },
  { name: 'offline-feeds', arrange: (page) => popover(page, banner(page, /^Feeds: /)) },
  { name: 'offline-source', arrange: (page) => popover(page, banner(page, /^Source: /)) },
  { name: 'offline-log', ...paneScene('Log') },
]

/** Of a window whose terminal is gone. @type {readonly Scene[]} */
export const LOST = [{ name: 'no-link', arrange: (page) => banner(page, /lost its terminal/).waitFor() }]

const dock = (page) => page.getByRole('region', { name: 'Replay' })

/** Of a window that replays a recording. @type {readonly Scene[]} */
export const REPLAY = [
  { name: 'replay', arrange: async () => undefined },
  {
    name: 'replay-loop',
    arrange: async (page) => {
      const { x, y, width } = await dock(page).getByRole('slider').boundingBox()
      await page.mouse.move(x + width * 0.35, y + 5)
      await page.mouse.down()
      await page.mouse.move(x + width * 0.6, y + 5, { steps: 4 })
      await page.mouse.up()
    },
    undo: (page) => page.keyboard.press('\\'),
  },
  { name: 'replay-go', arrange: (page) => popover(page, dock(page).getByRole('button', { name: /^Go to, loop/ })) },
  {
    name: 'replay-jump',
    arrange: async (page) => {
      await page.keyboard.press('Control+g')
      await dialog(page, 'Go to a time').getByRole('textbox').fill('09:31 New York')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'replay-bookmark',
    arrange: async (page) => {
      await page.keyboard.press('Control+b')
      await dialog(page, 'Add a bookmark').waitFor()
    },
  },
  { name: 'replay-source', arrange: (page) => popover(page, banner(page, /^Source: /)) },
  { name: 'replay-sessions', ...paneScene('Sessions') },
]

/** Opens the newest recorded session and goes well into it. */
export async function replaying(page) {
  await page.keyboard.press('Alt+r')
  const timeline = dock(page).getByRole('slider')
  await timeline.waitFor()
  const { width } = await timeline.boundingBox()
  await timeline.click({ position: { x: width * 0.7, y: 24 } })
  await page.getByRole('region', { name: 'Time and sales' }).getByRole('cell').nth(30).waitFor()
}

/** Signs in to a service through the window. */
export async function signIn(page, service) {
  const form = await account(page, service)
  await form.getByRole('button', { name: 'Connect', exact: true }).click()
  await form.waitFor({ state: 'hidden' })
  await banner(page, /^Source: Live from/).waitFor({ timeout: 30_000 })
}

/** Waits until the window trades. */
export async function trading(page) {
  const rows = watchlist(page).getByRole('row').filter({ hasText: 'BTC-USD' })
  await rows.getByRole('gridcell').filter({ hasText: /\d/ }).first().waitFor({ timeout: 30_000 })
  await page.getByRole('region', { name: 'Time and sales' }).getByRole('cell').nth(30).waitFor({ timeout: 60_000 })
}
