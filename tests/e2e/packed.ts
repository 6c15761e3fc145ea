/** Starts the packed program, reads its window through the debugging port, and runs its command line. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { packedProgram } from '../../scripts/lib/packed.mjs'

const START_MS = 60_000
/** The window's pages, and as the Electron stand-in carries them. */
const OWN_PAGE = /^(app:\/\/tapedeck|https:\/\/tapedeck\.app\.standin\.invalid)\//

export interface PackedWindow {
  readonly child: ChildProcess
  readonly page: Page
  /** Ends the connection to the debugging port; the program keeps running. */
  disconnect(): Promise<void>
}

/** Starts the packed program with `args`. Its Chromium profile is in `home`, so that programs of two homes don't meet. */
export function spawnPacked(args: readonly string[], home: string, env: Record<string, string>): ChildProcess {
  const program = packedProgram()
  if (!program) throw new Error('There is no package, or no Electron to run it: "npm run pack" makes one.')
  return spawn(program.command, [...program.args, ...args], {
    cwd: home,
    env: { ...env, XDG_CONFIG_HOME: join(home, 'config') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The address of the debugging port, which Chromium writes to standard error. */
async function debuggingAddress(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error('standard error is not a pipe')
  let text = ''
  const lines = createInterface({ input: child.stderr })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise((resolve, reject) => {
      lines.on('line', (line) => {
        text += `${line}\n`
        const address = /^DevTools listening on (ws:\S+)$/.exec(line)?.[1]
        if (address !== undefined) resolve(address)
      })
      child.once('error', reject)
      child.once('exit', (code) => reject(new Error(`the packed program ended with ${code}: ${text}`)))
      timer = setTimeout(() => reject(new Error(`no debugging port within ${START_MS / 1000} s: ${text}`)), START_MS)
    })
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Opens the window of the packed program. Its fuses switch off Node's inspector, which Playwright's own way of starting
 * Electron needs, so the window is reached through Chromium's debugging port.
 */
export async function openPackedWindow(
  home: string,
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<PackedWindow> {
  const child = spawnPacked(['--remote-debugging-port=0', ...args], home, env)
  try {
    const address = await debuggingAddress(child)
    // Electron has no browser contexts of its own, which Playwright's defaults would set up.
    const browser = await chromium.connectOverCDP(address, { noDefaults: true, timeout: START_MS })
    const context = browser.contexts()[0]
    if (!context) throw new Error('the packed program has no browser context')
    const own = () => context.pages().find((page) => OWN_PAGE.test(page.url()))
    const until = Date.now() + START_MS
    for (let page = own(); ; page = own()) {
      if (page) return { child, page, disconnect: () => browser.close() }
      if (Date.now() > until) throw new Error('the packed program showed no window')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}
