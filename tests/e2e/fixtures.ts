/** The test function of the end-to-end specs: a home, an app in the project's host, a second simulator. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test as base } from '@playwright/test'
import { openApp, type HostName, type OpenApp, type OpenOptions } from './app.ts'
import { startSimulator, type SimulatorProcess } from './simulator.ts'

export { expect } from '@playwright/test'

interface Fixtures {
  readonly host: HostName
  /** A new folder, removed at the end. */
  readonly home: string
  /** Opens the app in the host of the project. It is closed at the end, and its page must have had no problem. */
  readonly open: (options?: Partial<OpenOptions>) => Promise<OpenApp>
  /** Another service to sign in to. */
  readonly simulator: SimulatorProcess
}

export const test = base.extend<Fixtures>({
  // Playwright wants its first argument destructured, also where nothing of it is used.
  host: async ({}, use, info) => {
    await use(info.project.name === 'electron' ? 'electron' : 'browser')
  },
  home: async ({}, use) => {
    const home = await mkdtemp(join(tmpdir(), 'tapedeck-e2e-'))
    await use(home)
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  },
  open: async ({ host, home }, use) => {
    const opened: OpenApp[] = []
    await use(async (options = {}) => {
      const app = await openApp(host, { home, ...options })
      opened.push(app)
      return app
    })
    for (const app of opened) await app.close()
    expect(opened.flatMap(({ problems }) => problems)).toEqual([])
  },
  simulator: async ({ home }, use) => {
    const simulator = await startSimulator(join(home, 'simulator'))
    await use(simulator)
    await simulator.close()
  },
})
