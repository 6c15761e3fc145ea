// What is photographed: each scene brings the window into a state and says what to wait for. A scene leaves
// nothing open that Escape does not close, so that the next one begins from the frame.
import { settingLabel } from '../../src/renderer/core/settings/labels.ts'
import { SETTING_TABS } from '../../src/renderer/core/settings/settings-table.ts'

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
/** Sets the chart's interval through the palette, where it has no button. */
async function interval(page, label) {
  const button = page.getByRole('radio', { name: label, exact: true })
  if (await button.isVisible()) return button.click()
  await page.keyboard.press('Control+k')
  await page.keyboard.type(`BTC-USD ${label}`)
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
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
/** Runs a command by its title, wherever its button is. */
async function command(page, title) {
  await page.keyboard.press('Control+k')
  await page.keyboard.type(title)
  await page.getByRole('option', { name: title }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: title }).first().waitFor({ state: 'hidden' })
}
async function workspace(page, name) {
  await popover(page, banner(page, /^Workspace: /))
  await page.locator('[data-open]').getByRole('button', { name, exact: true }).click()
  await banner(page, `Workspace: ${name}`).waitFor()
  const charts = page.getByRole('application', { name: /^Chart of / })
  await charts.first().waitFor()
  // Each chart has a bar to show, or says that there is none: outside their session, stocks have no daily bar yet.
  const told = page
    .locator('.legend')
    .filter({ hasText: /C\s*[\d.,]+/ })
    .or(page.locator('[data-pane="chart"] .note'))
  await told.nth((await charts.count()) - 1).waitFor()
}
const chart = (page) => page.getByRole('application', { name: /^Chart of / }).first()

/** A few alerts, and their pane. */
async function alerts(page) {
  const wanted = [
    ['price', { Level: '1,234,567' }, 'Far away'],
    ['move', { Percent: '2', Within: '5m' }, 'Something happens'],
    ['spread', { Reaches: '500' }, ''],
  ]
  const pane = page.locator('[data-pane="alerts"]')
  await page.keyboard.press('Alt+a')
  await pane.waitFor()
  if ((await pane.getByRole('grid', { name: 'Alerts', exact: true }).count()) > 0) return
  for (const [kind, fields, note] of wanted) {
    await page.keyboard.press('Alt+b')
    const form = dialog(page, 'New alert')
    await form.getByLabel('Alert type').selectOption(kind)
    for (const [label, value] of Object.entries(fields)) await form.getByLabel(label, { exact: true }).fill(value)
    await form.getByLabel('Note').fill(note)
    await form.getByRole('button', { name: 'Create' }).click()
    await form.waitFor({ state: 'hidden' })
  }
}

const SOME_INDICATORS = ['EMA', 'Bollinger', 'Relative strength']
/** Some indicators on the chart in front, by its own list. */
async function indicators(page) {
  await chart(page).focus()
  await page.keyboard.press('/')
  const box = page.getByRole('dialog', { name: 'Indicators', exact: true })
  for (const typed of SOME_INDICATORS) {
    await box.getByRole('searchbox', { name: 'Find an indicator' }).fill(typed)
    await page.keyboard.press('Enter')
  }
  await box.getByRole('list', { name: 'Indicators on this chart' }).getByRole('listitem').nth(2).waitFor()
}
async function withoutIndicators(page) {
  await chart(page).focus()
  await page.keyboard.press('/')
  const there = page.getByRole('list', { name: 'Indicators on this chart' })
  for (let left = await there.getByRole('listitem').count(); left > 0; left--) {
    await there
      .getByRole('button', { name: /^Remove / })
      .first()
      .click()
  }
  await page.keyboard.press('Escape')
}

