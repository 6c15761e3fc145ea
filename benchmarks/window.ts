/** What the soak and the window's bench begin with: a market of a given rate, a terminal that watches it, and a browser. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser } from '@playwright/test'
import { end, next, node, type Talk } from './talk.ts'

export const VIEWPORT = { width: 1440, height: 900 } as const

export interface Started {
  /** The folder of the terminal. */
  readonly home: string
  readonly browser: Browser
  /** Takes orders (soak-host.ts). */
  readonly host: Talk
  /** Where the window is. */
  readonly url: string
}

interface Wanted {
  /** For the name of the folder. */
  readonly name: string
  /** Messages a second. */
  readonly rate: string
  /** Both as their files hold them. */
  readonly settings: unknown
  readonly workspaces: unknown
}

/** Starts all of it in a folder of its own, runs `work`, and ends and removes all of it again. */
export async function withWindow(
  { name, rate, settings, workspaces }: Wanted,
  work: (started: Started) => Promise<void>,
) {
  const home = mkdtempSync(join(tmpdir(), `tapedeck-${name}-`))
  writeFileSync(join(home, 'workspaces.json'), JSON.stringify(workspaces))
  writeFileSync(join(home, 'settings.json'), JSON.stringify(settings))
  const started: Talk[] = []
  const browser = await chromium.launch({
    executablePath: process.env.TAPEDECK_CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
  })
  try {
    const market = node('soak-market.ts', rate)
    started.push(market)
    const { baseUrl, username, password } = await next<{ baseUrl: string; username: string; password: string }>(market)
    const host = node('soak-host.ts', home, baseUrl, username, password)
    started.unshift(host)
    const { url } = await next<{ url: string }>(host)
    await work({ home, browser, host, url })
  } finally {
    await browser.close()
    for (const talk of started) await end(talk)
    rmSync(home, { recursive: true, force: true })
  }
}
