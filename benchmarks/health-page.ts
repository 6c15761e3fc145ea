/** What a window says of itself: figures of its Health page. */
import type { Page } from '@playwright/test'

/** Opens the page if it isn't, and reads messages per second, and p99 of receive to paint as shown, such as "17 ms". */
export async function readHealth(page: Page): Promise<{ readonly perSecond: number; readonly painted: string }> {
  const health = page.getByRole('region', { name: 'Health of this terminal' })
  if (!(await health.isVisible())) await page.keyboard.press('F9')
  const rate = await health
    .locator('dt', { hasText: /^Rate$/ })
    .locator('xpath=following-sibling::dd[1]')
    .innerText()
  const painted = await health
    .getByRole('row', { name: /^Receive to paint/ })
    .getByRole('cell')
    .nth(1)
    .innerText()
  return { perSecond: numberIn(rate), painted }
}

/** A duration as windows show it, ms: "17 ms", "1.2 s". */
export const msIn = (text: string): number => numberIn(text) * (/\d\s*s$/.test(text) ? 1_000 : 1)

function numberIn(text: string): number {
  const number = Number(/[\d,.]+/.exec(text)?.[0].replaceAll(',', ''))
  if (Number.isNaN(number)) throw new Error(`the Health page shows "${text}"`)
  return number
}
