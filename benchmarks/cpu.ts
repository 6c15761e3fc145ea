/** Processor time of Chromium's processes. */
import type { Browser } from '@playwright/test'

/** Seconds that all living renderers together have taken so far. */
export async function rendererSeconds(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  try {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0)
  } finally {
    await session.detach()
  }
}
