/** The app on its desktop: its menu, its links, and its own program as the command line. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { firstLibrary } from '../../../src/shared/workspace/library.ts'
import { readyWorkspace } from '../../../src/shared/workspace/ready.ts'
import { appEnv, ended, ROOT } from '../app.ts'
import { expect, test } from '../fixtures.ts'
import { pane } from '../panes.ts'
import { Screen } from '../screen.ts'

// The package exports the path of its executable.
const program = createRequire(import.meta.url)('electron') as string

test('the native menu has the commands of the window, and runs them', async ({ open }) => {
  const { page, electron } = await open()
  await new Screen(page).trades('BTC-USD')
  const labels = () =>
    electron?.evaluate(({ Menu }) => Menu.getApplicationMenu()?.items.map(({ label }) => label) ?? [])
  await expect.poll(labels).toEqual(expect.arrayContaining(['File', 'Watchlist', 'Chart', 'Research']))
  await electron?.evaluate(({ Menu }) => {
    const items = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []) ?? []
    items.find(({ label }) => label === 'Keyboard shortcuts')?.click()
  })
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
})

test('a link opens what it names in the window that is there, and a hostile one nothing', async ({ open, home }) => {
  const { page } = await open()
  await new Screen(page).trades('BTC-USD')
  const follow = async (link: string) => {
    const second = spawn(program, ['.', link], { cwd: ROOT, env: appEnv(home), stdio: 'ignore' })
    await ended(second, 'the second instance')
  }
  await follow('tapedeck://replay/..%2f..%2fetc?at=1')
  await follow('tapedeck://sessions')
  await expect(pane(page, 'sessions')).toBeVisible()
  await new Screen(page).ticks('BTC-USD')
})

test('the app’s own program is the command line too', async ({ home }) => {
  const said: string[] = []
  const child = spawn(program, ['.', 'sessions', '--help'], {
    cwd: ROOT,
    env: appEnv(home),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text))
  await ended(child, 'the command line')
  expect(child.exitCode).toBe(0)
  expect(said.join('')).toContain('tapedeck sessions')
})

test('safe mode shows ready-made panes, says so, and leaves what is kept as it is', async ({ open, home }) => {
  const settings = join(home, 'settings.json')
  writeFileSync(settings, JSON.stringify({ appearance: { theme: 'light', scale: 130 } }))
  const workspaces = JSON.stringify({
    ...firstLibrary(),
    workspaces: [{ ...readyWorkspace('overview'), name: 'Mine' }],
  })
  writeFileSync(join(home, 'workspaces.json'), workspaces)

  const { page } = await open({ args: ['--safe-mode'] })
  const banner = page.getByRole('status').filter({ hasText: 'Safe mode.' })
  await expect(banner).toBeVisible()
  await new Screen(page).trades('BTC-USD')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  expect(readFileSync(join(home, 'workspaces.json'), 'utf8')).toBe(workspaces)
  await banner.getByRole('button', { name: 'Leave safe mode' }).click()
  await expect(banner).toHaveCount(0)
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await new Screen(page).ticks('BTC-USD')
  expect(readFileSync(join(home, 'workspaces.json'), 'utf8')).toContain('"Mine"')
})

test('portable mode keeps everything in its folder, and Settings say which', async ({ open, home }) => {
  const stick = join(home, 'stick')
  const { page } = await open({ args: ['--home', stick] })
  await new Screen(page).trades('BTC-USD')
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'App and updates' }).click()
  await expect(page.getByText(`Portable: everything is kept in ${stick}.`)).toBeVisible()
  expect(existsSync(join(stick, 'tapedeck.db'))).toBe(true)
  expect(readdirSync(home)).toEqual(['stick'])
})
