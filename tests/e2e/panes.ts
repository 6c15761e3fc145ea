/** The panes of the window for every spec, however they happen to be laid out. */
import { expect, type Locator, type Page } from '@playwright/test'

/** What is on screen from a first start on, whoever looks. */
const ALWAYS = { watchlist: 'Watchlist', quote: 'Quote', tape: 'Time & sales' } as const
/** Name of the region and the key that opens it. */
const OPENED = {
  company: { name: 'Company', key: 'Alt+c' },
  earnings: { name: 'Earnings', key: 'Alt+q' },
  news: { name: 'News', key: 'Alt+n' },
  commodities: { name: 'Commodities', key: 'Alt+g' },
  technical: { name: 'Technical', key: 'Alt+y' },
  alerts: { name: 'Alerts', key: 'Alt+a' },
  evidence: { name: 'Evidence', key: 'Alt+v' },
  sessions: { name: 'Sessions', key: 'Alt+s' },
  journal: { name: 'Journal', key: 'Control+Alt+j' },
  log: { name: 'Log', key: 'Alt+l' },
  health: { name: 'Health', key: 'F9' },
  screener: { name: 'Screener', key: 'F4' },
} as const

export type PaneKind = 'chart' | keyof typeof ALWAYS | keyof typeof OPENED

const isOpened = (kind: PaneKind): kind is keyof typeof OPENED => Object.hasOwn(OPENED, kind)
const isAlways = (kind: PaneKind): kind is keyof typeof ALWAYS => Object.hasOwn(ALWAYS, kind)

/** The region of a pane; of a chart: the first one on screen. */
export function pane(page: Page, kind: PaneKind): Locator {
  if (isOpened(kind))
    return page.getByRole('region', { name: OPENED[kind].name, exact: true }).and(page.locator('[data-pane]'))
  if (isAlways(kind)) return page.getByRole('region', { name: ALWAYS[kind], exact: true })
  return page.getByRole('region', { name: /^Chart of / }).first()
}

/** Shows a pane, wherever it was, and answers its region. Once it is there, nothing is done. */
export async function openPane(page: Page, kind: PaneKind): Promise<Locator> {
  const found = pane(page, kind)
  // In Electron a window is there before its page listens for keys.
  await expect(page.getByRole('banner')).toBeVisible({ timeout: 30_000 })
  if (isOpened(kind) && !(await found.isVisible())) await page.keyboard.press(OPENED[kind].key)
  await expect(found).toBeVisible()
  return found
}
