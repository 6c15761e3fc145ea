/** Processor time of other processes. */
import { readdirSync, readFileSync } from 'node:fs'
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

/** What Linux counts in: a tick is 10 ms. */
const TICKS_PER_SECOND = 100

/** Fields 4 (parent) and 14 to 17 (times) of a process, after its name, which may hold anything but a last ")". */
function readStat(pid: number): { readonly parent: number; readonly seconds: number } | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return null
  }
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND }
}

/**
 * Seconds that these processes have taken so far, with their children, also those that have ended. NaN where there is
 * no /proc.
 */
export function processSeconds(pids: readonly number[]): number {
  if (pids.some((pid) => readStat(pid) === null)) return NaN
  let sum = 0
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : null
    if (stat !== null && (pids.includes(Number(name)) || pids.includes(stat.parent))) sum += stat.seconds
  }
  return sum
}

/** Seconds that this process has taken so far. */
export function ownSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