/** A trend line, levels and a note on the chart in front. */
async function drawings(page) {
  const wanted = [
    ['Draw: Trend line', [[0.2, 0.62], [0.45, 0.42]]],
    ['Draw: Fibonacci retracement', [[0.5, 0.68], [0.62, 0.3]]],
    ['Draw: Rectangle', [[0.24, 0.2], [0.4, 0.32]]],
  ] // oxfmt-ignore
  for (const [title, points] of wanted) {
    await command(page, title)
    const box = await chart(page).boundingBox()
    for (const [x, y] of points) {
      await page.mouse.move(box.x + box.width * x, box.y + box.height * y)
      await page.mouse.click(box.x + box.width * x, box.y + box.height * y)
    }
    await page.getByRole('toolbar', { name: /^Style of / }).waitFor()
    await page.keyboard.press('Escape')
  }
}
async function palette(page) {
  await page.keyboard.press('Control+k')
  await page.keyboard.type('aapl')
  await page.getByRole('option').first().waitFor()
}
const paneScene = (name) => ({
  arrange: (page) => status(page, name).click(),
  undo: (page) => status(page, name).click(),
})
const paneByKey = (kind, keys) => ({
  arrange: async (page) => {
    await page.keyboard.press(keys)
    await page.locator(`[data-pane="${kind}"]`).waitFor()
  },
  undo: (page) => page.keyboard.press(keys),
})
/** A tab of the company pane, of a symbol with statements. */
const companyScene = (tab, ready) => ({
  arrange: async (page) => {
    await watchlist(page).getByText('AAPL', { exact: true }).click()
    await page.keyboard.press('Alt+c')
    const pane = page.locator('[data-pane="company"]')
    await pane.getByRole('tab', { name: tab, exact: true }).click()
    await pane.getByText(ready).first().waitFor()
    // Most of the window, as its user would make it to read a table.
    await command(page, 'Maximize or restore the pane')
  },
  undo: async (page) => {
    await command(page, 'Maximize or restore the pane')
    await page.keyboard.press('Alt+c')
    await watchlist(page).getByText('BTC-USD', { exact: true }).click()
  },
})
/** What a key shows on the chart and hides again, once the legend has it. */
const chartScene = (keys, ready) => ({
  arrange: async (page) => {
    await interval(page, '1m')
    await chart(page).focus()
    await page.keyboard.press(keys)
    await page.locator('.legend').filter({ hasText: ready }).first().waitFor()
  },
  undo: async (page) => {
    await chart(page).focus()
    await page.keyboard.press(keys)
  },
})
// The legend names the bars once their trades are read, however well quotes explain them: after a start, too few to check.
const footprintScene = chartScene('Control+Shift+f', /all bars from/)
/** A pane that has most of the window, once it has a text. */
const maximized = (kind, keys, ready) => ({
  arrange: async (page) => {
    await page.keyboard.press(keys)
    await page.locator(`[data-pane="${kind}"]`).getByText(ready).first().waitFor({ timeout: 60_000 })
    await command(page, 'Maximize or restore the pane')
  },
  undo: async (page) => {
    await command(page, 'Maximize or restore the pane')
    await page.keyboard.press(keys)
  },
})
/** A note on the tape, and the journal with it. */
async function journal(page, tab) {
  const pane = page.locator('[data-pane="journal"]')
  await page.keyboard.press('Control+Alt+j')
  await pane.waitFor()
  await pane.getByRole('tab', { name: 'Notes' }).click()
  if ((await pane.getByRole('list', { name: 'Notes' }).count()) === 0) {
    await page.keyboard.press('Control+Alt+n')
    const form = dialog(page, 'Add note')
    await form.getByLabel('Note', { exact: true }).fill('Bought the breakout over the morning high #breakout')
    await form.getByRole('button', { name: 'Attach chart' }).click()
    await form.getByRole('img', { name: 'Screenshot 1' }).waitFor()
    await page.keyboard.press('Control+Enter')
    await form.waitFor({ state: 'hidden' })
  }
  await pane.getByRole('tab', { name: tab }).click()
  if (tab === 'Review') await pane.getByRole('article', { name: 'Review' }).getByRole('row').nth(1).waitFor()
}

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
    arrange: async (page) => {
      await command(page, 'Show chart bars as a table')
      await page.getByRole('region', { name: 'Visible bars' }).waitFor()
    },
    undo: (page) => command(page, 'Show chart bars as a table'),
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
  { name: 'recorder', arrange: (page) => popover(page, banner(page, /recording/i)) },
  { name: 'zone', arrange: (page) => popover(page, banner(page, /^Time zone/)) },
  {
    name: 'list-options',
    arrange: (page) => popover(page, watchlist(page).getByRole('button', { name: 'List and columns' })),
  },
  { name: 'log', ...paneScene('Log') },
  { name: 'sessions', ...paneScene('Sessions') },
  ...Object.entries({
    company: 'Alt+c',
    earnings: 'Alt+q',
    news: 'Alt+n',
    commodities: 'Alt+g',
    technical: 'Alt+y',
    evidence: 'Alt+v',
  }).map(([kind, keys]) => ({
    name: `pane-${kind}`,
    arrange: async (page) => {
      await watchlist(page).getByText('AAPL', { exact: true }).click()
      await page.keyboard.press(keys)
      await page.locator(`[data-pane="${kind}"]`).waitFor()
      // The age of an answer stands there once it has come.
      if (kind !== 'evidence' && kind !== 'technical') await page.getByText(/ ago$/).first().waitFor()
    },
    undo: async (page) => {
      await page.keyboard.press(keys)
      await watchlist(page).getByText('BTC-USD', { exact: true }).click()
    },
  })),
  { name: 'alerts', arrange: alerts, undo: (page) => page.keyboard.press('Alt+a') },
  {
    name: 'alert-form',
    arrange: async (page) => {
      await page.keyboard.press('Alt+b')
      await dialog(page, 'New alert').waitFor()
    },
  },
  { name: 'pane-health', ...paneByKey('health', 'F9') },
  { name: 'pane-screener', ...paneByKey('screener', 'F4') },
  {
    name: 'pane-team',
    arrange: async (page) => {
      await command(page, 'Team')
      await page.locator('[data-pane="team"]').waitFor()
    },
    // The command only opens it.
    undo: async (page) => {
      await command(page, 'Team') // makes it the pane in front
      await page.keyboard.press('Control+Alt+W')
      await page.locator('[data-pane="team"]').waitFor({ state: 'detached' })
    },
  },
  ...['Notes', 'Review'].map((tab) => ({
    name: `pane-journal-${tab.toLowerCase()}`,
    arrange: (page) => journal(page, tab),
    undo: (page) => page.keyboard.press('Control+Alt+j'),
  })),
  { name: 'note', arrange: (page) => page.keyboard.press('Control+Alt+n') },
  { name: 'company-income', ...companyScene('Income', 'Revenue') },
  { name: 'company-peers', ...companyScene('Peers', /P\/E/) },
  { name: 'company-ratios', ...companyScene('Ratios', / ago$/) },
  { name: 'footprint', ...footprintScene },
  { name: 'delta', ...chartScene('Control+Shift+d', /CVD/) },
  { name: 'profile', ...chartScene('Control+Shift+v', /from (trades|bars)/) },
  { name: 'indicators', arrange: indicators, undo: (page) => withoutIndicators(page) },
  { name: 'drawings', arrange: drawings, undo: (page) => command(page, 'Delete all drawings on this symbol') },
  { name: 'palette', arrange: palette },
  {
    name: 'workspaces',
    arrange: (page) => popover(page, banner(page, /^Workspace: /)),
  },
  ...['Day trading', 'Review', 'Research', 'Charts 2 × 2', 'Charts 3 × 3'].map((name) => ({
    name: `workspace-${name.toLowerCase().replace(/ × /, 'x').replace(/ /g, '-')}`,
    arrange: (page) => workspace(page, name),
    undo: (page) => workspace(page, 'Overview'),
  })),
  { name: 'export', arrange: (page) => page.keyboard.press('Alt+e') },
  { name: 'import', arrange: (page) => page.keyboard.press('Alt+i') },
  ...SETTING_TABS.map((tab) => ({
    name: `settings-${tab}`,
    arrange: (page) => settings(page, settingLabel(`settings.tab.${tab}`)),
  })),
  {
    name: 'shortcuts',
    arrange: async (page) => {
      await page.keyboard.press('?')
      await dialog(page, 'Keyboard shortcuts').waitFor()
    },
  },
  {
    name: 'help',
    arrange: async (page) => {
      await page.keyboard.press('F1')
      await dialog(page, 'Help').waitFor()
    },
  },
  {
    name: 'tour',
    arrange: async (page) => {
      await command(page, 'One-minute tour')
      await page.getByRole('dialog', { name: /^Tour, / }).waitFor()
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

/**
 * Pictures of the guide, of a window that has recorded for a while: each brings it into a state, and `after` puts it
 * back. @type {readonly Scene[]}
 */
export const GUIDE = [
  {
    name: 'charts',
    arrange: async (page) => {
      await indicators(page)
      await page.keyboard.press('Escape')
    },
    undo: (page) => withoutIndicators(page),
  },
  { name: 'drawings', arrange: drawings, undo: (page) => command(page, 'Delete all drawings on this symbol') },
  { name: 'alerts', arrange: alerts, undo: (page) => page.keyboard.press('Alt+a') },
  { name: 'palette', arrange: palette },
  {
    name: 'workspace',
    arrange: (page) => workspace(page, 'Charts 3 × 3'),
    undo: (page) => workspace(page, 'Overview'),
  },
  { name: 'order-flow', ...footprintScene },
  { name: 'screener', ...maximized('screener', 'F4', /\d %/) },
  {
    name: 'journal',
    arrange: (page) => journal(page, 'Review'),
    undo: (page) => page.keyboard.press('Control+Alt+j'),
  },
  { name: 'research', ...companyScene('Income', 'Revenue') },
  { name: 'evidence', ...maximized('evidence', 'Alt+v', /\d %/) },
  { name: 'replay', arrange: (page) => replaying(page), undo: (page) => page.keyboard.press('Alt+End') },
]

/** Of a list without a symbol. @type {readonly Scene[]} */
export const EMPTY = [{ name: 'empty', arrange: (page) => page.getByText(/ is empty$/).waitFor() }]

/** Of a service that is gone. @type {readonly Scene[]} */
export const FAILING = [
  { name: 'offline', arrange: (page) => banner(page, /^Source: Not connected/).waitFor() },
  { name: 'offline-health', ...paneByKey('health', 'F9') },
  { name: 'offline-source', arrange: (page) => popover(page, banner(page, /^Source: /)) },
  { name: 'offline-log', ...paneScene('Log') },
]

/** Of a window whose terminal is gone. @type {readonly Scene[]} */
export const LOST = [{ name: 'no-link', arrange: (page) => banner(page, /^Health: .*lost its connection/).waitFor() }]

const dock = (page) => page.getByRole('region', { name: 'Replay' })

/** Of a window that replays a session. @type {readonly Scene[]} */
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
      await dialog(page, 'Go to time').getByRole('textbox').fill('09:31 New York')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'replay-bookmark',
    arrange: async (page) => {
      await page.keyboard.press('Control+b')
      await dialog(page, 'Add bookmark').waitFor()
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
  await page.waitForFunction(() => {
    const slider = document.querySelector('[data-transport] [role="slider"]')
    const [at, end] = ['aria-valuenow', 'aria-valuemax'].map((name) => Number(slider?.getAttribute(name)))
    return at > 0.6 * end && slider?.closest('[data-transport]')?.ariaBusy !== 'true'
  })
  await page.getByRole('region', { name: 'Time & sales' }).getByRole('cell').nth(30).waitFor()
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
  await page.getByRole('region', { name: 'Time & sales' }).getByRole('cell').nth(30).waitFor({ timeout: 60_000 })
}

/** Waits until the sample session of a first start is stored, so that charts have a past. */
export async function sampled(page) {
  await page.keyboard.press('Alt+s')
  await page
    .getByRole('region', { name: 'Sessions' })
    .getByRole('row', { name: /Demo sample session/ })
    .waitFor({ timeout: 240_000 })
  await page.keyboard.press('Alt+s')
}
